/* KSP "fusedcg": conjugate gradients in two passes an iteration */
#pragma once

#include "../iterations.h"
#include "fusedcg_kernels.hxx"

struct KSP_FusedCG {
  PetscBool              flexible = PETSC_FALSE;
  HeptaIterations        iterations;
  Vec                    inverse = nullptr; /* inverse diagonal blocks, column by column */
  std::string            passes;            /* what the passes of an iteration are, for the view */
  std::vector<PetscReal> d, e;              /* the Lanczos matrix: its diagonal, and e[i] beside it in row i */
};

/* fusedcg_solve.cxx */
PETSC_INTERN PetscErrorCode KSPSolve_FusedCG(KSP);
/* fusedcg_eigen.cxx */
PETSC_INTERN PetscErrorCode KSPComputeExtremeSingularValues_FusedCG(KSP, PetscReal *, PetscReal *);
PETSC_INTERN PetscErrorCode KSPComputeEigenvalues_FusedCG(KSP, PetscInt, PetscReal *, PetscReal *, PetscInt *);

/* KSP "bicgcr": conjugate residuals with the bilinear form */
#pragma once

#include "../operators.h"
#include "bicgcr_kernels.hxx"

/* Numbers of vectors: 0 is x, then those of ksp->work; w and its shadow hold nothing before the first product */
enum {
  HEPTA_BICGCR_X,
  HEPTA_BICGCR_R,
  HEPTA_BICGCR_Z,
  HEPTA_BICGCR_P,
  HEPTA_BICGCR_Q,
  HEPTA_BICGCR_U,
  HEPTA_BICGCR_W,
  HEPTA_BICGCR_WS,
  HEPTA_BICGCR_ZS,
  HEPTA_BICGCR_QS,
  HEPTA_BICGCR_US,
  HEPTA_BICGCR_VECTORS
};

struct KSP_BiCGCR : HeptaKSPData {
  PetscBool given = PETSC_FALSE, symmetric = PETSC_FALSE; /* symmetry as set by the program */
  bool      two_sided = false, solved = false;            /* in the last solve */

  std::vector<const char *> Words() const override { return std::vector<const char *>(solved, two_sided ? "two-sided, with transposed products" : "for a symmetric matrix"); }
};

/* bicgcr_solve.cxx */
PETSC_INTERN PetscErrorCode KSPSolve_BiCGCR(KSP);

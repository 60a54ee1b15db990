/* KSP "fusedcg": conjugate gradients in two passes an iteration */
#pragma once

#include "../dpcg/recycle.h"
#include "../operators.h"
#include "error_estimate.h"
#include "fusedcg_kernels.hxx"
#include "grid.h"

struct KSP_FusedCG : HeptaKSPData {
  PetscBool       flexible = PETSC_FALSE, single = PETSC_FALSE; /* a single reduction */
  bool            deflated  = false;                            /* KSP "dpcg" */
  int             precision = HeptaGridCGData::AUTO;            /* of the iterations */
  HeptaGridCGData grid;
  /* dpcg: the correction of the next direction, a number for each subdomain */
  HeptaValues    y;
  HeptaRecycling recycling;
  HeptaValues    pg;         /* on several ranks the ghost values of p[0] and p[1] */
  size_t         ghosts = 0; /* the number of ghost values of one direction */
  /* the Lanczos matrix: its diagonal, and e[i], the subdiagonal entry of row i */
  std::vector<PetscReal> d, e;
  /* estimates of the error, and whether the solve wants them */
  HeptaErrorEstimate error;
  bool               estimates     = false;
  PetscBool          true_residual = PETSC_FALSE; /* does b - A x have to pass the test too? */
  PetscBool          tests_error   = PETSC_FALSE; /* are the tolerances those of the error? */
  PetscInt           start         = 0;           /* the iteration from which estimates count: that of the last start */
  PetscInt           next_test = 0, shown = 0;    /* the next iteration to test after; estimates that the monitor has printed */

  void                     Clear(PetscInt from); /* the history of iterations, which begins anew at iteration `from` */
  bool                     Tests(KSP) const override;
  PetscErrorCode           Test(KSP, PetscInt, PetscReal) override;
  PetscInt                 NextTest() const override { return next_test; }
  PetscErrorCode           Reset() override;
  std::vector<std::string> Words() const override;
};

/* A solve in two passes or with a single reduction */
struct HeptaFusedCGMethod : HeptaKSPMethod {
  using HeptaKSPMethod::HeptaKSPMethod;

  KSP_FusedCG *cg    = (KSP_FusedCG *)ksp->data;
  PetscReal    alpha = 1; /* of the iteration before */

  PetscErrorCode Note(const hepta::ksp::Entry &) override;
};

/* fusedcg_solve.cxx */
PETSC_INTERN PetscErrorCode KSPSolve_FusedCG(KSP);
/*
   fusedcg_null.cxx: take and restore the part of x in the null space, which iterations without KSP_RemoveNullSpace() change;
   *part is null for a zero guess
*/
PETSC_INTERN PetscErrorCode HeptaFusedCGTakeNullPart(KSP, MatNullSpace, Vec *part);
PETSC_INTERN PetscErrorCode HeptaFusedCGPutNullPart(KSP, MatNullSpace, Vec *part);
/*
   *null_last <- is the first residual r orthogonal to the null space, so that the iterations need not remove the null space?
   Otherwise the system has no solution: fusedcg then does what cg does, and dpcg raises an error. q: work space
*/
PETSC_INTERN PetscErrorCode HeptaFusedCGCheckConsistent(KSP, MatNullSpace, Vec r, Vec q, bool *null_last);
/* single_solve.cxx: the iterations, which start from r, z and (r, z) */
PETSC_INTERN PetscErrorCode HeptaFusedCGIterateSingle(KSP, hepta::ksp::State);
/* ../dpcg/dpcg.cxx: the preconditioner inside PC subdeflation; another PC is an error */
PETSC_INTERN PetscErrorCode HeptaDPCGInner(KSP, PC *);
/* for the set-up, before the set-up of the preconditioner: an error for a preconditioner or a matrix that dpcg cannot use */
PETSC_INTERN PetscErrorCode HeptaDPCGCheck(KSP);
/* z <- z with the part of recycled vectors, y <- E^-1 (Z^T r - (A Z)^T z) for the deflated z + Z y; running: the state of the
   iterations, null outside */
PETSC_INTERN PetscErrorCode HeptaDPCGCorrect(KSP, Vec r, Vec z, const hepta::ksp::State *running);
/* sets label and y of the passes, in this space */
PETSC_INTERN PetscErrorCode HeptaDPCGTables(KSP, const HeptaSpace &, hepta::ksp::CG *);
/* what prevents a recording, empty for nothing */
PETSC_INTERN std::string HeptaDPCGOutside(KSP);
/*
   true_residual.cxx: after convergence by the recurrence, sets ksp->reason by the norm of b - A x. *again <- should the method
   start again from r <- b - A x? *before: the norm at the start before, infinity for none. z: a work vector
*/
PETSC_INTERN PetscErrorCode HeptaFusedCGVerify(KSP, Vec r, Vec z, PetscReal *before, bool *again);
PETSC_INTERN PetscErrorCode KSPFusedCGSetTrueResidual_FusedCG(KSP, PetscBool);
/* error_estimate.cxx */
PETSC_INTERN PetscErrorCode KSPFusedCGSetErrorEstimate_FusedCG(KSP, PetscBool);
PETSC_INTERN PetscErrorCode KSPFusedCGGetErrorEstimate_FusedCG(KSP, PetscInt *, PetscReal *);
/*
   fusedcg_eigen.cxx: d <- the eigenvalues, ascending, of the symmetric tridiagonal matrix with the diagonal d; beside: its other
   entries and one number more, overwritten. *vectors <- the eigenvectors by columns, unless vectors is null
*/
PETSC_INTERN PetscErrorCode HeptaTridiagonalEigen(std::vector<PetscReal> &d, std::vector<PetscReal> &beside,
                                                  std::vector<PetscReal> *vectors);
PETSC_INTERN PetscErrorCode KSPComputeExtremeSingularValues_FusedCG(KSP, PetscReal *, PetscReal *);
PETSC_INTERN PetscErrorCode KSPComputeEigenvalues_FusedCG(KSP, PetscInt, PetscReal *, PetscReal *, PetscInt *);

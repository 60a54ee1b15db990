/*
   Fused CG of a matrix with a null space N. If r is orthogonal to N, the component of M^-1 r in N changes neither r nor
   (r, M^-1 r), only x and the norm of z. So unless the norm of z is tested, the iterations do not call KSP_RemoveNullSpace(),
   which is not a pass, and at the end x gets back the initial guess's component in N.
*/
#include "fusedcg.h"

PetscErrorCode HeptaFusedCGTakeNullPart(KSP ksp, MatNullSpace null, Vec *part)
{
  PetscFunctionBegin;
  *part = nullptr;
  if (ksp->guess_zero) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(ksp->vec_sol, part));
  PetscCall(VecCopy(ksp->vec_sol, *part));
  PetscCall(MatNullSpaceRemove(null, *part));
  PetscCall(VecAYPX(*part, -1, ksp->vec_sol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGPutNullPart(KSP ksp, MatNullSpace null, Vec *part)
{
  PetscFunctionBegin;
  if (ksp->its > 0) {
    PetscCall(MatNullSpaceRemove(null, ksp->vec_sol));
    if (*part) PetscCall(VecAXPY(ksp->vec_sol, 1, *part));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGCheckConsistent(KSP ksp, MatNullSpace null, Vec r, Vec q, bool *null_last)
{
  const bool deflated = ((KSP_FusedCG *)ksp->data)->deflated;
  PetscReal  size, part, b;

  PetscFunctionBegin;
  PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &b));
  const PetscReal rounding = 100 * PETSC_MACHINE_EPSILON * b;
  PetscCall(VecCopy(r, q));
  PetscCall(MatNullSpaceRemove(null, q));
  PetscCall(VecAXPY(q, -1, r));
  PetscCall(VecNorm(r, NORM_2, &size));
  PetscCall(VecNorm(q, NORM_2, &part));
  PetscCheck(!deflated || part <= 1e-6 * size + rounding, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_WRONG,
             "The residual of the first guess has a part of norm %g in the null space of the matrix, and a norm of %g, so there "
             "is no solution: use MatNullSpaceRemove(), or -ksp_type fusedcg, which goes on without that part",
             (double)part, (double)size);
  /* the part stays in r: after a guess with |r| above |b|, convergence to a small part of |b| must not end there */
  const PetscReal least = b > 0 ? PetscMin(size, b) : size;
  *null_last            = deflated || part <= 1e4 * PETSC_MACHINE_EPSILON * least + rounding;
  PetscFunctionReturn(PETSC_SUCCESS);
}

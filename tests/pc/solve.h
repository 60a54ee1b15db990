/* Solves whose answers are looked at, for the tests of preconditioners */
#pragma once

#include "pair.h"

/* cg with a preconditioner of the type, and what options say */
static inline PetscErrorCode NewKSP(Mat A, const char pc_type[], KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, KSPCG));
  PetscCall(KSPSetTolerances(*ksp, 1e-9, PETSC_CURRENT, PETSC_CURRENT, 300));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, pc_type));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves for A times a random vector, and looks at the residual */
static inline PetscErrorCode CheckSolve(KSP ksp, const std::string &what, PetscInt *its = nullptr)
{
  Mat                A;
  Vec                x, b, r;
  PetscReal          nr, nb;
  PetscScalar       *a;
  PetscInt           start, end;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecGetOwnershipRange(x, &start, &end));
  PetscCall(VecGetArrayWrite(x, &a));
  for (PetscInt i = start; i < end; i++) a[i - start] = PairNumber(i, 3, 1);
  PetscCall(VecRestoreArrayWrite(x, &a));
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: reason %d", what.c_str(), (int)reason);
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(b, NORM_2, &nb));
  PetscCall(VecNorm(r, NORM_2, &nr));
  PetscCheck(nr <= 1e-8 * nb, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: residual %g of %g", what.c_str(), (double)nr, (double)nb);
  if (its) PetscCall(KSPGetIterationNumber(ksp, its));
  for (Vec *v : {&x, &b, &r}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

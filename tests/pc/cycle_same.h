/* A kept solver beside a new one */
#pragma once

#include "cycle_grid.h"

/* What the preconditioner makes of a random vector */
static inline PetscErrorCode Applied(KSP ksp, Vec *y)
{
  Mat A;
  PC  pc;
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, nullptr));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatCreateVecs(A, &x, y));
  PetscCall(CycleRandom(x, 3));
  PetscCall(PCApply(pc, x, *y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kept solver solves, and its applications have the bits of a new one's with the same options, whose view holds the words */
static inline PetscErrorCode SameAsNew(KSP kept, const std::string &options, const char words[], const std::string &what)
{
  Mat       A;
  KSP       ksp;
  PC        pc;
  Vec       y[2];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(kept, &A, nullptr));
  PetscCall(CheckSolve(kept, what));
  PetscCall(KSPGetPC(kept, &pc));
  PetscCall(CheckView(pc, {words}));
  PetscCall(CycleKSP(A, options, &ksp));
  PetscCall(CheckSolve(ksp, what + ", a new solver"));
  PetscCall(Applied(kept, &y[0]));
  PetscCall(Applied(ksp, &y[1]));
  PetscCall(VecEqual(y[0], y[1], &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: not what a new solver does", what.c_str());
  PetscCall(Destroy(&y[0], &y[1], &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

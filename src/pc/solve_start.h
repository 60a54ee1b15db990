/*
   KSPSolve() calls PCPreSolve() and locks the right-hand side before the method, and undoes both after the method, but not after
   an error: PETSc would refuse the third solve, and the right-hand side would stay locked. HeptaSolveStart undoes both after an
   error.
*/
#pragma once

#include <petsc/private/kspimpl.h>
#include <petsc/private/pcimpl.h>

#include "../shared/heptaimpl.h"

class HeptaSolveStart {
public:
  /* A solve with the right-hand side b. begun: 1 where KSPSolve() calls a method, 0 before KSPSolve() is called. */
  HeptaSolveStart(KSP, Vec b, PetscInt begun);
  /* Called after an error; a second call for a solve does nothing. Not collective: other ranks may have no error. */
  void Undo() const;

private:
  KSP      ksp;
  PC       pc;
  Vec      b;
  PetscInt presolves, locks = 0; /* the calls of PCPreSolve(), and the locks of b, before this solve */
};

/* Takes locks off a vector until `left` locks are left, since an operation that ends in an error leaves its locks */
PETSC_INTERN void HeptaUnlock(Vec, PetscInt left);

/*
   Runs `steps` before a solve, as an operation of PETSc's table. After new values without KSPSetOperators() KSPSolve() sets the
   preconditioner up before PETSc 3.26 at the first PCApply() only, which would be after `steps`.
*/
template <PetscErrorCode (*steps)(PC, KSP)> PetscErrorCode HeptaPCPreSolve(PC pc, KSP ksp, Vec, Vec)
{
  PetscFunctionBegin;
  PetscErrorCode code = PCSetUp(pc);
  if (!code) code = HeptaNoThrow<steps>(pc, ksp);
  if (code) pc->presolvedone--; /* PETSc calls no PCPostSolve() after an error, and would refuse a third PCPreSolve() */
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Does the method take a preconditioner in float, linear and symmetric up to 1e-7? True for methods that use the preconditioner
   for directions only, and compute residuals of the system itself; any other method would report less than its true residual, or
   break down. False for KSPPREONLY, since the method around KSPPREONLY is not known.
*/
PETSC_INTERN PetscErrorCode HeptaTakesFloat(KSP, PetscBool *takes);

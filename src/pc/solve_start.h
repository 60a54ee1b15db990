/*
   KSPSolve() calls PCPreSolve() and locks the right-hand side before it calls a method, and undoes both after it, but not if the method
   ends in an error: PETSc would then refuse the third solve, and nobody could write to the right-hand side. So both are undone here.
*/
#pragma once

#include <petsc/private/kspimpl.h>
#include <petsc/private/pcimpl.h>

#include "../shared/heptaimpl.h"

class HeptaSolveStart {
public:
  /* A solve with the right-hand side b. begun: 1 where KSPSolve() calls a method, 0 before KSPSolve() is called. */
  HeptaSolveStart(KSP, Vec b, PetscInt begun);
  /* To be called after an error; does nothing if it has been called for the same solve. Not collective: other ranks may have met none. */
  void Undo() const;

private:
  KSP      ksp;
  PC       pc;
  Vec      b;
  PetscInt presolves, locks = 0; /* the calls of PCPreSolve(), and the locks of b, without those of this solve */
};

/* Takes locks off a vector until `left` are left: operations that end in an error leave theirs */
PETSC_INTERN void HeptaUnlock(Vec, PetscInt left);

/* Runs `steps` before a solve, as an operation of PETSc's table */
template <PetscErrorCode (*steps)(PC, KSP)> PetscErrorCode HeptaPCPreSolve(PC pc, KSP ksp, Vec, Vec)
{
  PetscFunctionBegin;
  const PetscErrorCode code = HeptaNoThrow<steps>(pc, ksp);
  if (code) pc->presolvedone--; /* PETSc calls no PCPostSolve() after an error, and refuses a third PCPreSolve() without it */
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Does the method take a preconditioner in float, which is linear and symmetric up to 1e-7? These use it only for directions and
   compute residuals of the system itself; others would report less than their true residual, or break down. KSPPREONLY is none of them: the method around it is not known.
*/
PETSC_INTERN PetscErrorCode HeptaTakesFloat(KSP, PetscBool *takes);

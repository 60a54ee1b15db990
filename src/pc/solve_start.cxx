#include "solve_start.h"

void HeptaUnlock(Vec v, PetscInt left)
{
  PetscInt locks = 0;

  (void)VecLockGet(v, &locks);
  if (locks < 0) (void)VecLockWriteSet(v, PETSC_FALSE);
  for (; locks > left; locks--) (void)VecLockReadPop(v);
}

HeptaSolveStart::HeptaSolveStart(KSP k, Vec rhs, PetscInt begun) : ksp(k), pc(k->pc), b(rhs)
{
  presolves = pc->presolvedone - begun;
  (void)VecLockGet(b, &locks);
  locks -= begun;
}

/*
   PCPreSolve() of some preconditioners, as PCEISENSTAT, changes the right-hand side and the operator; PCPostSolve() restores
   both. PCPostSolve() may be collective, as for PCBDDC, so Undo() calls PCPostSolve() on one MPI process only. PCSUBDEFLATION has
   nothing to restore.
*/
void HeptaSolveStart::Undo() const
{
  PetscBool   subdeflation = PETSC_FALSE;
  PetscMPIInt size         = 0;

  for (PetscInt k = 0; k < ksp->nwork; k++) HeptaUnlock(ksp->work[k], 0);
  if (ksp->vec_sol) HeptaUnlock(ksp->vec_sol, 0);
  if (ksp->vec_rhs == b) HeptaUnlock(b, locks);
  if (ksp->pc != pc || pc->presolvedone <= presolves) return;
  (void)PetscObjectTypeCompare((PetscObject)pc, PCSUBDEFLATION, &subdeflation);
  (void)MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size);
  pc->presolvedone = presolves + 1; /* of this solve; further calls are of inner solves */
  if (size == 1 && pc->ops->postsolve && !subdeflation) (void)PCPostSolve(pc, ksp);
  else pc->presolvedone--;
}

PetscErrorCode HeptaTakesFloat(KSP ksp, PetscBool *takes)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, takes, KSPCG, KSPFCG, KSPFUSEDCG, KSPMINRES, KSPFGMRES, KSPGCR,
                                      KSPCHEBYSHEV, KSPRICHARDSON, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

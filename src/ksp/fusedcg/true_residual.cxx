/* The test of b - A x after that of the recurrence's residual */
#include "fusedcg.h"

/*@
  KSPFusedCGSetTrueResidual - Sets that `KSPFUSEDCG` converges only if the norm of b - A x passes the convergence test too

  Logically Collective

  Input Parameters:
+ ksp      - the Krylov method
- residual - `PETSC_TRUE`: two stages, the residual of the recurrence and then b - A x

  Options Database Key:
. -ksp_fusedcg_true_residual <false> - as this function

  Level: intermediate

  Notes:
  Rounding lets the residual of the recurrence fall below b - A x. Once the recurrence converges (`KSP_CONVERGED_RTOL`,
  `KSP_CONVERGED_ATOL`), b - A x is computed, which costs a product, and the convergence test is called again with its norm. If
  that norm is too large, conjugate gradients start again from b - A x, at the same iteration number. If the norm has not halved
  since the last start, the reason is `KSP_DIVERGED_BREAKDOWN`: another start may not help.

  `KSPGetResidualNorm()` is the norm of b - A x, in the norm that is tested. The residual history and the monitors have the norms
  of the recurrence. Estimates of the error are those of the iterations since the last start, eigenvalues those of the start with
  the most iterations. Without effect with `KSP_NORM_NONE` and where the tolerances are for the error; does nothing for a Krylov
  method of another type.

  References:
  M. Verschoor and A. C. Jalba, Analysis and performance estimation of the Conjugate Gradient method on multiple GPUs, Parallel
  Computing 38 (2012), section 4.4 (algorithm 2, which tests b - A x last).

.seealso: `KSPFUSEDCG`, `KSPFusedCGSetErrorEstimate()`, `KSPMonitorTrueResidual()`
@*/
PetscErrorCode KSPFusedCGSetTrueResidual(KSP ksp, PetscBool residual)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveBool(ksp, residual, 2);
  PetscTryMethod(ksp, "KSPFusedCGSetTrueResidual_C", (KSP, PetscBool), (ksp, residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPFusedCGSetTrueResidual_FusedCG(KSP ksp, PetscBool residual)
{
  PetscFunctionBegin;
  ((KSP_FusedCG *)ksp->data)->true_residual = residual;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r <- b - A x, and its norm as the method tests it; z: a work vector */
static PetscErrorCode TrueNorm(KSP ksp, Vec r, Vec z, PetscReal *norm)
{
  PetscScalar rz = 0;

  PetscFunctionBegin;
  PetscCall(HeptaKSPResidual(ksp, r, true));
  if (ksp->normtype != KSP_NORM_UNPRECONDITIONED) PetscCall(KSP_PCApply(ksp, r, z));
  if (ksp->normtype == KSP_NORM_NATURAL) PetscCall(VecDot(r, z, &rz));
  PetscCall(HeptaKSPNorm(ksp, r, z, rz, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGVerify(KSP ksp, Vec r, Vec z, PetscReal *before, bool *again)
{
  const KSP_FusedCG *cg = (const KSP_FusedCG *)ksp->data;
  PetscReal          norm;

  PetscFunctionBegin;
  *again = false;
  if (!cg->true_residual || cg->Tests(ksp) || !ksp->its || ksp->normtype == KSP_NORM_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  if (ksp->reason != KSP_CONVERGED_RTOL && ksp->reason != KSP_CONVERGED_ATOL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TrueNorm(ksp, r, z, &norm));
  ksp->rnorm  = norm;
  ksp->reason = KSP_CONVERGED_ITERATING;
  PetscCall((*ksp->converged)(ksp, ksp->its, norm, &ksp->reason, ksp->cnvP));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  *again = ksp->its < ksp->max_it && norm <= *before / 2;
  if (!*again) ksp->reason = ksp->its < ksp->max_it ? KSP_DIVERGED_BREAKDOWN : KSP_DIVERGED_ITS;
  PetscCall(PetscInfo(ksp, "Iteration %" PetscInt_FMT ": the norm of b - A x is %g; %s\n", ksp->its, (double)norm,
                      *again ? "starting again" : "no further"));
  *before = norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

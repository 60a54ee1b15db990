#include "error_estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fusedcg.h"

/* Sums go from the last term to the first, which is from small terms to large ones */
static double Sum(const std::vector<double> &terms, size_t first, size_t end)
{
  return std::accumulate(terms.rbegin() + (ptrdiff_t)(terms.size() - end), terms.rend() - (ptrdiff_t)first, 0.);
}

void HeptaErrorEstimate::Add(double decrease)
{
  const size_t k    = decreases.size();
  double       rest = decrease, most = 0; /* D_j + ... + D_k, and S */

  decreases.push_back(decrease);
  for (size_t j = k; j-- > 0 && decrease > fall * rest;) {
    rest += decreases[j];
    most = std::max(most, rest / decreases[j]);
  }
  for (size_t l = estimates.size(); l < k; l++) {
    const double square = Sum(decreases, l, k);
    if (!(most * decrease <= tolerance * square)) break;
    estimates.push_back(std::sqrt(square));
  }
}

PetscReal HeptaErrorEstimate::First() const
{
  return (PetscReal)std::sqrt(Sum(decreases, 0, decreases.size()));
}

/*@
  KSPFusedCGSetErrorEstimate - Sets that the tolerances of `KSPFUSEDCG` are for the estimated energy norm of the error,
  ||x - x_k||_A, instead of the norm of the residual

  Logically Collective

  Input Parameters:
+ ksp      - the Krylov method
- estimate - `PETSC_TRUE`: the iterations stop at an estimate of at most rtol times the error of the initial guess, or atol

  Options Database Keys:
+ -ksp_fusedcg_error_estimate <false> - as this function
- -ksp_monitor_fusedcg_error          - print the estimate of each iteration when it is known; does not change the tolerances

  Level: intermediate

  Notes:
  A small residual does not mean a small error: where coefficients jump by a factor of 1000, a residual of 1e-8 may go with an
  error of one half. The energy norm weighs the error as the problem does, for a pressure equation by the flow. With a zero
  initial guess rtol is relative to ||x||_A.

  The estimate is a lower bound from the scalars of the iterations, which costs no pass and no product. It is known some
  iterations later, when further iterations lessen the error little: mostly 1 to 10 with multigrid, a tenth to two fifths of all
  iterations with a weak preconditioner. With `PCGRIDMG` and `PCAGGMG` it is from 0.67 to 1 times the error in pressure equations
  of two-phase flow. A weak preconditioner of coefficients that jump leaves a small eigenvalue; before the iterations have found
  it, the error stands still, and the estimate may be 0.05 times the error for a contrast of 1e3, and 0.001 times the error for a
  contrast of 1e7. Where rounding keeps x from getting better, the estimate goes on falling, as the residual of the recurrence
  does.

  The test is made after iterations 1, 2, 3, ... 16, 18, 20, ..., each time an eighth later, because the device waits for the host
  meanwhile. `KSPSetTolerances()`'s divtol and the monitors are for the norm of the residual, as otherwise. A convergence test of
  the program's own is used in place of this test. The iterations are in double, whatever `KSPFusedCGSetPrecision()` says. Does
  nothing for a Krylov method of another type.

  References:
  G. Meurant, J. Papez, P. Tichy, Accurate error estimation in CG, Numerical Algorithms 88, 2021, section 3, with a tolerance of
  1/50; Z. Strakos, P. Tichy, On error estimation in the conjugate gradient method and why it works in finite precision
  computations, Electronic Transactions on Numerical Analysis 13, 2002, section 3.

.seealso: `KSPFUSEDCG`, `KSPFusedCGGetErrorEstimate()`, `KSPSetTolerances()`, `KSPMonitorError()`
@*/
PetscErrorCode KSPFusedCGSetErrorEstimate(KSP ksp, PetscBool estimate)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveBool(ksp, estimate, 2);
  PetscTryMethod(ksp, "KSPFusedCGSetErrorEstimate_C", (KSP, PetscBool), (ksp, estimate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPFusedCGGetErrorEstimate - Gets the latest iteration of `KSPFUSEDCG` whose error is estimated, and the estimate

  Not Collective

  Input Parameter:
. ksp - the Krylov method, with `KSPFusedCGSetErrorEstimate()` or `-ksp_monitor_fusedcg_error`

  Output Parameters:
+ it    - the iteration, of the last solve or of this one if a monitor asks; -1 if no error is estimated
- error - the estimated energy norm of the error of the iteration's x; 0 if no error is estimated

  Level: intermediate

  Note:
  A Krylov method of another type has no estimate.

.seealso: `KSPFUSEDCG`, `KSPFusedCGSetErrorEstimate()`
@*/
PetscErrorCode KSPFusedCGGetErrorEstimate(KSP ksp, PetscInt *it, PetscReal *error)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscAssertPointer(it, 2);
  PetscAssertPointer(error, 3);
  *it    = -1;
  *error = 0;
  PetscTryMethod(ksp, "KSPFusedCGGetErrorEstimate_C", (KSP, PetscInt *, PetscReal *), (ksp, it, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPFusedCGSetErrorEstimate_FusedCG(KSP ksp, PetscBool estimate)
{
  PetscFunctionBegin;
  ((KSP_FusedCG *)ksp->data)->tests_error = estimate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KSPFusedCGGetErrorEstimate_FusedCG(KSP ksp, PetscInt *it, PetscReal *error)
{
  const KSP_FusedCG        *cg       = (const KSP_FusedCG *)ksp->data;
  const HeptaErrorEstimate &estimate = cg->error;

  PetscFunctionBegin;
  const PetscInt last = estimate.Known() - 1;
  *it                 = last < 0 ? -1 : cg->start + last;
  if (last >= 0) *error = estimate.Of(last);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints the estimates that iteration `it` has made known */
PetscErrorCode HeptaFusedCGMonitorError(KSP ksp, PetscInt it, PetscReal, PetscViewerAndFormat *vf)
{
  PetscBool fusedcg;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPFUSEDCG, &fusedcg));
  PetscCheck(fusedcg, PetscObjectComm((PetscObject)ksp), PETSC_ERR_SUP, "-ksp_monitor_fusedcg_error is for KSP fusedcg, not %s",
             ((PetscObject)ksp)->type_name);
  KSP_FusedCG *cg = (KSP_FusedCG *)ksp->data;
  PetscCall(PetscViewerPushFormat(vf->viewer, vf->format));
  PetscCall(PetscViewerASCIIAddTab(vf->viewer, ((PetscObject)ksp)->tablevel));
  for (; cg->shown < cg->error.Known(); cg->shown++)
    PetscCall(PetscViewerASCIIPrintf(
      vf->viewer, "%3" PetscInt_FMT " energy norm of the error %14.12e, known at iteration %" PetscInt_FMT "\n",
      cg->start + cg->shown, (double)cg->error.Of(cg->shown), it));
  PetscCall(PetscViewerASCIISubtractTab(vf->viewer, ((PetscObject)ksp)->tablevel));
  PetscCall(PetscViewerPopFormat(vf->viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool KSP_FusedCG::Tests(KSP ksp) const
{
  return tests_error && ksp->converged == KSPConvergedDefault;
}

/*
   Iteration 0 has no estimate. Tests by the newest estimate, since later iterations have a smaller error, and only after
   iteration next_test, where the passes pause, so that x is that of this iteration.
*/
PetscErrorCode KSP_FusedCG::Test(KSP ksp, PetscInt it, PetscReal norm)
{
  PetscFunctionBegin;
  if (it == 0) {
    ksp->rnorm0 = norm;
    next_test   = 1;
    if (norm == 0 && ksp->normtype != KSP_NORM_NONE) ksp->reason = KSP_CONVERGED_ATOL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ksp->normtype != KSP_NORM_NONE && norm >= ksp->divtol * ksp->rnorm0) ksp->reason = KSP_DIVERGED_DTOL;
  if (ksp->reason || it < next_test) PetscFunctionReturn(PETSC_SUCCESS);
  next_test = it + PetscMax(1, it / 8);
  if (!error.Known() || it < ksp->min_it) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscReal last = error.Of(error.Known() - 1);
  if (last <= ksp->abstol) ksp->reason = KSP_CONVERGED_ATOL;
  else if (last <= ksp->rtol * error.First()) ksp->reason = KSP_CONVERGED_RTOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Processing of reported iterations for a KSP, and the vectors that its passes work on */
#include <cmath>

#include "operators.h"

using namespace hepta::ksp;

static_assert((Norm)KSP_NORM_NONE == Norm::none && (Norm)KSP_NORM_PRECONDITIONED == Norm::preconditioned &&
                (Norm)KSP_NORM_UNPRECONDITIONED == Norm::unpreconditioned && (Norm)KSP_NORM_NATURAL == Norm::natural,
              "Norm has the numbers of KSPNormType");

PetscErrorCode HeptaKSPArrays::Get()
{
  PetscMemType type = PETSC_MEMTYPE_HOST, first = PETSC_MEMTYPE_HOST;
  bool         same = true;

  PetscFunctionBegin;
  if (depth++) PetscFunctionReturn(PETSC_SUCCESS);
  a.resize(vecs.size());
  for (size_t k = 0; !fetched && k < vecs.size(); k++) {
    PetscCall(VecGetArrayAndMemType(vecs[k], &a[k], &type));
    if (k == 0) first = type;
    same = same && PetscMemTypeHost(first) == PetscMemTypeHost(type);
  }
  if (!same) {
    PetscCall(Restore());
    fetched = true;
    depth   = 1;
  }
  for (size_t k = 0; fetched && k < vecs.size(); k++) PetscCall(VecGetArray(vecs[k], &a[k]));
  PetscCall(HeptaSpaceOf(fetched ? PETSC_MEMTYPE_HOST : first, &space));
  PetscCall(blocks.Access(space, HeptaAccess::read, &d));
  if (user) PetscCall(user->Fill());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPArrays::Restore()
{
  PetscFunctionBegin;
  if (depth <= 0 || --depth) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t k = vecs.size(); k-- > 0;)
    PetscCall(fetched ? VecRestoreArray(vecs[k], &a[k]) : VecRestoreArrayAndMemType(vecs[k], &a[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPResidual(KSP ksp, Vec r, bool started)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  if (ksp->guess_zero && !started) PetscCall(VecCopy(ksp->vec_rhs, r));
  else {
    PetscCall(KSP_MatMult(ksp, A, ksp->vec_sol, r));
    PetscCall(VecAYPX(r, -1, ksp->vec_rhs));
  }
  PetscCall(VecFlag(r, ksp->reason == KSP_DIVERGED_PC_FAILED));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPLooksAtNormOnly(KSP ksp, bool *only)
{
  PetscFunctionBegin;
  *only = (ksp->converged == KSPConvergedDefault || ksp->converged == KSPConvergedSkip) && ksp->min_it <= 1 && ksp->chknorm <= 1;
  for (PetscInt k = 0; k < ksp->numbermonitors; k++) {
    *only = *only && (ksp->monitor[k] == (KSPMonitorFn *)KSPMonitorResidual ||
                      ksp->monitor[k] == (KSPMonitorFn *)HeptaNoThrow<HeptaFusedCGMonitorError>);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* History, monitors, convergence test */
static PetscErrorCode SeeNorm(KSP ksp, PetscInt it, PetscReal norm)
{
  HeptaKSPData *data = (HeptaKSPData *)ksp->data;

  PetscFunctionBegin;
  ksp->its   = it;
  ksp->rnorm = norm;
  KSPCheckNorm(ksp, norm);
  PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscCall(KSPMonitor(ksp, it, norm));
  if (data->Tests(ksp)) PetscCall(data->Test(ksp, it, norm));
  else PetscCall((*ksp->converged)(ksp, it, norm, &ksp->reason, ksp->cnvP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPNorm(KSP ksp, Vec r, Vec z, PetscScalar product, PetscReal *norm)
{
  PetscFunctionBegin;
  *norm = 0;
  if (ksp->normtype == KSP_NORM_NATURAL) *norm = PetscSqrtReal(PetscAbsScalar(product));
  else if (ksp->normtype != KSP_NORM_NONE) PetscCall(VecNorm(ksp->normtype == KSP_NORM_PRECONDITIONED ? z : r, NORM_2, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPSeeFirst(KSP ksp, Vec r, Vec z, PetscScalar product)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(HeptaKSPNorm(ksp, r, z, product, &norm));
  PetscCall(SeeNorm(ksp, 0, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPSee(HeptaKSPMethod &method, int it, const Entry &entry)
{
  const KSP  ksp       = method.ksp;
  const bool unchecked = it < ksp->chknorm && ksp->normtype != KSP_NORM_NATURAL; /* -ksp_check_norm_iteration */

  PetscFunctionBegin;
  PetscCall(HeptaLogFlops(method.ops.arrays.space, method.flops + method.iterations.FlopsOfReplay()));
  PetscCall(method.Note(entry));
  PetscCall(SeeNorm(ksp, it, !unchecked ? entry.norm : method.keeps_norm ? ksp->rnorm : 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaKSPMethod::Broken(const State &s)
{
  PetscFunctionBegin;
  if (ksp->its >= ksp->max_it) {
    ksp->reason = KSP_DIVERGED_ITS;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s.breakdown == Breakdown::none) PetscFunctionReturn(PETSC_SUCCESS);
  ksp->its++;
  switch (s.breakdown) {
  case Breakdown::not_finite: KSPCheckDot(ksp, (PetscScalar)NAN); break;
  case Breakdown::zero_residual: ksp->reason = KSP_CONVERGED_ATOL; break;
  case Breakdown::preconditioner:
    PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED,
               "Diverged due to indefinite preconditioner");
    ksp->reason = KSP_DIVERGED_INDEFINITE_PC;
    break;
  case Breakdown::matrix:
    PetscCheck(!ksp->errorifnotconverged || ksp->converged_neg_curve, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED,
               "Diverged due to indefinite matrix");
    ksp->reason = ksp->converged_neg_curve ? KSP_CONVERGED_NEG_CURVE : KSP_DIVERGED_INDEFINITE_MAT;
    break;
  default: break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

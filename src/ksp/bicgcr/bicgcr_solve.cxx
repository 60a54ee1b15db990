/* The solve of BiCGCR */
#include "../../pc/subdeflation/subdeflation.h"
#include "bicgcr.h"

using namespace hepta::ksp;

namespace
{

constexpr int X = HEPTA_BICGCR_X, R = HEPTA_BICGCR_R, Z = HEPTA_BICGCR_Z, P = HEPTA_BICGCR_P, Q = HEPTA_BICGCR_Q, U = HEPTA_BICGCR_U, W = HEPTA_BICGCR_W, ZS = HEPTA_BICGCR_ZS, QS = HEPTA_BICGCR_QS, US = HEPTA_BICGCR_US, WS = HEPTA_BICGCR_WS;

/* One solve */
struct Solve {
  KSP                ksp;
  KSP_BiCGCR        *b   = (KSP_BiCGCR *)ksp->data;
  HeptaKSPOperators &ops = b->operators;
  BiCGCR             c   = {};

  Vec            Work(int k) const { return ksp->work[k - 1]; }
  void           Fill();
  PetscErrorCode Plan();
  PetscErrorCode Start(State *);
  PetscErrorCode Shadows(State *);
  PetscErrorCode Iterate(const HeptaSpace &);
  PetscErrorCode Precondition(const HeptaSpace &);
  PetscErrorCode Broken(const State &);
};

/* Sets the pointers of the passes, while the arrays are held */
void Solve::Fill()
{
  const auto &a        = ops.arrays.a;
  const bool  identity = ops.inner == Inner::identity, two = b->two_sided;

  c.x  = a[X];
  c.r  = c.norm == Norm::unpreconditioned && !identity ? a[R] : nullptr; /* otherwise z is r */
  c.z  = a[Z];
  c.p  = a[P];
  c.q  = a[Q];
  c.u  = identity ? c.q : a[U];
  c.w  = a[W];
  c.zs = two ? a[ZS] : nullptr;
  c.qs = two ? a[QS] : nullptr;
  c.us = !two ? nullptr : identity ? c.qs : a[US];
  c.ws = two ? a[WS] : nullptr;
  c.d  = ops.inner == Inner::diagonal ? ops.BlocksNow() : nullptr;
}

PetscErrorCode Solve::Plan()
{
  PetscFunctionBegin;
  PetscCall(ops.Plan(ksp, ksp->pc, HEPTA_BICGCR_VECTORS - 1, W, b->two_sided, b->iterations, c));
  c.norm      = (Norm)ksp->normtype;
  c.two_sided = b->two_sided;
  c.within    = ops.InRows();
  PetscCall(ops.arrays.Get());
  Fill();
  PetscCall(ops.arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u <- M^-1 q, u* <- M^-T q* and the sum (q*, u), if that is not part of a pass */
PetscErrorCode Solve::Precondition(const HeptaSpace &space)
{
  PetscFunctionBegin;
  PetscCall(ops.Apply(space, c, Q, U));
  if (b->two_sided) PetscCall(ops.arrays.Lend([&] { return KSP_PCApplyTranspose(ksp, Work(QS), Work(US)); }));
  Fill();
  HeptaLaunch(space, bicgcr_sum, c);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve::Iterate(const HeptaSpace &space)
{
  ProductSums sums{};

  PetscFunctionBegin;
  Fill();
  HeptaLaunch(space, bicgcr_update, c);
  PetscCall(b->iterations.Reduce(space, index_norm, 1));
  if (b->two_sided) PetscCall(ops.arrays.Lend([&] { return KSP_MatMultTranspose(ksp, ops.A, Work(ZS), Work(WS)); }));
  Fill();
  sums.with   = b->two_sided ? c.zs : c.z;
  sums.first  = index_zw;
  sums.summed = true;
  PetscCall(ops.Multiply(space, c, Z, W, sums));
  PetscCall(b->iterations.Reduce(space, index_zw, 1));
  Fill();
  HeptaLaunch(space, bicgcr_direction, c);
  if (!c.within) PetscCall(Precondition(space));
  PetscCall(b->iterations.Reduce(space, index_qu, 1, HeptaEndOf(end_bicgcr, c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reports breakdowns as PETSc's cr does */
PetscErrorCode Solve::Broken(const State &state)
{
  PetscFunctionBegin;
  if (ksp->its >= ksp->max_it) ksp->reason = KSP_DIVERGED_ITS;
  else if (state.breakdown == Breakdown::not_finite) KSPCheckDot(ksp, (PetscScalar)NAN);
  else if (state.breakdown != Breakdown::none) {
    const bool pc = state.breakdown == Breakdown::preconditioner;

    PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED, "BiCGCR broke down after %" PetscInt_FMT " iterations: %s", ksp->its,
               pc ? "the preconditioner is not positive definite, or matrix or preconditioner are not symmetric (-ksp_bicgcr_symmetric no)" : "an inner product is zero");
    ksp->reason = pc ? KSP_DIVERGED_INDEFINITE_PC : KSP_DIVERGED_BREAKDOWN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z* <- M^-T r, q* <- A^T z*, u* <- M^-T q* */
PetscErrorCode Solve::Shadows(State *s)
{
  PetscScalar rho, qu;
  Mat         A = nullptr;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(KSP_PCApply(ksp, Work(Q), Work(U)));
  if (b->two_sided) {
    PetscCall(KSP_PCApplyTranspose(ksp, Work(R), Work(ZS)));
    PetscCall(KSP_MatMultTranspose(ksp, A, Work(ZS), Work(QS)));
    PetscCall(KSP_PCApplyTranspose(ksp, Work(QS), Work(US)));
  }
  PetscCall(VecDot(Work(Q), Work(b->two_sided ? ZS : Z), &rho));
  PetscCall(VecDot(Work(U), Work(b->two_sided ? QS : Q), &qu));
  s->rho           = rho;
  s->sum[index_qu] = qu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z, p, q, u and their shadows, and the norm of iteration 0, computed as PETSc's cr does */
PetscErrorCode Solve::Start(State *s)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(HeptaKSPResidual(ksp, Work(R)));
  PetscCall(KSP_PCApply(ksp, Work(R), Work(Z)));
  PetscCall(KSP_MatMult(ksp, A, Work(Z), Work(Q)));
  PetscCall(VecCopy(Work(Z), Work(P)));
  PetscCall(Shadows(s));
  PetscCall(HeptaKSPSeeFirst(ksp, Work(R), Work(Z), s->rho));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode KSPSolve_BiCGCR(KSP ksp)
{
  Solve          solve{ksp};
  KSP_BiCGCR    *b = solve.b;
  HeptaKSPMethod method;
  State          state = {};
  PetscBool      known = PETSC_FALSE, symmetric = PETSC_FALSE;
  Mat            A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  b->two_sided = b->given ? !b->symmetric : !(known && symmetric);
  b->solved    = true;
  if (b->two_sided && HeptaDeflates(ksp->pc)) PetscCall(HeptaSubdeflationCheckTransposed(ksp->pc)); /* checked before, since an error during the application would leave vectors locked */
  PetscCall(solve.Start(&state));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(solve.Plan());
  if (PetscIsInfOrNanScalar(state.rho)) state.breakdown = Breakdown::not_finite;
  else state.breakdown = breakdown_of_bicgcr(solve.c, state.sum[index_qu]);
  method.iterate    = [&](const HeptaSpace &space) { return solve.Iterate(space); };
  method.broken     = [&](const State &s) { return solve.Broken(s); };
  method.keeps_norm = true;
  PetscCall(solve.ops.Describe(solve.c, b->two_sided ? 26 : 15, &method));
  PetscCall(b->iterations.Run(ksp, state, method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

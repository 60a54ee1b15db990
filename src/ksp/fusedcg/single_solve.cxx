/* The solve of fused CG with a single reduction */
#include "fusedcg.h"

using namespace hepta::ksp;

namespace
{

/* Numbers of vectors: 0 is x, then those of ksp->work; R, Z and P as in fusedcg_solve.cxx */
enum {
  X,
  R,
  Z,
  W,
  P,
  S,
  R1,
  W1,
  S1,
  vectors
};

/* One solve */
struct Single {
  KSP                ksp;
  KSP_FusedCG       *cg  = (KSP_FusedCG *)ksp->data;
  HeptaKSPOperators &ops = cg->operators;
  SingleCG           c   = {};

  void           Fill();
  PetscErrorCode Plan();
  PetscErrorCode Start(State *);
  PetscErrorCode Iterate(const HeptaSpace &);
};

void Single::Fill()
{
  const auto &a = ops.arrays.a;

  c.x    = a[X];
  c.z    = ops.inner == Inner::identity && !c.two ? a[R] : a[Z];
  c.p    = a[P];
  c.r[0] = a[R];
  c.r[1] = a[R1];
  c.s[0] = a[S];
  c.s[1] = a[S1];
  c.w[0] = a[W];
  c.w[1] = a[W1];
  c.d    = ops.inner == Inner::diagonal ? ops.BlocksNow() : nullptr;
}

PetscErrorCode Single::Plan()
{
  PetscFunctionBegin;
  PetscCall(ops.Plan(ksp, ksp->pc, vectors - 1, P, false, cg->iterations, c));
  c.norm = (Norm)ksp->normtype;
  c.two  = ops.fused && !ops.several && ops.InRows();
  PetscCall(ops.arrays.Get());
  Fill();
  PetscCall(ops.arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* w <- A z, and the coefficients of the first iteration; p and s are zero */
PetscErrorCode Single::Start(State *s)
{
  PetscScalar zw;

  PetscFunctionBegin;
  for (int k : {P, S, S1}) PetscCall(VecSet(ksp->work[k - 1], 0));
  if (s->breakdown != Breakdown::none) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSP_MatMult(ksp, ops.A, ksp->work[Z - 1], ksp->work[W - 1]));
  PetscCall(VecDot(ksp->work[Z - 1], ksp->work[W - 1], &zw));
  s->pq    = zw;
  s->alpha = s->rho / zw;
  if (PetscIsInfOrNanScalar(zw)) s->breakdown = Breakdown::not_finite;
  else if (zw == 0) s->breakdown = Breakdown::matrix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Single::Iterate(const HeptaSpace &space)
{
  PetscFunctionBegin;
  Fill();
#if defined(HEPTA_HAVE_CUDA)
  if (c.two) {
    PetscCall(HeptaLaunchView(*MatBDIADiagonals(ops.fused), space, [&](auto view) { return single_product_cuda(c, view, space.stream); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  HeptaLaunch(space, single_step, c, ops.inner);
  if (!ops.InRows()) PetscCall(ops.Apply(space, c, R, Z, true));
  PetscCall(ops.Multiply(space, c, ops.inner == Inner::identity ? R : Z, W, {}));
  Fill();
  HeptaLaunch(space, single_sums, c);
  PetscCall(cg->iterations.Reduce(space, index_single, most_sums, HeptaEndOf(end_single, c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode HeptaFusedCGIterateSingle(KSP ksp, State state, HeptaKSPMethod *method)
{
  Single solve{ksp};

  PetscFunctionBegin;
  PetscCall(solve.Plan());
  PetscCall(solve.Start(&state));
  method->iterate = [&](const HeptaSpace &space) { return solve.Iterate(space); };
  method->runs_on = !solve.c.two; /* on several ranks and in blocked rows a product without sums is not a pass */
  PetscCall(solve.ops.Describe(solve.c, 11, method));
  PetscCall(solve.cg->iterations.Run(ksp, state, *method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  S1
};

/* One solve */
struct Single : HeptaFusedCGMethod {
  using HeptaFusedCGMethod::HeptaFusedCGMethod;

  SingleCG c = {};

  double         Vectors() const;
  PetscErrorCode Fill() override;
  PetscErrorCode StartState(State *);
  PetscErrorCode Iterate(const HeptaSpace &) override;
};

PetscErrorCode Single::Fill()
{
  const auto &a = ops.arrays.a;

  PetscFunctionBegin;
  c.x    = a[X];
  c.z    = ops.inner == Inner::identity && !c.two ? a[R] : a[Z];
  c.p    = a[P];
  c.r[0] = a[R];
  c.r[1] = a[R1];
  c.s[0] = a[S];
  c.s[1] = a[S1];
  c.w[0] = a[W];
  c.w[1] = a[W1];
  c.d    = ops.inner == Inner::diagonal ? ops.arrays.d : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Read or written: in the one pass r, w, s, p, x and d; otherwise in the step, the product and the sums */
double Single::Vectors() const
{
  const bool identity = ops.inner == Inner::identity, diagonal = ops.inner == Inner::diagonal;

  if (c.two) return 10 + diagonal;
  return (identity ? 9 : diagonal ? 12 : 10 + ops.VectorsOfApply()) + ops.VectorsOfProduct(false) + (identity ? 2 : 3);
}

/* w <- A z, and the coefficients of the first iteration; p and s are zero */
PetscErrorCode Single::StartState(State *s)
{
  PetscScalar zw;

  PetscFunctionBegin;
  for (int k : {P, S, S1}) PetscCall(VecSet(Work(k), 0));
  if (s->breakdown != Breakdown::none) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSP_MatMult(ksp, ops.A, Work(Z), Work(W)));
  PetscCall(VecDot(Work(Z), Work(W), &zw));
  s->pq    = zw;
  s->alpha = s->rho / zw;
  if (PetscIsInfOrNanScalar(zw)) s->breakdown = Breakdown::not_finite;
  else if (zw == 0) s->breakdown = Breakdown::matrix;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Single::Iterate(const HeptaSpace &space)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (c.two) {
    PetscCall(HeptaLaunchView(*MatBDIADiagonals(ops.fused), space,
                              [&](auto view) { return single_product_cuda(c, view, space.stream); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  HeptaLaunchEach(space, single_step, c, ops.inner);
  if (!ops.InRows()) PetscCall(ops.Apply(space, c, R, Z, true));
  PetscCall(ops.Multiply(space, c, ops.inner == Inner::identity ? R : Z, W, {}));
  HeptaLaunchEach(space, run_pass, pass_of<SingleSums>(c));
  PetscCall(iterations.Reduce(space, index_single, most_sums, HeptaEndOf<SingleSums>(c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode HeptaFusedCGIterateSingle(KSP ksp, State state)
{
  Single solve(ksp);

  PetscFunctionBegin;
  PetscCall(solve.ops.Plan(ksp, ksp->pc, P, false, solve.iterations, solve.c));
  solve.c.norm = (Norm)ksp->normtype;
  solve.c.two  = solve.ops.fused && !solve.ops.several && solve.ops.InRows();
  PetscCall(solve.StartState(&state));
  solve.runs_on = !solve.c.two; /* on several ranks and in blocked rows a product without sums is not a pass */
  PetscCall(solve.Describe(solve.c, {12, 1, 1, solve.Vectors(), true}));
  PetscCall(solve.iterations.Run(solve, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations of fused CG in float inside an outer iteration in double, see FloatSolve */
#include "float_solve.h"

using namespace hepta::ksp;

/*
   Outer steps are due by FALL and LESS of grid_row.hxx. If b - A x is WORSE times as large as the recurrence's residual after a fall
   by LESS, the rounding of A is too large for this solve.
*/
constexpr double WORSE = 3;
/* Float is also given up when the next outer step takes SLOWER times the iterations that the solve has taken for such a fall */
constexpr double SLOWER = 3;

PetscErrorCode HeptaFloatCGData::Free()
{
  PetscFunctionBegin;
  for (HeptaValues *v : {&increment, &vectors, &matrix, &inverse, &solve}) PetscCall(v->Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFloatCG::Fill()
{
  const HeptaSpace space = ops.arrays.space;
  float           *f;

  PetscFunctionBegin;
  PetscCall(own.increment.Access(space, HeptaAccess::read_write, &c.x));
  PetscCall(own.vectors.Access(space, HeptaAccess::read_write, &f));
  c.r    = f;
  c.z    = ops.inner == Inner::identity ? c.r : f + c.n;
  c.q    = f + 2 * c.n;
  c.p[0] = f + 3 * c.n;
  c.p[1] = f + 4 * c.n;
  PetscCall(own.matrix.Access(space, HeptaAccess::read, &values[0]));
  if (ops.inner != Inner::identity) PetscCall(own.inverse.Access(space, HeptaAccess::read, &values[1]));
  c.d = values[1];
  PetscCall(own.solve.Access(space, HeptaAccess::read_write, &c.floats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A' and m M, or m times the inverse diagonal blocks */
PetscErrorCode HeptaFloatCG::TakeMatrices(const HeptaSpace &space, FloatSolve *w)
{
  hepta::bdia::Diagonals &A = *MatBDIADiagonals(ops.A);
  const size_t            blocks = c.n * (size_t)ops.BlockSize();
  float                  *to;

  PetscFunctionBegin;
  PetscCall(own.matrix.Make(space, A.Size(), &to));
  PetscCall(HeptaVisit(A, space, HeptaAccess::read, [&](auto view) {
    PetscFunctionBegin;
    HeptaLaunchEach(space, find_unit, view, main_diagonal(view), w);
    HeptaLaunchEach(space, take_floats, A.Size(), view.v, (const FloatSolve *)w, true, to);
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  if (M) {
    hepta::bdia::Diagonals &inverse = *MatBDIADiagonals(M);
    PetscCall(own.inverse.Make(space, inverse.Size(), &to));
    PetscCall(HeptaVisit(inverse, space, HeptaAccess::read, [&](auto view) {
      PetscFunctionBegin;
      HeptaLaunchEach(space, take_floats, inverse.Size(), view.v, (const FloatSolve *)w, false, to);
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
  } else if (ops.inner != Inner::identity) {
    PetscCall(own.inverse.Make(space, blocks, &to));
    PetscCall(ops.arrays.Get());
    HeptaLaunchEach(space, take_floats, blocks, ops.arrays.d, (const FloatSolve *)w, false, to);
    PetscCall(ops.arrays.Restore());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes room, and the matrices; rho: the norm of the first residual */
PetscErrorCode HeptaFloatCG::Begin(PetscReal rho)
{
  const HeptaSpace space = ops.arrays.space;
  FloatSolve      *w;
  float           *f;

  PetscFunctionBegin;
  PetscCall(own.solve.Make(HeptaSpace(), 1, &w));
  *w      = {};
  w->rho  = w->most = w->norm = rho;
  w->m    = ops.inner == Inner::identity ? 1 : 0;
  w->fall = FALL;
  w->starting = 1;
  w->until    = PETSC_INT32_MAX;
  PetscCall(own.increment.Make(space, c.n, &f));
  PetscCall(own.vectors.Make(space, 5 * c.n, &f));
  PetscCall(own.vectors.Zero(space));
  PetscCall(own.solve.Access(space, HeptaAccess::read_write, &w));
  PetscCall(TakeMatrices(space, w));
  c.norm = (Norm)ksp->normtype;
  c.two  = space.device;
  c.bs   = (int)ops.BlockSize();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z' and the sums, after x' and r' */
PetscErrorCode HeptaFloatCG::Precondition(const HeptaSpace &space)
{
  PetscFunctionBegin;
  HeptaLaunch(space, update, c, ops.inner);
  if (M) {
    PetscCall(WithFloats(M, values[1], space, [&](const auto &view) {
      PetscFunctionBegin;
      HeptaLaunch(space, float_inner, c, view);
      PetscFunctionReturn(PETSC_SUCCESS);
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFloatCG::Iterate(const HeptaSpace &space)
{
  PetscFunctionBegin;
  PetscCall(WithFloats(ops.A, values[0], space, [&](const auto &view) {
    PetscFunctionBegin;
    HeptaLaunch(space, float_direction, c, view);
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(Precondition(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFloatCG::Start()
{
  const HeptaSpace space = ops.arrays.space;

  PetscFunctionBegin;
  PetscCall(ops.arrays.Get());
  HeptaLaunchEach(space, begin_outer, c.n, (const PetscScalar *)ops.arrays.a[R], c);
  PetscCall(Precondition(space));
  PetscCall(ops.arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x with x', b - A x, and the tested norm, which the iteration is reported with */
PetscErrorCode HeptaFloatCG::Step(const FloatSolve &w)
{
  PetscReal norm;

  PetscFunctionBegin;
  if (finite(w.norm)) {
    PetscCall(ops.arrays.Get());
    HeptaLaunchEach(ops.arrays.space, end_outer, c.n, c, ops.arrays.a[X]);
    PetscCall(ops.arrays.Restore());
  }
  steps++;
  PetscCall(HeptaFusedCGTrueNorm(ksp, Work(R), Work(Z), &norm));
  if (w.due) PetscCall(HeptaKSPSee(*this, last.it, {norm, w.m / w.a * last.alpha, last.beta, w.rho * w.rho / w.m * last.rho}));
  if (!ksp->reason && ksp->its >= ksp->max_it) ksp->reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iteration that ends the patience, after a fall of the residual by 1 / fallen in `it` iterations; no limit before much fell */
static int Until(double fallen, double fall, int it)
{
  const double next = fallen > 3 ? it * (1 + SLOWER * std::log(1 / fall) / std::log(fallen)) + 100 : PETSC_INT32_MAX;

  return next < PETSC_INT32_MAX ? (int)next : PETSC_INT32_MAX;
}

/* An outer step; where float goes no further, double goes on */
PetscErrorCode HeptaFloatCG::Broken(const State &s)
{
  FloatSolve *w;
  PetscReal   norm;

  PetscFunctionBegin;
  PetscCall(own.solve.Access(HeptaSpace(), HeptaAccess::read_write, &w));
  const FloatSolve now = *w;
  last = s;
  left = true;
  PetscCall(Step(now));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(Work(R), NORM_2, &norm));
  in_double = s.breakdown != Breakdown::none || !finite(now.norm) || (now.fall > FALL && norm > WORSE * now.norm) ||
              s.it >= now.until;
  PetscCall(own.solve.Access(HeptaSpace(), HeptaAccess::read_write, &w)); /* after a use on the device */
  *w = now;
  if (norm > (1 + LESS) * now.norm) w->fall = LESS;
  w->most     = norm;
  w->starting = 1;
  w->until    = Until(now.rho / norm, w->fall, s.it);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of floats count half: those of the passes of Solve in fusedcg_solve.cxx */
double HeptaFloatCG::Vectors() const
{
  const double first = ops.arrays.space.device ? 4 : 7, last = M ? 2 : ops.inner == Inner::identity ? 0 : 1. + (double)c.bs;

  return (first + 6 + last) / 2;
}

PetscErrorCode HeptaFusedCGWhyDouble(KSP ksp, bool null_last, std::string *why)
{
  const KSP_FusedCG *cg = (const KSP_FusedCG *)ksp->data;
  Mat                A;
  MatNullSpace       null;
  bool               norm_only;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(MatGetNullSpace(A, &null));
  PetscCall(HeptaKSPLooksAtNormOnly(ksp, &norm_only));
  if (cg->single || cg->flexible) *why = "so is this form of the method";
  else if (ksp->transpose_solve) *why = "the solve is transposed";
  else if (null && !null_last) *why = "each iteration removes a null space";
  else if (ksp->normtype == KSP_NORM_NONE || ksp->converged == KSPConvergedSkip) *why = "no norm is tested";
  else if (cg->estimates) *why = "errors are estimated";
  else if (!norm_only) *why = "a monitor or a convergence test looks at more than the norm of each iteration";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After Plan(): M, and why the solve is in double whatever the choice */
PetscErrorCode HeptaFloatCG::FindMatrices(std::string *why)
{
  PetscFunctionBegin;
  if (ops.inner == Inner::outside && ops.recorded.product && MatBDIADiagonals(ops.recorded.product)) M = ops.recorded.product;
  if (std::is_same_v<PetscScalar, float>) *why = "so is PETSc, which has no double";
  else if (ops.several) *why = "there are several MPI processes";
  else if (!MatBDIADiagonals(ops.A)) *why = "the matrix is not in block diagonals";
  else if (ops.inner == Inner::outside && !M) *why = "the preconditioner is none of none, jacobi, pbjacobi and, of one factor in block diagonals, ip";
  else if (ops.arrays.space.device && (!ops.fused || (M && !ops.inverse))) *why = "the matrix has no passes, for its block size or block offsets";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations, from the residual in ksp->work[0] on, after *state */
PetscErrorCode HeptaFloatCG::Solve(State *state)
{
  PetscReal rho = ksp->rnorm;

  PetscFunctionBegin;
  if (ksp->normtype != KSP_NORM_UNPRECONDITIONED) PetscCall(VecNorm(Work(R), NORM_2, &rho));
  PetscCall(Begin(rho));
  fuses_inverse = ops.inverse;
  PetscCall(ops.Describe(*this, &c, sizeof(c), {10, 1, 1, Vectors()}));
  key.append((const char *)values, sizeof(values));
  traffic.of_matrices = (double)sizeof(float) * (double)(MatBDIADiagonals(ops.A)->Size() + (M ? MatBDIADiagonals(M)->Size() : 0));
  for (last = *state; !ksp->reason && !in_double;) {
    left = false;
    PetscCall(iterations.Run(*this, last));
  }
  state->it = ksp->its;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGIterateFloat(KSP ksp, bool null_last, State *state, bool *left)
{
  KSP_FusedCG *cg = (KSP_FusedCG *)ksp->data;
  HeptaFloatCG solve(ksp);
  std::string  why;

  PetscFunctionBegin;
  if (cg->precision != HeptaGridCGData::SINGLE || cg->deflated) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaFusedCGWhyDouble(ksp, null_last, &why));
  if (why.empty()) {
    solve.ops.null_last = null_last;
    /* the set-up of PC ip is complete only after an application, and jacobi's inverse diagonal is made by one */
    if (ksp->normtype == KSP_NORM_UNPRECONDITIONED) PetscCall(KSP_PCApply(ksp, solve.Work(R), solve.Work(Z)));
    PetscCall(solve.ops.Plan(ksp, ksp->pc, P0, false, solve.iterations, solve.c));
    PetscCall(solve.FindMatrices(&why));
  }
  if (!why.empty()) {
    cg->precision_words = "in double, because " + why;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(solve.Solve(state));
  *left               = !ksp->reason;
  cg->precision_words = "in single, with " + std::to_string(solve.steps) + " outer steps in double";
  if (*left) cg->precision_words += ", then in double, because single goes no further";
  PetscFunctionReturn(PETSC_SUCCESS);
}

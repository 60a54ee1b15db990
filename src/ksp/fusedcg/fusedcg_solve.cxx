/* The solve of fused CG */
#include "fusedcg.h"

using namespace hepta::ksp;

namespace
{

/* Numbers of vectors: 0 is x, then those of ksp->work */
enum {
  X,
  R,
  Z,
  Q,
  P0,
  P1
};

/* One solve */
struct Solve : HeptaFusedCGMethod {
  using HeptaFusedCGMethod::HeptaFusedCGMethod;

  CG c  = {};
  PC pc = nullptr; /* computes z; with deflation the preconditioner inside subdeflation */

  PetscErrorCode StartState(State *);
  PetscErrorCode StartProduct(State *);
  PetscErrorCode ApplyPC(Vec r, Vec z);
  PetscErrorCode MakeGhosts();
  PetscErrorCode Plan();
  double         Vectors() const;
  PetscErrorCode Fill() override;
  PetscErrorCode Multiply(const HeptaSpace &);
  PetscErrorCode Precondition(const HeptaSpace &);
  PetscErrorCode Iterate(const HeptaSpace &) override;
};

PetscErrorCode Solve::Fill()
{
  const auto &a = ops.arrays.a;

  PetscFunctionBegin;
  c.x    = a[X];
  c.r    = a[R];
  c.z    = ops.inner == Inner::identity ? c.r : a[Z];
  c.q    = a[Q];
  c.p[0] = a[P0];
  c.p[1] = a[P1];
  c.d    = ops.arrays.d;
  if (cg->deflated) PetscCall(HeptaDPCGTables(ksp, ops.arrays.space, &c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes room for the ghost values of both directions, zero like the directions */
PetscErrorCode Solve::MakeGhosts()
{
  const auto  &ghost = MatBlocked(ops.fused)->ghost;
  const size_t n     = ghost.garray.size() * (size_t)ghost.bs;
  PetscScalar *p;

  PetscFunctionBegin;
  if (cg->ghosts != n) PetscCall(cg->pg.Resize(2 * n * sizeof(PetscScalar)));
  cg->ghosts = n;
  PetscCall(cg->pg.Zero(ops.arrays.space));
  PetscCall(cg->pg.Access(ops.arrays.space, HeptaAccess::read_write, &p));
  c.pg[0]  = p;
  c.pg[1]  = p + n;
  c.border = ops.border;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve::Plan()
{
  PetscFunctionBegin;
  PetscCall(ops.Plan(ksp, pc, P0, false, iterations, c));
  if (cg->deflated && ops.several) ops.fused = nullptr; /* the labels of other ranks' rows are not known here */
  c.norm     = (Norm)ksp->normtype;
  c.flexible = cg->flexible;
  c.two      = ops.fused;
  c.bs       = (int)ops.BlockSize();
  if (ops.fused && ops.several) PetscCall(MakeGhosts());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Read or written: z, p, p and q in a product pass, or in the direction and the product; x, r, p and q in the update; r and z
   once more unless the update makes z
*/
double Solve::Vectors() const
{
  const double first  = ops.fused ? 4 : 3 + ops.VectorsOfProduct(true, true),
               labels = cg->deflated ? (double)sizeof(hepta::Index) / sizeof(PetscScalar) : 0;
  double last         = 0;

  if (ops.inner == Inner::diagonal || ops.inner == Inner::blocks) last = 1 + (double)ops.BlockSize();
  else if (ops.inner == Inner::outside) last = cg->flexible ? 3 : 2;
  return first + labels + 6 + last + cg->recycling.Vectors();
}

/*
   q <- A p and (p, q), with p <- z + beta p before or inside the product pass. On several ranks the ghost values of z are sent
   meanwhile, and the pass over the border rows computes the ghost values of p.
*/
PetscErrorCode Solve::Multiply(const HeptaSpace &space)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (ops.fused) {
    const auto product = [&](const CG &own) {
      return HeptaLaunchView(*MatBDIADiagonals(ops.fused), space,
                             [&](auto view) { return direction_product_cuda(own, view, space.stream); });
    };
    const auto border = [&](auto B, const PetscScalar *zg, const hepta::transport::Mailboxes *arriving) {
      return direction_border_cuda(c, B, zg, arriving, space.stream);
    };

    PetscCall(ops.MultiplyInPass(space, c, index_pq, ops.inner == Inner::identity ? R : Z, product, border));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  ProductSums sums = {};

  HeptaLaunchEach(space, run_pass, pass_of<NewDirection>(c));
  sums.with   = c.p[0];
  sums.first  = index_pq;
  sums.summed = true;
  PetscCall(ops.Multiply(space, c, P0, Q, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x, r, z and the sums */
PetscErrorCode Solve::Precondition(const HeptaSpace &space)
{
  PetscFunctionBegin;
  HeptaLaunchEach(space, update, c, ops.inner);
  if (ops.inverse) {
#if defined(HEPTA_HAVE_CUDA)
    PetscCall(HeptaLaunchView(*MatBDIADiagonals(ops.inverse), space,
                              [&](auto view) { return inner_product_cuda(c, view, space.stream); }));
#endif
  } else if (ops.inner == Inner::outside) {
    PetscCall(ops.Apply(space, c, R, Z, true));
    HeptaLaunchEach(space, run_pass, pass_of<InnerSums>(c));
  }
  if (cg->deflated)
    PetscCall(
      ops.arrays.Lend([&] { return HeptaDPCGCorrect(ksp, Work(R), Work(ops.inner == Inner::identity ? R : Z), c.state); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve::Iterate(const HeptaSpace &space)
{
  PetscFunctionBegin;
  PetscCall(Multiply(space));
  PetscCall(cg->recycling.Keep(space, c.state, c.p, c.two));
  PetscCall(iterations.Reduce(space, index_pq, 1));
  PetscCall(Precondition(space));
  PetscCall(iterations.Reduce(space, index_rz, most_sums, HeptaEndOf<InnerSums>(c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z <- M^-1 r, and y */
PetscErrorCode Solve::ApplyPC(Vec r, Vec z)
{
  PetscFunctionBegin;
  if (cg->deflated) {
    PetscCall(PCApply(pc, r, z));
    PetscCall(HeptaDPCGCorrect(ksp, r, z, nullptr));
  } else PetscCall(KSP_PCApply(ksp, r, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   r <- b - A x, z <- M^-1 r if the norm of iteration 0 needs z, and the norm of iteration 0, computed as PETSc's cg does.
   *s <- the state for the first pass but for (r, z), unless ksp->reason is set.
*/
PetscErrorCode Solve::StartState(State *s)
{
  Vec         r = Work(R), z = Work(Z);
  PetscScalar rz    = 0;
  const bool  early = ksp->normtype == KSP_NORM_PRECONDITIONED || ksp->normtype == KSP_NORM_NATURAL;

  PetscFunctionBegin;
  pc = ksp->pc;
  if (cg->deflated) PetscCall(HeptaDPCGInner(ksp, &pc));
  *s = {};
  PetscCall(HeptaKSPResidual(ksp, r));
  if (early) PetscCall(cg->deflated ? PCApply(pc, r, z) : KSP_PCApply(ksp, r, z));
  if (ksp->normtype == KSP_NORM_NATURAL) PetscCall(VecDot(r, z, &rz));
  PetscCall(HeptaKSPSeeFirst(ksp, r, z, rz));
  if (early && cg->deflated && !ksp->reason) PetscCall(HeptaDPCGCorrect(ksp, r, z, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* s->rho <- (r, z). The host waits here for the preconditioner, so other work of the host comes first. */
PetscErrorCode Solve::StartProduct(State *s)
{
  PetscFunctionBegin;
  PetscCall(VecDot(Work(R), Work(Z), &s->rho));
  s->breakdown = breakdown_of_product(s->rho);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* Row i of the Lanczos matrix: diagonal entry 1/alpha_i + beta_i/alpha_(i-1), subdiagonal entry sqrt(beta_i)/alpha_(i-1) */
PetscErrorCode HeptaFusedCGMethod::Note(const Entry &entry)
{
  const PetscReal beta = PetscAbsScalar(entry.beta), beside = cg->d.empty() ? 0 : PetscSqrtReal(beta) / alpha;

  PetscFunctionBegin;
  cg->recycling.Note(entry);
  if (cg->estimates) cg->error.Add(std::abs((double)PetscRealPart(entry.alpha) * (double)PetscRealPart(entry.rho)));
  if (!ksp->calc_sings) PetscFunctionReturn(PETSC_SUCCESS);
  cg->e.push_back(beside);
  cg->d.push_back(PetscSqrtReal(beta) * beside + 1 / PetscRealPart(entry.alpha));
  alpha = PetscRealPart(entry.alpha);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations after iteration state.it, from the residual in R */
static PetscErrorCode Continue(Solve &solve, State &state)
{
  PetscFunctionBegin;
  if (state.it || (solve.ksp->normtype != KSP_NORM_PRECONDITIONED && solve.ksp->normtype != KSP_NORM_NATURAL))
    PetscCall(solve.ApplyPC(solve.Work(R), solve.Work(Z)));
  if (solve.cg->single) {
    PetscCall(solve.StartProduct(&state));
    PetscCall(HeptaFusedCGIterateSingle(solve.ksp, state));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(solve.Plan());
  PetscCall(VecSet(solve.Work(solve.c.two && !(state.it & 1) ? P1 : P0), 0)); /* the first direction is z + 0 p */
  solve.runs_on       = solve.cg->deflated;
  solve.fuses_inverse = solve.ops.inverse;
  /* one flop more for Z y, two for (z, q) */
  PetscCall(solve.Describe(solve.c, {10. + solve.cg->deflated + (solve.cg->flexible ? 2 : 0), 1, 1, solve.Vectors()}));
  solve.key += solve.cg->recycling.Key();
  if (solve.cg->deflated && solve.outside.empty()) solve.outside = HeptaDPCGOutside(solve.ksp);
  PetscCall(solve.StartProduct(&state));
  PetscCall(solve.iterations.Run(solve, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a solve that did not remove the null space: is the new r = b - A x good for more iterations of that kind? */
static PetscErrorCode MayStartAgain(Solve &solve, MatNullSpace null, bool *again)
{
  PetscFunctionBegin;
  if (!null || !solve.ops.null_last || solve.cg->deflated) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaFusedCGCheckConsistent(solve.ksp, null, solve.Work(R), solve.Work(Q), again));
  if (!*again) solve.ksp->reason = KSP_DIVERGED_BREAKDOWN;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The iterations after iteration 0; once the recurrence converges, new starts until b - A x passes the test too */
static PetscErrorCode IterateAll(Solve &solve, MatNullSpace null, State &state)
{
  KSP_FusedCG           *cg     = solve.cg;
  PetscReal              before = PETSC_INFINITY;
  bool                   left, again;
  std::vector<PetscReal> d, e; /* the Lanczos matrix of the longest run of iterations from a start */

  PetscFunctionBegin;
  PetscCall(HeptaFusedCGIterateGrid(solve.ksp, solve.ops.null_last, &state.it, &left));
  if (left) PetscCall(Continue(solve, state));
  for (;;) {
    PetscCall(HeptaFusedCGVerify(solve.ksp, solve.Work(R), solve.Work(Z), &before, &again));
    if (cg->d.size() > d.size()) {
      d.swap(cg->d);
      e.swap(cg->e);
    }
    if (again) PetscCall(MayStartAgain(solve, null, &again));
    if (!again) break;
    state    = {};
    state.it = solve.ksp->its;
    cg->Clear(state.it);
    PetscCall(Continue(solve, state));
  }
  cg->d.swap(d);
  cg->e.swap(e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool WantsEstimates(KSP ksp)
{
  bool wanted = ((KSP_FusedCG *)ksp->data)->tests_error;

  for (PetscInt k = 0; k < ksp->numbermonitors; k++)
    wanted |= ksp->monitor[k] == (KSPMonitorFn *)HeptaNoThrow<HeptaFusedCGMonitorError>;
  return wanted;
}

PetscErrorCode KSPSolve_FusedCG(KSP ksp)
{
  Solve        solve(ksp);
  State        state;
  Mat          A;
  MatNullSpace null;
  Vec          part = nullptr;

  PetscFunctionBegin;
  solve.cg->Clear(0);
  solve.cg->estimates = WantsEstimates(ksp);
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(MatGetNullSpace(A, &null));
  solve.ops.null_last = solve.cg->deflated || (null && ksp->normtype != KSP_NORM_PRECONDITIONED && !ksp->transpose_solve);
  if (null && solve.ops.null_last) PetscCall(HeptaFusedCGTakeNullPart(ksp, null, &part));
  if (solve.cg->deflated) PetscCall(solve.cg->recycling.Begin(ksp, solve.Work(R), solve.Work(Q)));
  PetscCall(solve.StartState(&state));
  if (!ksp->reason && null && solve.ops.null_last)
    PetscCall(HeptaFusedCGCheckConsistent(ksp, null, solve.Work(R), solve.Work(Q), &solve.ops.null_last));
  if (!ksp->reason) PetscCall(IterateAll(solve, null, state));
  if (ksp->its && solve.cg->recycling.Recycles()) {
    const HeptaKSPTraffic &moves = solve.traffic; /* a preconditioner between the passes counts as a product */
    PetscCall(solve.cg->recycling.End(ksp, solve.Work(R), moves.of_vectors + (moves.whole ? 1 : 2) * moves.of_matrices));
  }
  if (null && solve.ops.null_last) PetscCall(HeptaFusedCGPutNullPart(ksp, null, &part));
  PetscCall(VecDestroy(&part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

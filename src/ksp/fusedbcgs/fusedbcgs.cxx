#include "../../shared/arrays.h"
#include "../operators.h"
#include "fusedbcgs_row.hxx"

using namespace hepta::ksp;

namespace
{

/*
   Numbers of vectors: 0 is x, then those of ksp->work. PH and SH: with preconditioning from the right p^ and s^, from the left
   work space for A p and A s if the preconditioner is not part of a pass.
*/
enum {
  X,
  R,
  R0,
  P,
  V,
  S,
  T,
  PH,
  SH,
  vectors
};

/* One solve */
struct Solve : HeptaKSPMethod {
  using HeptaKSPMethod::HeptaKSPMethod;

  BCGS c = {};

  bool Right() const { return ksp->pc_side == PC_RIGHT && ops.inner != Inner::identity; }
  bool LeftDiagonal() const { return ksp->pc_side == PC_LEFT && ops.inner == Inner::diagonal; }

  HeptaKSPCounts Counts() const;
  PetscErrorCode Fill() override;
  PetscErrorCode Multiply(const HeptaSpace &, int from, int hat, int to, int with, int first, bool square);
  PetscErrorCode Iterate(const HeptaSpace &) override;
  PetscErrorCode Broken(const State &) override;
};

PetscErrorCode Solve::Fill()
{
  const auto &a = ops.arrays.a;

  PetscFunctionBegin;
  c.x  = a[X];
  c.r  = a[R];
  c.r0 = a[R0];
  c.p  = a[P];
  c.v  = a[V];
  c.s  = a[S];
  c.t  = a[T];
  c.ph = Right() ? a[PH] : c.p;
  c.sh = Right() ? a[SH] : c.s;
  c.d  = Right() && ops.inner == Inner::diagonal ? ops.arrays.d : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   In the order of the passes: p, v, s, t, x and r. A sum reads r0 or s besides, but the product for t multiplies s itself unless
   s^ is another vector.
*/
HeptaKSPCounts Solve::Counts() const
{
  const bool   right = Right(), diagonal = right && ops.inner == Inner::diagonal, after = !ops.InRows() && !right;
  const double applies = 2 * ops.VectorsOfApply();
  const double products =
    after ? 2 * (ops.VectorsOfProduct(false) + 2)
          : ops.VectorsOfProduct(true, false, LeftDiagonal()) + ops.VectorsOfProduct(true, !right, LeftDiagonal());

  return {20, 2, 2, 4 + 3 + 7 + (diagonal ? 4 : 0) + (right ? 1 : 0) + applies + products, after};
}

/*
   to <- K from, with the sums (with, to) and (to, to). Unless the preconditioner is part of a pass, hat <- M^-1 from (right) or A
   from (left).
*/
PetscErrorCode Solve::Multiply(const HeptaSpace &space, int from, int hat, int to, int with, int first, bool square)
{
  const bool  outside = !ops.InRows(), after = outside && !Right();
  const auto &a = ops.arrays.a;
  ProductSums sums{};

  PetscFunctionBegin;
  static_cast<Pass &>(sums) = c;
  if (outside && Right()) PetscCall(ops.Apply(space, c, from, hat));
  sums.y      = a[to];
  sums.scale  = LeftDiagonal() ? ops.arrays.d : nullptr;
  sums.with   = after ? nullptr : a[with];
  sums.first  = first;
  sums.summed = !after;
  sums.square = square && !after;
  PetscCall(ops.Multiply(space, c, Right() ? hat : from, after ? hat : to, sums));
  if (after) {
    PetscCall(ops.Apply(space, c, hat, to));
    sums.y      = a[to];
    sums.with   = a[with];
    sums.summed = true;
    sums.square = square;
    HeptaLaunchEach(space, run_pass, pass_of<SumProduct>(sums));
  }
  PetscCall(iterations.Reduce(space, first, square ? 2 : 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve::Iterate(const HeptaSpace &space)
{
  PetscFunctionBegin;
  HeptaLaunchEach(space, run_pass, pass_of<BCGSDirection>(c));
  PetscCall(Multiply(space, P, PH, V, R0, index_r0v, false));
  HeptaLaunchEach(space, run_pass, pass_of<BCGSHalf>(c));
  PetscCall(Multiply(space, S, SH, T, S, index_st, true));
  HeptaLaunchEach(space, run_pass, pass_of<BCGSUpdate>(c));
  PetscCall(iterations.Reduce(space, index_r0r, 2, HeptaEndOf<BCGSUpdate>(c)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reports breakdowns as PETSc's bcgs does. If K s = 0 and s = 0, x + alpha p^ is the solution. */
PetscErrorCode Solve::Broken(const State &state)
{
  const Breakdown breakdown = state.breakdown;

  PetscFunctionBegin;
  if (breakdown == Breakdown::not_finite) KSPCheckDot(ksp, (PetscScalar)NAN);
  if (breakdown == Breakdown::solved) {
    /* PH may have been overwritten after the pause, on several ranks without exchanges */
    if (Right()) PetscCall(KSP_PCApply(ksp, Work(P), Work(PH)));
    PetscCall(VecAXPY(ksp->vec_sol, state.rho / state.sum[index_r0v], Work(Right() ? PH : P)));
    ksp->its++;
    ksp->rnorm  = 0;
    ksp->reason = KSP_CONVERGED_RTOL;
    PetscCall(KSPLogResidualHistory(ksp, 0));
    PetscCall(KSPMonitor(ksp, ksp->its, 0));
  } else if (breakdown != Breakdown::none) {
    PetscCheck(!ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED,
               "BiCGStab broke down after %" PetscInt_FMT " iterations: %s", ksp->its,
               breakdown == Breakdown::zero_direction ? "the preconditioned matrix is singular" : "an inner product is zero");
    ksp->reason = KSP_DIVERGED_BREAKDOWN;
  } else if (ksp->its >= ksp->max_it) ksp->reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r <- b - A x, preconditioned on the left, and the norm of iteration 0, computed as PETSc's bcgs does */
PetscErrorCode Start(KSP ksp)
{
  Vec r = ksp->work[R - 1];

  PetscFunctionBegin;
  PetscCall(KSPInitialResidual(ksp, ksp->vec_sol, ksp->work[V - 1], ksp->work[T - 1], r, ksp->vec_rhs));
  PetscCall(HeptaKSPSeeFirst(ksp, r, r, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* An application must have run once before its recording; recordings need vectors on the devices of all ranks */
static PetscErrorCode ApplyOnce(KSP ksp)
{
  HeptaSpace space;

  PetscFunctionBegin;
  PetscCall(HeptaVecSpace(ksp->work[R - 1], &space));
  PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)ksp), &space.device));
  if (space.device) PetscCall(KSP_PCApply(ksp, ksp->work[R - 1], ksp->work[T - 1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSolve_FusedBCGS(KSP ksp)
{
  Solve       solve(ksp);
  State       state = {};
  PetscScalar rho;

  PetscFunctionBegin;
  PetscCall(Start(ksp));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (ksp->pc_side == PC_RIGHT) PetscCall(ApplyOnce(ksp));
  PetscCall(solve.ops.Plan(ksp, ksp->pc, PH, false, solve.iterations, solve.c));
  solve.c.norm = ksp->normtype != KSP_NORM_NONE;
  PetscCall(VecCopy(ksp->work[R - 1], ksp->work[R0 - 1]));
  PetscCall(VecDot(ksp->work[R - 1], ksp->work[R0 - 1], &rho));
  for (int k : {P, V}) PetscCall(VecSet(ksp->work[k - 1], 0)); /* the first direction is r */
  state.rho        = rho;
  solve.keeps_norm = true;
  /* on several ranks and in blocked rows a product without sums is not a pass */
  solve.runs_on = !solve.ops.InRows() && !solve.Right() && (solve.ops.several || !solve.ops.fused);
  PetscCall(solve.Describe(solve.c, solve.Counts()));
  PetscCall(solve.iterations.Run(solve, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Returns x itself: KSPBuildSolutionDefault() would apply the right preconditioner to it once more */
static PetscErrorCode KSPBuildSolution_FusedBCGS(KSP ksp, Vec v, Vec *V)
{
  PetscFunctionBegin;
  if (v) PetscCall(VecCopy(ksp->vec_sol, v));
  *V = v ? v : ksp->vec_sol;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPFUSEDBCGS - "fusedbcgs" - BiCGStab in few passes over memory, with scalars that stay where the vectors are

   When to take it:
   Take `KSPFUSEDBCGS` in place of `KSPBCGS`: for a matrix that is not symmetric, as of a reservoir or of convection.

   Options Database Keys:
. -ksp_type fusedbcgs            - sets the Krylov method to `KSPFUSEDBCGS`

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type bdia -ksp_type fusedbcgs -pc_type ip -ksp_pc_side right
.ve

   Limits:
   A breakdown ends the solve with `KSP_DIVERGED_BREAKDOWN`: take `KSPGMRES` then.

   Level: beginner

   Notes:
   The iterates are those of `KSPBCGS` with the same side (`-ksp_pc_side`), by default `left`: `left` tests the norm of the
   preconditioned residual, `right` the norm of the residual, and `KSP_NORM_NONE` goes with both. With K = A M^-1, p^ = M^-1 p and
   s^ = M^-1 s on the right, and K = M^-1 A, p^ = p and s^ = s on the left, an iteration is

.vb
     p <- r + beta (p - omega v),  p^                                    one pass
     v <- K p,  (r0, v)                                                  one pass
     alpha = rho/(r0, v)
     s <- r - alpha v,  s^                                               one pass
     t <- K s,  (s, t), (t, t)                                           one pass
     omega = (s, t)/(t, t)
     x <- x + alpha p^ + omega s^,  r <- s - omega t,  (r0, r), (r, r)   one pass
     beta = (r0, r)/rho alpha/omega
.ve

   On the device, for a `MATBDIA` or `MATBDIACUDA` of block size 1 to 8 with `PCNONE` or `PCJACOBI`, each pass is one kernel; on
   several MPI processes, with the transports `ipc` and `nccl`, a pass over the rows that have columns of other processes follows
   each product. The product with a `MATBROW` of few rows is one kernel too; products with a larger `MATBROW` or other block
   sizes, and applications of `PCIP`, `PCBLOCKIC`, `PCBBS`, `PCGRIDMG`, `PCAGGMG`, `PCSUBDEFLATION`, `PCPBJACOBI` (blocks of
   at most 8) or a factorization of `MATSOLVERBBS`, are further kernels between the passes. Several iterations are recorded as a
   CUDA graph and launched ahead, under the conditions of `KSPFUSEDCG`; `KSPView()` says why a solve was not recorded.

   The solution is kept up to date in x itself with preconditioning from either side, so `KSPBuildSolution()` and monitors of the
   solution need no further application of the preconditioner.

   References:
   H. A. van der Vorst, Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of nonsymmetric linear
   systems, SIAM Journal on Scientific and Statistical Computing 13 (1992). L. A. Firdaus, CUDA Optimization of a Class of
   Iterative Linear Algebra Solver, M.Sc. thesis, King Fahd University of Petroleum and Minerals, 2017, section 5.3 (the kernels
   that are passes here).

.seealso: `KSPFUSEDCG`, `KSPBCGS`, `KSPBICGCR`, `MATBDIA`, `KSPSetPCSide()`
M*/

PetscErrorCode KSPCreate_FusedBCGS(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(HeptaKSPCreate(ksp, new HeptaKSPData, vectors - 1, HeptaNoThrow<KSPSolve_FusedBCGS>));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_RIGHT, 1));
  ksp->ops->buildsolution = HeptaNoThrow<KSPBuildSolution_FusedBCGS>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

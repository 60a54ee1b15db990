#include "../operators.h"
#include "bicgcr_row.hxx"

using namespace hepta::ksp;

namespace
{

/* Numbers of vectors: 0 is x, then those of ksp->work; w and its shadow hold nothing before the first product */
enum {
  X,
  R,
  Z,
  P,
  Q,
  U,
  W,
  WS,
  ZS,
  QS,
  US,
  vectors
};

struct KSP_BiCGCR : HeptaKSPData {
  PetscBool given = PETSC_FALSE, symmetric = PETSC_FALSE; /* symmetry as set by the program */
  bool      two_sided = false, solved = false;            /* in the last solve */

  std::vector<std::string> Words() const override
  {
    return std::vector<std::string>(solved, two_sided ? "two-sided, with transposed products" : "for a symmetric matrix");
  }
};

/* One solve */
struct Solve : HeptaKSPMethod {
  using HeptaKSPMethod::HeptaKSPMethod;

  KSP_BiCGCR *b = (KSP_BiCGCR *)ksp->data;
  BiCGCR      c = {};

  HeptaKSPCounts Counts() const;
  PetscErrorCode Fill() override;
  PetscErrorCode StartState(State *);
  PetscErrorCode Shadows(State *);
  PetscErrorCode Iterate(const HeptaSpace &) override;
  PetscErrorCode Precondition(const HeptaSpace &);
  PetscErrorCode Broken(const State &) override;
};

PetscErrorCode Solve::Fill()
{
  const auto &a        = ops.arrays.a;
  const bool  identity = ops.inner == Inner::identity, two = b->two_sided;

  PetscFunctionBegin;
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
  c.d  = ops.inner == Inner::diagonal ? ops.arrays.d : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the order of the passes: update, products, direction, and u, u* or the sum (q*, u) */
HeptaKSPCounts Solve::Counts() const
{
  const bool   two = b->two_sided, residual = c.norm == Norm::unpreconditioned && ops.inner != Inner::identity;
  const double product = ops.VectorsOfProduct(true, !two), shadow = two ? 2 : 0;
  const double precondition = ops.inner == Inner::identity   ? 0
                              : ops.inner == Inner::diagonal ? 2 + two
                                                             : ops.VectorsOfApply() + 2;

  return {(two ? 16. : 12.) + (residual ? 2 : 0),
          two ? 2. : 1.,
          two ? 2. : 1.,
          (two ? 9 : 6) + (residual ? 3 : 0) + product + shadow + (two ? 9 : 6) + precondition,
          false,
          two ? 1. : 0.};
}

/* u <- M^-1 q, u* <- M^-T q* and the sum (q*, u), if that is not part of a pass */
PetscErrorCode Solve::Precondition(const HeptaSpace &space)
{
  PetscFunctionBegin;
  PetscCall(ops.Apply(space, c, Q, U));
  if (b->two_sided) PetscCall(ops.arrays.Lend([&] { return KSP_PCApplyTranspose(ksp, Work(QS), Work(US)); }));
  HeptaLaunchEach(space, run_pass, pass_of<BiCGCRSum>(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve::Iterate(const HeptaSpace &space)
{
  ProductSums sums{};

  PetscFunctionBegin;
  HeptaLaunchEach(space, run_pass, pass_of<BiCGCRUpdate>(c));
  PetscCall(iterations.Reduce(space, index_norm, 1));
  if (b->two_sided) PetscCall(ops.arrays.Lend([&] { return KSP_MatMultTranspose(ksp, ops.A, Work(ZS), Work(WS)); }));
  sums.with   = b->two_sided ? c.zs : c.z;
  sums.first  = index_zw;
  sums.summed = true;
  PetscCall(ops.Multiply(space, c, Z, W, sums));
  PetscCall(iterations.Reduce(space, index_zw, 1));
  HeptaLaunchEach(space, run_pass, pass_of<BiCGCRDirection>(c));
  if (!c.within) PetscCall(Precondition(space));
  PetscCall(iterations.Reduce(space, index_qu, 1, HeptaEndOf<BiCGCRSum>(c)));
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

    PetscCheck(
      !ksp->errorifnotconverged, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED,
      "BiCGCR broke down after %" PetscInt_FMT " iterations: %s", ksp->its,
      pc ? "the preconditioner is not positive definite, or matrix or preconditioner are not symmetric (-ksp_bicgcr_symmetric no)"
         : "an inner product is zero");
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
PetscErrorCode Solve::StartState(State *s)
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

static PetscErrorCode KSPSolve_BiCGCR(KSP ksp)
{
  Solve       solve(ksp);
  KSP_BiCGCR *b     = solve.b;
  State       state = {};
  PetscBool   known = PETSC_FALSE, symmetric = PETSC_FALSE;
  Mat         A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  b->two_sided = b->given ? !b->symmetric : !(known && symmetric);
  b->solved    = true;
  /* checked before, since an error inside the application would leave vectors locked */
  if (b->two_sided) PetscTryMethod(ksp->pc, "HeptaPCCheckTransposed_C", (PC), (ksp->pc));
  PetscCall(solve.StartState(&state));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(solve.ops.Plan(ksp, ksp->pc, W, b->two_sided, solve.iterations, solve.c));
  solve.c.norm      = (Norm)ksp->normtype;
  solve.c.two_sided = b->two_sided;
  solve.c.within    = solve.ops.InRows();
  if (PetscIsInfOrNanScalar(state.rho)) state.breakdown = Breakdown::not_finite;
  else state.breakdown = breakdown_of_bicgcr(solve.c, state.sum[index_qu]);
  solve.keeps_norm = true;
  PetscCall(solve.Describe(solve.c, solve.Counts()));
  PetscCall(b->iterations.Run(solve, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPBiCGCRSetSymmetric_BiCGCR(KSP ksp, PetscBool symmetric)
{
  KSP_BiCGCR *b = (KSP_BiCGCR *)ksp->data;

  PetscFunctionBegin;
  b->given     = PETSC_TRUE;
  b->symmetric = symmetric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_BiCGCR(KSP ksp, PetscOptionItems PetscOptionsObject)
{
  PetscBool symmetric = ((KSP_BiCGCR *)ksp->data)->symmetric, set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "BiCGCR options");
  PetscCall(PetscOptionsBool("-ksp_bicgcr_symmetric", "Is the matrix symmetric, whatever its flags say?", "KSPBiCGCRSetSymmetric",
                             symmetric, &symmetric, &set));
  if (set) PetscCall(KSPBiCGCRSetSymmetric(ksp, symmetric));
  PetscOptionsHeadEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  KSPBiCGCRSetSymmetric - Tells `KSPBICGCR` whether the matrix and the preconditioner are symmetric

  Logically Collective

  Input Parameters:
+ ksp       - the Krylov method
- symmetric - `PETSC_TRUE`: no transposed products; `PETSC_FALSE`: transposed products even if the matrix is known to be symmetric

  Options Database Key:
. -ksp_bicgcr_symmetric <bool> - as this function

  Level: intermediate

  Notes:
  Without a call `MatIsSymmetricKnown()` decides: a matrix not known to be symmetric is taken for unsymmetric.

  Does nothing for a Krylov method of another type.

.seealso: `KSPBICGCR`, `MatSetOption()`, `MAT_SYMMETRIC`
@*/
PetscErrorCode KSPBiCGCRSetSymmetric(KSP ksp, PetscBool symmetric)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(ksp, KSP_CLASSID, 1);
  PetscValidLogicalCollectiveBool(ksp, symmetric, 2);
  PetscTryMethod(ksp, "KSPBiCGCRSetSymmetric_C", (KSP, PetscBool), (ksp, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   KSPBICGCR - "bicgcr" - Biconjugate gradient conjugate residual method, in few passes over memory with scalars that stay where
   the vectors are

   When to take it:
   Take `KSPBICGCR` for a symmetric matrix that is perhaps indefinite. For a matrix that is not symmetric try `KSPFUSEDBCGS`
   first.

   Options Database Keys:
+ -ksp_type bicgcr               - sets the Krylov method to `KSPBICGCR`
- -ksp_bicgcr_symmetric <bool>   - whether the matrix is symmetric, as `KSPBiCGCRSetSymmetric()`; by default what the matrix knows

   Example:
.vb
     ./app -dll_append /path/to/libhepta.so -mat_type bdia -ksp_type bicgcr -ksp_bicgcr_symmetric -pc_type jacobi -pc_jacobi_abs
.ve

   Limits:
   The matrix may be indefinite, the preconditioner not. For an unsymmetric matrix each iteration makes a product with the
   transposed matrix and applies the transposed preconditioner, which `PCApplyTranspose()` must know.

   Level: beginner

   Notes:
   Conjugate residual recurrences with the bilinear form. With z = M^-1 (b - A x), p = z, q = A p, u = M^-1 q and their shadows z*
   = M^-T (b - A x), q* = A^T z*, u* = M^-T q* to begin with, an iteration is

.vb
     alpha = (z*, A z)/(q*, u)
     x <- x + alpha p,  z <- z - alpha u,  z* <- z* - alpha u*           one pass
     w <- A z,  w* <- A^T z*,  (z*, w)                                   one pass for A z
     beta = (z*, w)/(z*, w)_old
     p <- z + beta p,  q <- w + beta q,  q* <- w* + beta q*              one pass
     u <- M^-1 q,  u* <- M^-T q*,  (q*, u)                               in the pass before, for a diagonal M
.ve

   For a symmetric matrix and preconditioner every shadow is the vector itself, and nothing is transposed: the method is the
   preconditioned conjugate residual method, with the iterates of `KSPCR`.

   Supports the norms `KSP_NORM_PRECONDITIONED`, `KSP_NORM_UNPRECONDITIONED` (one more vector), `KSP_NORM_NATURAL`, the square
   root of |(z*, A z)|, and `KSP_NORM_NONE`, with left preconditioning. With `KSP_NORM_UNPRECONDITIONED` the norms are those of
   b - A x; `KSPCR` in PETSc 3.26.1 has other norms, because its recurrence for b - A x has the wrong sign.

   On the device passes are recorded and launched ahead under the conditions of `KSPFUSEDCG`, and so are products with the
   transposed matrix and applications of the transposed `PCIP`, `PCBLOCKIC`, `PCBBS`, `PCSUBDEFLATION` and factorizations of
   `MATSOLVERBBS`. With transposed products `PCPBJACOBI` of block size above 1 is not recorded.

   References:
   M. Clemens and T. Weiland, Iterative methods for the solution of very large complex symmetric linear systems of equations in
   electrodynamics (1996), for symmetric matrices; T. Sogabe, M. Sugihara and S.-L. Zhang, An extension of the conjugate residual
   method to nonsymmetric linear systems, Journal of Computational and Applied Mathematics 226 (2009), for the two-sided form,
   BiCR; F. Magoules, A.-K. Cheik Ahamed and R. Putanowicz, Auto-tuned Krylov methods on cluster of graphics processing unit,
   International Journal of Computer Mathematics (2014), section 4.3, uses it on GPUs.

.seealso: `KSPBiCGCRSetSymmetric()`, `KSPCR`, `KSPBICG`, `KSPFUSEDBCGS`, `MATBDIA`
M*/

PetscErrorCode KSPCreate_BiCGCR(KSP ksp)
{
  PetscFunctionBegin;
  PetscCall(HeptaKSPCreate(ksp, new KSP_BiCGCR, vectors - 1, HeptaNoThrow<KSPSolve_BiCGCR>));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NATURAL, PC_LEFT, 2));
  ksp->ops->setfromoptions = HeptaNoThrow<KSPSetFromOptions_BiCGCR>;
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, "KSPBiCGCRSetSymmetric_C", HeptaNoThrow<KSPBiCGCRSetSymmetric_BiCGCR>));
  ((KSP_BiCGCR *)ksp->data)->setters = {"KSPBiCGCRSetSymmetric_C"};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solve of fused CG */
#include "../../mat/blocked/blocked.h"
#include "fusedcg_solve.h"

using namespace hepta::ksp;

using hepta::bdia::Diagonals;

/* q <- A p and (p, q), with p <- z + beta p before it */
PetscErrorCode HeptaFusedCGSolve::Multiply(const HeptaSpace &space)
{
  PetscFunctionBegin;
  PetscCall(arrays.Get());
  Fill();
#if defined(HEPTA_HAVE_CUDA)
  if (fused) {
    PetscCall(HeptaVisit(static_cast<Diagonals &>(*MatBlocked(local)->local), {true, space.stream}, HeptaAccess::read, [&](auto view) {
      PetscCallHepta(direction_product_cuda(c, view, space.stream));
      return PETSC_SUCCESS;
    }));
    PetscCall(arrays.Restore());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  HeptaLaunch(space, direction, c);
  if (local) {
    PetscCall(HeptaVisit(*MatBlocked(local)->local, space, HeptaAccess::read, [&](auto view) {
      HeptaLaunch(space, spmv, view, c.p[0], nullptr, c.q);
      return PETSC_SUCCESS;
    }));
  } else {
    PetscCall(arrays.Restore());
    PetscCall(KSP_MatMult(ksp, A, ksp->work[P0], ksp->work[Q]));
    PetscCall(arrays.Get());
    Fill();
  }
  HeptaLaunch(space, product_sum, c);
  PetscCall(arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x, r, z and the sums */
PetscErrorCode HeptaFusedCGSolve::Precondition(const HeptaSpace &space)
{
  PetscFunctionBegin;
  PetscCall(arrays.Get());
  Fill();
  HeptaLaunch(space, update, c);
  if (inner) {
#if defined(HEPTA_HAVE_CUDA)
    PetscCall(HeptaVisit(static_cast<Diagonals &>(*MatBlocked(inner)->local), {true, space.stream}, HeptaAccess::read, [&](auto view) {
      PetscCallHepta(inner_product_cuda(c, view, space.stream));
      return PETSC_SUCCESS;
    }));
#endif
  } else if (c.inner == Inner::outside) {
    PetscCall(arrays.Restore());
    PetscCall(KSP_PCApply(ksp, ksp->work[R], ksp->work[Z]));
    PetscCall(arrays.Get());
    Fill();
    HeptaLaunch(space, inner_sums, c);
  }
  PetscCall(arrays.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaFusedCGSolve::Iterate(const HeptaSpace &space)
{
  PetscFunctionBegin;
  PetscCall(Multiply(space));
  PetscCall(cg->iterations.Reduce(1, [&](State &s) { end_direction(c, s); }));
  PetscCall(Precondition(space));
  PetscCall(cg->iterations.Reduce(most_sums, [&](State &s) { end_update(c, s); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r <- b - A x, z <- M^-1 r, and the norm of iteration 0: as PETSc's cg does. *s: what the first pass needs, unless ksp->reason is set. */
static PetscErrorCode Start(KSP ksp, State *s)
{
  Vec         r = ksp->work[HeptaFusedCGSolve::R], z = ksp->work[HeptaFusedCGSolve::Z];
  PetscReal   norm  = 0;
  PetscScalar rz    = 0;
  const bool  early = ksp->normtype == KSP_NORM_PRECONDITIONED || ksp->normtype == KSP_NORM_NATURAL;
  Mat         A;

  PetscFunctionBegin;
  *s       = {};
  ksp->its = 0;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  if (ksp->guess_zero) PetscCall(VecCopy(ksp->vec_rhs, r));
  else {
    PetscCall(KSP_MatMult(ksp, A, ksp->vec_sol, r));
    PetscCall(VecAYPX(r, -1, ksp->vec_rhs));
  }
  PetscCall(VecFlag(r, ksp->reason == KSP_DIVERGED_PC_FAILED));
  if (early) PetscCall(KSP_PCApply(ksp, r, z));
  if (ksp->normtype == KSP_NORM_PRECONDITIONED) PetscCall(VecNorm(z, NORM_2, &norm));
  else if (ksp->normtype == KSP_NORM_UNPRECONDITIONED) PetscCall(VecNorm(r, NORM_2, &norm));
  else if (ksp->normtype == KSP_NORM_NATURAL) {
    PetscCall(VecDot(r, z, &rz));
    norm = PetscSqrtReal(PetscAbsScalar(rz));
  }
  KSPCheckNorm(ksp, norm);
  PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscCall(KSPMonitor(ksp, 0, norm));
  ksp->rnorm = norm;
  PetscCall((*ksp->converged)(ksp, 0, norm, &ksp->reason, ksp->cnvP));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  if (!early) PetscCall(KSP_PCApply(ksp, r, z));
  if (ksp->normtype != KSP_NORM_NATURAL) PetscCall(VecDot(r, z, &rz));
  s->rz = rz;
  if (PetscIsInfOrNanScalar(rz)) s->breakdown = Breakdown::not_finite;
  else if (rz == 0) s->breakdown = Breakdown::zero_residual;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row i of the Lanczos matrix: 1/alpha_i + beta_i/alpha_(i-1), and sqrt(beta_i)/alpha_(i-1) beside it */
static void NoteLanczos(KSP_FusedCG *cg, const Entry &entry, PetscReal *alpha_before)
{
  const PetscReal beta = PetscAbsScalar(entry.beta), beside = cg->d.empty() ? 0 : PetscSqrtReal(beta) / *alpha_before;

  cg->e.push_back(beside);
  cg->d.push_back(PetscSqrtReal(beta) * beside + 1 / PetscRealPart(entry.alpha));
  *alpha_before = PetscRealPart(entry.alpha);
}

PetscErrorCode KSPSolve_FusedCG(KSP ksp)
{
  HeptaFusedCGSolve solve(ksp);
  HeptaKSPMethod    method;
  State             state;
  PetscReal         alpha = 1;

  PetscFunctionBegin;
  solve.cg->d.clear();
  solve.cg->e.clear();
  PetscCall(Start(ksp, &state));
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(solve.Plan());
  for (int p : {HeptaFusedCGSolve::P0, HeptaFusedCGSolve::P1}) PetscCall(VecSet(ksp->work[p], 0)); /* the first direction is z + 0 p */
  method.arrays  = &solve.arrays;
  method.iterate = [&](const HeptaSpace &space) { return solve.Iterate(space); };
  if (ksp->calc_sings) {
    method.note = [&](const Entry &entry) {
      NoteLanczos(solve.cg, entry, &alpha);
      return PETSC_SUCCESS;
    };
  }
  method.key     = solve.Key();
  method.outside = solve.Outside();
  method.bytes   = solve.Bytes();
  PetscCall(solve.cg->iterations.Run(ksp, state, method));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Is E = Z^T A Z singular to rounding? The entries of E are sums of entries of A, with rounding eps D,

     D_e = sum of |a_ii| over the rows of subdomain e; for user vectors sum of |a_ii| z_i^2, and at least |E_ee|.

   E is taken for singular if a vector v has v^T E v <= 2 eps v^T D v. Inverse iteration finds the smallest eigenvalue of
   E v = lambda D v. The iteration calls the coarse solver, so that the check works for all solvers in both memories. D makes the
   result independent of jumps in the coefficients and of the vectors' lengths.
*/
#include <cmath>

#include "../../shared/arrays.h"
#include "subdeflation.h"

/* v <- |a_ii|, zero if the matrix has no MatGetDiagonal() */
static PetscErrorCode AbsoluteDiagonal(Mat A, Vec v)
{
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(MatHasOperation(A, MATOP_GET_DIAGONAL, &has));
  PetscCall(has ? MatGetDiagonal(A, v) : VecSet(v, 0));
  PetscCall(VecAbs(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D[e] <- the sum of |a_ii| over the rows of subdomain e, by the restriction of the diagonal; collective */
static PetscErrorCode WeightsOfLabels(PC pc, std::vector<PetscScalar> &D)
{
  const Mat A = Subdeflation(pc)->rows.A;
  Vec       v;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, nullptr, &v));
  PetscCall(AbsoluteDiagonal(A, v));
  PetscCall(HeptaSubdeflationRestrict(pc, v, nullptr));
  PetscCall(Subdeflation(pc)->coarse.q.Give(D.size(), D));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WeightsOfVectors(PC pc, std::vector<PetscScalar> &D)
{
  PC_Subdeflation *s = Subdeflation(pc);
  Vec              diagonal, z, w;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(s->vectors[0], &z));
  PetscCall(VecDuplicate(z, &w));
  PetscCall(VecDuplicate(z, &diagonal));
  PetscCall(AbsoluteDiagonal(pc->pmat, diagonal));
  for (size_t k = 0; k < D.size(); k++) {
    PetscScalar sum, e;
    PetscCall(HeptaSubdeflationScaledVector(pc, k, z));
    PetscCall(VecDot(s->az_vectors[k], z, &e));
    PetscCall(VecPointwiseMult(w, z, diagonal));
    PetscCall(VecDot(w, z, &sum));
    D[k] = PetscMax(sum, PetscAbsScalar(e));
  }
  for (Vec *v : {&diagonal, &z, &w}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Norm(const std::vector<PetscScalar> &D, const std::vector<PetscScalar> &v)
{
  PetscReal sum = 0;

  for (size_t k = 0; k < v.size(); k++) sum += D[k] * v[k] * v[k];
  return PetscSqrtReal(sum);
}

/*
   *least <- |z^T E z| / z^T D z for a symmetric E, otherwise |E z| / |z| in the norms of 1 / D and D. The sparse matrix E is
   used, because a KSP may stop before its solution has the length that a singular matrix would cause.
*/
static PetscErrorCode Residual(HeptaCoarse &c, const std::vector<PetscScalar> &D, const std::vector<PetscScalar> &z,
                               PetscReal *least)
{
  const PetscInt start = c.E->rmap->rstart, end = c.E->rmap->rend;
  PetscScalar   *a;
  PetscReal      sum[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(c.ey, &a));
  PetscCall(PetscArraycpy(a, z.data() + start, end - start));
  PetscCall(VecRestoreArrayWrite(c.ey, &a));
  PetscCall(MatMult(c.E, c.ey, c.eq));
  PetscCall(VecGetArray(c.eq, &a));
  for (PetscInt k = start; k < end; k++) {
    sum[0] += z[k] * a[k - start];
    sum[1] += D[k] > 0 ? a[k - start] * a[k - start] / D[k] : 0;
  }
  PetscCall(VecRestoreArray(c.eq, &a));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)c.E)));
  const PetscReal norm = Norm(D, z);
  *least               = c.symmetric ? PetscAbsReal(sum[0]) / norm / norm : PetscSqrtReal(sum[1]) / norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z <- (E^-1 D)^k z with k = 2, or more for a nearly singular E; *growth <- the growth of |z| in the last step, 1 / lambda */
static PetscErrorCode InverseIteration(PC pc, const HeptaSpace &space, const std::vector<PetscScalar> &D,
                                       std::vector<PetscScalar> &z, PetscReal *growth)
{
  HeptaCoarse             &c      = Subdeflation(pc)->coarse;
  const bool               by_ksp = Subdeflation(pc)->coarse_type == HEPTA_SUBDEFLATION_COARSE_KSP;
  KSPConvergedReason       reason = KSP_CONVERGED_ITERATING;
  std::vector<PetscScalar> q(z.size());

  PetscFunctionBegin;
  *growth = 0;
  for (int step = 0; step < 2 || (step < 6 && *growth * PETSC_SQRT_MACHINE_EPSILON > 1); step++) {
    const PetscReal before = Norm(D, z);
    if (!(before > 0)) PetscFunctionReturn(PETSC_SUCCESS); /* z = 0: E's null space is the whole space */
    for (size_t k = 0; k < z.size(); k++) q[k] = D[k] * (z[k] /= before);
    PetscCall(c.q.Take(q));
    PetscCall(HeptaSubdeflationCoarseSolve(pc, space));
    if (by_ksp) PetscCall(KSPGetConvergedReason(c.ksp, &reason));
    /* a regular E may fail too, along its smallest eigenvectors: no proof */
    if (reason == KSP_DIVERGED_ITS || reason == KSP_DIVERGED_DTOL) {
      *growth = 0;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(c.y.Give(z.size(), z));
    *growth = Norm(D, z);
    if (PetscIsInfOrNanReal(*growth)) *growth = PETSC_MAX_REAL;
    /* ranks may differ because of rounding */
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, growth, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)pc)));
    if (*growth >= PETSC_MAX_REAL) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (by_ksp && *growth * PETSC_SQRT_MACHINE_EPSILON > 1) {
    PetscReal least = 0;
    PetscCall(Residual(c, D, z, &least));
    *growth = least > 0 ? PetscMax(*growth, 1 / least) : PETSC_MAX_REAL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *why <- for the error message, whether E's null vector z comes from A */
static PetscErrorCode Explain(PC pc, std::vector<PetscScalar> z, std::string *why)
{
  PC_Subdeflation *s    = Subdeflation(pc);
  PetscReal        most = 0, low, high, product, size;
  size_t           at   = 0;
  Vec              v, w;

  PetscFunctionBegin;
  for (size_t k = 0; k < z.size(); k++) {
    if (PetscAbsScalar(z[k]) > most) most = PetscAbsScalar(z[k]), at = k;
  }
  *why = "its solver fails. Is the matrix indefinite, or singular without MatSetNullSpace()?";
  if (!(most > 0) || PetscIsInfOrNanReal(most)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscScalar &x : z) x /= most;
  PetscCall(s->coarse.y.Take(z));
  PetscCall(MatCreateVecs(pc->pmat, &v, &w));
  PetscCall(HeptaSubdeflationProlong(pc, nullptr, v));
  PetscCall(VecMin(v, nullptr, &low));
  PetscCall(VecMax(v, nullptr, &high));
  PetscCall(MatMult(pc->pmat, v, w));
  PetscCall(VecNorm(w, NORM_INFINITY, &product));
  PetscCall(HeptaSubdeflationSize(pc->pmat, v, w, &size));
  const bool        null = product <= HEPTA_SUBDEFLATION_NULL_TOLERANCE * size * PetscMax(PetscAbsReal(low), PetscAbsReal(high)),
                    constant = high - low <= 1e-3 * PetscMax(PetscAbsReal(low), PetscAbsReal(high));
  const std::string vector =
    !s->UsesLabels() ? HeptaFormat("a combination of the deflation vectors in which number %d is the largest", (int)at)
                     : std::string(constant ? "the vector of constants" : "a vector that is constant in each subdomain");
  if (null)
    *why = HeptaFormat("the matrix times %s is zero (|A v| = %g |A| |v|): call MatSetNullSpace() with the matrix's null space",
                       vector.c_str(), (double)(product / (size > 0 ? size : 1)));
  else
    *why =
      HeptaFormat("v^T A v is zero for %s, though A v is not: the matrix is indefinite, and other subdomains or vectors may do",
                  vector.c_str());
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationCheckCoarse(PC pc, const HeptaSpace &space)
{
  PC_Subdeflation         *s = Subdeflation(pc);
  const PetscInt           d = s->coarse.d;
  std::vector<PetscScalar> D(d, 0), z(d);
  const PCFailedReason     before = pc->failedreason;
  PetscReal                growth;
  std::string              why;

  PetscFunctionBegin;
  PetscCall(s->UsesLabels() ? WeightsOfLabels(pc, D) : WeightsOfVectors(pc, D));
  /* z has a component along every likely null vector */
  for (PetscInt e = 0; e < d; e++) z[e] = 1 + 0.5 * std::sin((double)e + 1);
  PetscCall(InverseIteration(pc, space, D, z, &growth));
  pc->failedreason = before; /* a failing coarse KSP has set failedreason; the error below reports the failure instead */
  if (growth * 2 * PETSC_MACHINE_EPSILON < 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Explain(pc, z, &why));
  SETERRQ(PetscObjectComm((PetscObject)pc), s->coarse.symmetric ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT,
          "The coarse matrix Z^T A Z of size %" PetscInt_FMT " is singular to rounding: %s", d, why.c_str());
}

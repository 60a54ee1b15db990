/*
   Null vectors of E = Z^T A Z from null vectors of A: v = Z c gives E c = Z^T A v = 0. A's null space may have any basis v_k, so
   combinations sum_k a_k v_k count too. With v_k = Z c_k + r_k, r_k orthogonal to Z's columns, a combination is in the span of Z
   if sum_k a_k r_k = 0: a is a null vector of the Gram matrix r_j . r_k. A matrix without a given null space, but with A 1 = 0 to
   rounding, has the null space of constants in the coarse problem.
*/
#include <petscblaslapack.h>

#include "subdeflation.h"

/* c <- the means of v over the subdomains, v <- v - Z c */
static PetscErrorCode TakeMeans(PC pc, Vec v, std::vector<PetscScalar> &c)
{
  HeptaAZ               &az = Subdeflation(pc)->az;
  hepta::Index          *label;
  PetscScalar           *a;
  std::vector<PetscReal> sums(2 * Subdeflation(pc)->coarse.d, 0);
  PetscMPIInt            n;

  PetscFunctionBegin;
  PetscCall(az.label.Access(HeptaSpace(), HeptaAccess::read, &label));
  PetscCall(VecGetArray(v, &a));
  for (size_t i = 0; i < az.rows; i++) {
    sums[2 * label[i]] += PetscRealPart(a[i]);
    sums[2 * label[i] + 1] += 1;
  }
  PetscCall(PetscMPIIntCast((PetscCount)sums.size(), &n));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums.data(), n, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)pc)));
  for (size_t e = 0; e < c.size(); e++) c[e] = sums[2 * e + 1] > 0 ? sums[2 * e] / sums[2 * e + 1] : 0;
  for (size_t i = 0; i < az.rows; i++) a[i] -= c[label[i]];
  PetscCall(VecRestoreArray(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For scaled user vectors: c <- R^-1 W^T v, v <- v - W W^T v, with Z = W R by modified Gram-Schmidt */
static PetscErrorCode TakeVectors(PC pc, Vec v, std::vector<PetscScalar> &c)
{
  const std::vector<Vec>  &Z = Subdeflation(pc)->vectors;
  const size_t             d = Z.size();
  std::vector<Vec>         W(d);
  std::vector<PetscScalar> R(d * d, 0);
  PetscReal                norm;

  PetscFunctionBegin;
  for (size_t k = 0; k < d; k++) {
    PetscCall(VecDuplicate(Z[k], &W[k]));
    PetscCall(HeptaSubdeflationScaledVector(pc, k, W[k]));
    for (size_t j = 0; j < k; j++) {
      PetscCall(VecDot(W[k], W[j], &R[j * d + k]));
      PetscCall(VecAXPY(W[k], -R[j * d + k], W[j]));
    }
    PetscCall(VecNorm(W[k], NORM_2, &norm));
    R[k * d + k] = norm;
    if (norm > 0) PetscCall(VecScale(W[k], 1 / norm));
    PetscCall(VecDot(v, W[k], &c[k]));
    PetscCall(VecAXPY(v, -c[k], W[k]));
  }
  for (size_t k = d; k-- > 0;) {
    for (size_t j = k + 1; j < d; j++) c[k] -= R[k * d + j] * c[j];
    if (R[k * d + k] != (PetscScalar)0) c[k] /= R[k * d + k];
  }
  for (Vec &w : W) PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes c orthogonal to the vectors `before` and of unit length; returns false if c becomes zero */
static bool Orthonormalize(const std::vector<std::vector<PetscScalar>> &before, std::vector<PetscScalar> &c)
{
  const PetscReal zero = PetscMax(1e-20, PetscSqr(100 * PETSC_MACHINE_EPSILON)); /* of squared norms */
  PetscReal       norm = 0, left = 0;

  for (PetscScalar v : c) norm += PetscSqr(PetscAbsScalar(v));
  for (const auto &b : before) {
    PetscScalar dot = 0;
    for (size_t k = 0; k < c.size(); k++) dot += b[k] * c[k];
    for (size_t k = 0; k < c.size(); k++) c[k] -= dot * b[k];
  }
  for (PetscScalar v : c) left += PetscSqr(PetscAbsScalar(v));
  if (left <= zero * norm || norm == 0) return false;
  for (PetscScalar &v : c) v /= PetscSqrtReal(left);
  return true;
}

/* The eigenvectors of the Gram matrix of r, by columns in G, and its eigenvalues */
static PetscErrorCode GramEigenvectors(const std::vector<Vec> &r, std::vector<PetscReal> &G, std::vector<PetscReal> &values)
{
  const size_t           n = r.size();
  PetscBLASInt           bn, lwork, info = 0;
  std::vector<PetscReal> work(8 * n);

  PetscFunctionBegin;
  G.resize(n * n);
  values.resize(n);
  for (size_t k = 0; k < n; k++) PetscCall(VecMDot(r[k], (PetscInt)n, r.data(), &G[k * n]));
  PetscCall(PetscBLASIntCast((PetscInt)n, &bn));
  PetscCall(PetscBLASIntCast((PetscInt)work.size(), &lwork));
  LAPACKsyev_("V", "U", &bn, G.data(), &bn, values.data(), work.data(), &lwork, &info);
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK's syev failed with %d", (int)info);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Is |(A 1)_i| <= 64 eps |a_ii| in every row? The tolerance allows for rounding of sums of some tens of values, assembled in any
   order. A boundary condition that affects a result exceeds the tolerance.
*/
static PetscErrorCode OnesAreNull(Mat A, bool *null)
{
  Vec       ones, product;
  PetscBool has;
  PetscReal most;

  PetscFunctionBegin;
  *null = false;
  PetscCall(MatHasOperation(A, MATOP_GET_DIAGONAL, &has));
  if (!has || !A->rmap->N) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(A, &ones, &product));
  PetscCall(VecSet(ones, 1));
  PetscCall(MatMult(A, ones, product));
  PetscCall(VecAbs(product));
  PetscCall(MatGetDiagonal(A, ones));
  PetscCall(VecAbs(ones));
  PetscCall(VecAXPY(product, -64 * PETSC_MACHINE_EPSILON, ones));
  PetscCall(VecMax(product, nullptr, &most));
  *null = most <= 0;
  PetscCall(VecDestroy(&ones));
  PetscCall(VecDestroy(&product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *space <- a reference to the first of three null spaces: the null space of the preconditioner's matrix, checked by
   HeptaCheckNullSpaces(); the null space of the operator, if the preconditioner's matrix has it too; constants, if the program
   gave no null space
*/
static PetscErrorCode FindNullSpace(PC pc, MatNullSpace *space, std::vector<Vec> &basis)
{
  HeptaCoarse &c     = Subdeflation(pc)->coarse;
  PetscInt     wrong = -1;
  PetscReal    ratio;

  PetscFunctionBegin;
  c.found_constants = false;
  PetscCall(MatGetNullSpace(pc->pmat, space));
  const bool declared = *space;
  if (!declared && pc->mat != pc->pmat) PetscCall(MatGetNullSpace(pc->mat, space));
  if (*space) {
    PetscCall(HeptaSubdeflationNullBasis(pc, *space, basis));
    if (!declared) PetscCall(HeptaSubdeflationFindWrong(pc->pmat, false, basis, &wrong, &ratio));
    if (wrong < 0) PetscCall(PetscObjectReference((PetscObject)*space));
    else *space = nullptr;
  }
  if (*space || declared) PetscFunctionReturn(PETSC_SUCCESS);
  for (Vec &v : basis) PetscCall(VecDestroy(&v));
  basis.clear();
  PetscCall(OnesAreNull(pc->pmat, &c.found_constants));
  if (!c.found_constants) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)pc), PETSC_TRUE, 0, nullptr, space));
  PetscCall(HeptaSubdeflationNullBasis(pc, *space, basis));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the combinations of A's null vectors that are in the span of Z, by their coefficients */
static PetscErrorCode Project(PC pc, const std::vector<Vec> &basis)
{
  PC_Subdeflation                      *s = Subdeflation(pc);
  HeptaCoarse                          &c = s->coarse;
  const size_t                          n = basis.size();
  std::vector<std::vector<PetscScalar>> part;
  std::vector<PetscReal>                G, values;

  PetscFunctionBegin;
  for (size_t k = 0; k < n; k++) {
    part.push_back(std::vector<PetscScalar>(c.d, 0));
    PetscCall(s->UsesLabels() ? TakeMeans(pc, basis[k], part[k]) : TakeVectors(pc, basis[k], part[k]));
  }
  PetscCall(GramEigenvectors(basis, G, values));
  for (size_t k = 0; k < n; k++) {
    std::vector<PetscScalar> v(c.d, 0);
    if (values[k] > 100 * PETSC_MACHINE_EPSILON) continue; /* squared distances of unit vectors to the span of Z */
    for (size_t j = 0; j < n; j++) {
      for (PetscInt e = 0; e < c.d; e++) v[e] += G[k * n + j] * part[j][e];
    }
    if (Orthonormalize(c.null, v)) c.null.push_back(v);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaSubdeflationNullVectors(PC pc)
{
  HeptaCoarse     &c     = Subdeflation(pc)->coarse;
  MatNullSpace     space = nullptr;
  std::vector<Vec> basis;

  PetscBool constant = PETSC_FALSE;
  PetscInt  others   = 0;

  PetscFunctionBegin;
  c.null.clear();
  PetscCall(FindNullSpace(pc, &space, basis));
  if (space) PetscCall(MatNullSpaceGetVecs(space, &constant, &others, nullptr));
  if (constant && !others && Subdeflation(pc)->UsesLabels())
    c.null.push_back(std::vector<PetscScalar>(c.d, 1 / PetscSqrtReal((PetscReal)c.d)));
  else if (!basis.empty()) PetscCall(Project(pc, basis));
  for (Vec &v : basis) PetscCall(VecDestroy(&v));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Block ILU(0) by hand: a rank's diagonal block as a dense matrix, factored in natural order on the pattern of its block diagonals or of its blocks */
#pragma once

#include "largest.h"
#include "pair.h"

#include <algorithm>
#include <set>

struct DenseILU {
  PetscInt              n = 0, bs = 1;
  std::vector<PetscInt> group; /* matrix block of each block row */
  std::set<PetscInt>    off;
  bool                  by_rows = false;

  std::set<std::pair<PetscInt, PetscInt>> blocks; /* by rows */
  std::vector<PetscScalar>                a, lu;  /* by rows: what couples rows of one matrix block, and its factors L (unit) and D V */

  PetscScalar &A(PetscInt i, PetscInt j) { return a[i * n + j]; }
  PetscScalar &F(PetscInt i, PetscInt j) { return lu[i * n + j]; }
  bool         In(PetscInt m, PetscInt c) const { return group[m] == group[c] && (by_rows ? blocks.count({m, c}) : off.count(c - m)); }
};

static inline PetscErrorCode DenseLoad(Mat aij, const std::vector<PetscInt> &group, DenseILU *d)
{
  PetscInt           start, end, nz;
  const PetscInt    *cols;
  const PetscScalar *vals;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(aij, &start, &end));
  PetscCall(MatGetBlockSize(aij, &d->bs));
  d->n     = end - start;
  d->group = group;
  d->a.assign((size_t)d->n * d->n, 0);
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatGetRow(aij, i, &nz, &cols, &vals));
    for (PetscInt k = 0; k < nz; k++) {
      const PetscInt m = (i - start) / d->bs, c = (cols[k] - start) / d->bs;
      if (cols[k] < start || cols[k] >= end) continue;
      d->off.insert(c - m);
      d->blocks.insert({m, c});
      if (group[m] == group[c]) d->A(i - start, cols[k] - start) = vals[k];
    }
    PetscCall(MatRestoreRow(aij, i, &nz, &cols, &vals));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inverse of the n x n matrix b, by rows, with row exchanges */
static inline std::vector<PetscScalar> Inverse(PetscInt n, std::vector<PetscScalar> b)
{
  std::vector<PetscScalar> x(n * n, 0);

  for (PetscInt i = 0; i < n; i++) x[i * n + i] = 1;
  for (PetscInt k = 0; k < n; k++) {
    PetscInt p = k;
    for (PetscInt r = k; r < n; r++) p = PetscAbsScalar(b[r * n + k]) > PetscAbsScalar(b[p * n + k]) ? r : p;
    for (PetscInt s = 0; s < n; s++) {
      std::swap(b[p * n + s], b[k * n + s]);
      std::swap(x[p * n + s], x[k * n + s]);
    }
    for (PetscInt r = 0; r < n; r++) {
      const PetscScalar f = b[r * n + k] / b[k * n + k];
      for (PetscInt s = 0; s < n && r != k; s++) {
        b[r * n + s] -= f * b[k * n + s];
        x[r * n + s] -= f * x[k * n + s];
      }
    }
    for (PetscInt s = 0; s < n; s++) x[k * n + s] /= b[k * n + k];
    for (PetscInt s = n - 1; s >= 0; s--) b[k * n + s] /= b[k * n + k];
  }
  return x;
}

/* Blocks (m, k) with k < m become L_mk = A_mk D_k^-1, and for all c > k in the pattern of row m, A_mc <- A_mc - L_mk A_kc */
static inline void DenseFactor(DenseILU *d)
{
  const PetscInt           bs = d->bs, nb = d->n / bs;
  std::vector<PetscScalar> pivot(bs * bs), row(bs);

  d->lu = d->a;
  for (PetscInt m = 0; m < nb; m++) {
    for (PetscInt k = 0; k < m; k++) {
      if (!d->In(m, k)) continue;
      for (PetscInt r = 0; r < bs * bs; r++) pivot[r] = d->F(k * bs + r / bs, k * bs + r % bs);
      const std::vector<PetscScalar> inverse = Inverse(bs, pivot);
      for (PetscInt r = m * bs; r < (m + 1) * bs; r++) {
        for (PetscInt s = 0; s < bs; s++) {
          row[s] = 0;
          for (PetscInt t = 0; t < bs; t++) row[s] += d->F(r, k * bs + t) * inverse[t * bs + s];
        }
        for (PetscInt s = 0; s < bs; s++) d->F(r, k * bs + s) = row[s];
        for (PetscInt c = k + 1; c < nb; c++) {
          for (PetscInt s = c * bs; s < (c + 1) * bs && d->In(m, c) && d->In(k, c); s++) {
            for (PetscInt t = 0; t < bs; t++) d->F(r, s) -= row[t] * d->F(k * bs + t, s);
          }
        }
      }
    }
  }
}

/* y <- L (D V) x, or its transpose */
static inline std::vector<PetscScalar> DenseProduct(DenseILU *d, bool transpose, const PetscScalar x[])
{
  const PetscInt           n = d->n, bs = d->bs;
  std::vector<PetscScalar> u(n, 0), y(n, 0);
  const auto               upper = [&](PetscInt i, PetscInt j) { return j / bs >= i / bs ? d->F(i, j) : PetscScalar(0); };
  const auto               lower = [&](PetscInt i, PetscInt j) { return j / bs < i / bs ? d->F(i, j) : PetscScalar(i == j); };

  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) u[i] += (transpose ? lower(j, i) : upper(i, j)) * x[j];
  }
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) y[i] += (transpose ? upper(j, i) : lower(i, j)) * u[j];
  }
  return y;
}

/* Must be (L D V)^-1 of the groups, and its transpose: M y = x for y = PC x */
static inline PetscErrorCode CheckDense(PC pc, Mat aij, const std::vector<PetscInt> &group, PetscReal tol, const char what[], bool by_rows = false)
{
  DenseILU           d;
  Vec                x, y;
  const PetscScalar *xa, *ya;
  PetscInt           start;
  Mat                P;

  PetscFunctionBegin;
  PetscCall(DenseLoad(aij, group, &d));
  d.by_rows = by_rows;
  DenseFactor(&d);
  PetscCall(PCGetOperators(pc, nullptr, &P));
  PetscCall(MatCreateVecs(P, &x, &y));
  PetscCall(VecGetOwnershipRange(x, &start, nullptr));
  for (PetscInt i = 0; i < d.n; i++) PetscCall(VecSetValue(x, start + i, PairNumber(start + i, 5, 17), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  for (bool transpose : {false, true}) {
    PetscReal error = 0;
    PetscCall(transpose ? PCApplyTranspose(pc, x, y) : PCApply(pc, x, y));
    PetscCall(VecGetArrayRead(x, &xa));
    PetscCall(VecGetArrayRead(y, &ya));
    const std::vector<PetscScalar> back = DenseProduct(&d, transpose, ya);
    for (PetscInt i = 0; i < d.n; i++) error = TestMax(error, PetscAbsScalar(back[i] - xa[i]));
    PetscCall(VecRestoreArrayRead(x, &xa));
    PetscCall(VecRestoreArrayRead(y, &ya));
    PetscCheck(error <= tol, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s%s: the product with the dense factors differs by %g", what, transpose ? ", transpose" : "", (double)error);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

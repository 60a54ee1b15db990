#include "csr.h"

#include <algorithm>
#include <array>

/* A number in [1, 2) that float rounds, from row and column */
static inline PetscScalar Value(PetscInt i, PetscInt j)
{
  return 1.0 + (PetscScalar)(((size_t)i * 7919 + (size_t)j * 104729) >> 2 & 1023) / 1025.0;
}

/* One row of block row m, whose block columns are cols[0..n) */
static void FillRow(PetscInt m, PetscInt r, PetscInt nc, PetscInt n, const PetscInt cols[], PetscInt col[], PetscScalar val[])
{
  const PetscInt i    = m * nc + r;
  PetscScalar    sum  = 0;
  PetscScalar   *diag = val;

  for (PetscInt b = 0; b < n; b++) {
    for (PetscInt s = 0; s < nc; s++, col++, val++) {
      *col = cols[b] * nc + s;
      *val = -Value(i, *col);
      if (*col == i) diag = val;
      else sum -= *val;
    }
  }
  *diag = 1.02 * sum;
}

CSR CSRGeneralHepta(PetscInt J, PetscInt H, PetscInt I, PetscInt nc)
{
  const PetscInt          M   = J * H * I;
  std::array<PetscInt, 7> off = {-J * H, -J, -1, 0, 1, J, J * H}, cols;
  const auto              end = std::unique(off.begin(), off.end());
  CSR                     A;
  PetscInt                at = 0;

  A.rows = M * nc;
  A.nc   = nc;
  A.ptr.resize((size_t)A.rows + 1);
  for (PetscInt m = 0; m < M; m++) {
    const PetscInt n = (PetscInt)std::count_if(off.begin(), end, [&](PetscInt o) { return m + o >= 0 && m + o < M; });
    for (PetscInt r = 0; r < nc; r++) A.ptr[(size_t)m * nc + r + 1] = at += n * nc;
  }
  A.col.resize(at);
  A.val.resize(at);
  for (PetscInt m = 0; m < M; m++) {
    PetscInt n = 0;
    for (auto o = off.begin(); o != end; o++) {
      if (m + *o >= 0 && m + *o < M) cols[n++] = m + *o;
    }
    for (PetscInt r = 0; r < nc; r++) {
      const PetscInt start = A.ptr[m * nc + r];
      FillRow(m, r, nc, n, cols.data(), &A.col[start], &A.val[start]);
    }
  }
  return A;
}

CSR CSRPoisson(PetscInt nx, PetscInt ny, PetscInt nz)
{
  const PetscInt plane = nx * ny;
  CSR            A;

  A.rows = plane * nz;
  A.ptr.reserve((size_t)A.rows + 1);
  A.col.reserve((size_t)A.rows * (nz > 1 ? 7 : 5));
  A.ptr.push_back(0);
  for (PetscInt i = 0; i < A.rows; i++) {
    const PetscInt x = i % nx, y = i / nx % ny, z = i / plane;
    if (z > 0) A.col.push_back(i - plane);
    if (y > 0) A.col.push_back(i - nx);
    if (x > 0) A.col.push_back(i - 1);
    A.col.push_back(i);
    if (x < nx - 1) A.col.push_back(i + 1);
    if (y < ny - 1) A.col.push_back(i + nx);
    if (z < nz - 1) A.col.push_back(i + plane);
    A.ptr.push_back((PetscInt)A.col.size());
  }
  A.val.resize(A.col.size());
  for (PetscInt i = 0; i < A.rows; i++) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) A.val[k] = A.col[k] == i ? (nz > 1 ? 6 : 4) : -1;
  }
  return A;
}

CSR CSRToBlocks(const CSR &A, bool columns)
{
  const PetscInt nc = A.nc;
  CSR            B;

  B.rows = A.rows;
  B.nc   = nc;
  B.val.resize(A.val.size());
  B.col.resize(A.col.size() / ((size_t)nc * nc));
  B.ptr.resize((size_t)A.rows / nc + 1);
  for (PetscInt m = 0; m < A.rows / nc; m++) {
    const PetscInt first = A.ptr[m * nc], width = A.ptr[m * nc + 1] - first; /* a block row's entries stand together: nc rows of `width` */
    PetscScalar   *v = &B.val[first];

    B.ptr[m] = first / (nc * nc);
    for (PetscInt b = 0; b < width; b += nc, v += (size_t)nc * nc) {
      const PetscScalar *from  = &A.val[first + b];
      B.col[B.ptr[m] + b / nc] = A.col[first + b] / nc;
      for (PetscInt r = 0; r < nc; r++, from += width) {
        for (PetscInt s = 0; s < nc; s++) v[columns ? s * nc + r : r * nc + s] = from[s];
      }
    }
  }
  B.ptr[A.rows / nc] = (PetscInt)B.col.size();
  return B;
}

CSR CSRToSlices(const CSR &A, PetscInt slice)
{
  CSR B;

  B.rows = A.rows;
  B.nc   = A.nc;
  B.ptr.push_back(0);
  for (PetscInt i = 0; i < A.rows; i += slice) {
    PetscInt width = 0;
    for (PetscInt r = i; r < PetscMin(i + slice, A.rows); r++) width = PetscMax(width, A.ptr[r + 1] - A.ptr[r]);
    B.ptr.push_back(B.ptr.back() + width * slice);
  }
  B.col.assign(B.ptr.back(), -1);
  B.val.assign(B.ptr.back(), 0);
  for (PetscInt i = 0; i < A.rows; i++) {
    const PetscInt start = B.ptr[i / slice] + i % slice;
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
      B.col[start + (k - A.ptr[i]) * slice] = A.col[k];
      B.val[start + (k - A.ptr[i]) * slice] = A.val[k];
    }
  }
  return B;
}

std::vector<double> CSRMult(const CSR &A, const std::vector<PetscScalar> &x)
{
  std::vector<double> y(A.rows);

  for (PetscInt i = 0; i < A.rows; i++) {
    for (PetscInt k = A.ptr[i]; k < A.ptr[i + 1]; k++) y[i] += (double)A.val[k] * (double)x[A.col[k]];
  }
  return y;
}

PetscErrorCode CSRGetAIJ(CSR &A, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, A.rows, A.rows, A.ptr.data(), A.col.data(), A.val.data(), B));
  PetscCall(MatSetBlockSize(*B, A.nc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

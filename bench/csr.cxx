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

/* Full blocks in the block columns that neighbors(m, cols) puts into cols[0 ... n), ascending, n being what it returns */
template <class F> static CSR FromBlocks(PetscInt M, PetscInt nc, PetscInt most, const F &neighbors)
{
  std::vector<PetscInt> cols(most);
  CSR                   A;

  A.rows = M * nc;
  A.nc   = nc;
  A.ptr.push_back(0);
  for (PetscInt m = 0; m < M; m++) {
    const PetscInt n = neighbors(m, cols.data()), start = A.ptr.back(), width = n * nc;
    A.col.resize((size_t)start + (size_t)width * nc);
    A.val.resize(A.col.size());
    for (PetscInt r = 0; r < nc; r++) {
      FillRow(m, r, nc, n, cols.data(), &A.col[start + r * width], &A.val[start + r * width]);
      A.ptr.push_back(start + (r + 1) * width);
    }
  }
  return A;
}

CSR CSRGeneralHepta(PetscInt J, PetscInt H, PetscInt I, PetscInt nc)
{
  const PetscInt          M   = J * H * I;
  std::array<PetscInt, 7> off = {-J * H, -J, -1, 0, 1, J, J * H};
  const auto              end = std::unique(off.begin(), off.end());

  return FromBlocks(M, nc, 7, [&](PetscInt m, PetscInt cols[]) {
    PetscInt n = 0;
    for (auto o = off.begin(); o != end; o++) {
      if (m + *o >= 0 && m + *o < M) cols[n++] = m + *o;
    }
    return n;
  });
}

CSR CSRElasticity(PetscInt k, PetscInt nc)
{
  return FromBlocks(k * k * k, nc, 27, [&](PetscInt m, PetscInt cols[]) {
    const PetscInt x = m % k, y = m / k % k, z = m / k / k;
    PetscInt       n = 0;
    for (PetscInt c = PetscMax(z - 1, 0); c <= PetscMin(z + 1, k - 1); c++) {
      for (PetscInt b = PetscMax(y - 1, 0); b <= PetscMin(y + 1, k - 1); b++) {
        for (PetscInt a = PetscMax(x - 1, 0); a <= PetscMin(x + 1, k - 1); a++) cols[n++] = (c * k + b) * k + a;
      }
    }
    return n;
  });
}

CSR CSRWells(PetscInt k, PetscInt nc, PetscInt every, PetscInt length)
{
  const PetscInt          M   = k * k * k;
  std::array<PetscInt, 7> off = {-k * k, -k, -1, 0, 1, k, k * k};

  return FromBlocks(M, nc, 7 + length, [&](PetscInt m, PetscInt cols[]) {
    PetscInt n = 0;
    for (PetscInt o : off) {
      if (m + o >= 0 && m + o < M) cols[n++] = m + o;
    }
    for (PetscInt l = 0; l < length && m % every == 0; l++)
      cols[n++] = (PetscInt)(((PetscInt64)m * 7919 + (PetscInt64)l * 104729) % M);
    std::sort(cols, cols + n);
    return (PetscInt)(std::unique(cols, cols + n) - cols);
  });
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
  const PetscInt        nc   = A.nc;
  const size_t          size = (size_t)nc * nc;
  std::vector<PetscInt> position(A.rows / nc, -1); /* of a block column among this block row's blocks */
  CSR                   B;

  B.rows = A.rows;
  B.nc   = nc;
  B.ptr.push_back(0);
  for (PetscInt m = 0; m < A.rows / nc; m++) {
    const PetscInt first = B.ptr[m];
    for (PetscInt k = A.ptr[m * nc]; k < A.ptr[(m + 1) * nc]; k++) {
      PetscInt &p = position[A.col[k] / nc];
      if (p >= first) continue;
      p = (PetscInt)B.col.size();
      B.col.push_back(A.col[k] / nc);
    }
    std::sort(B.col.begin() + first, B.col.end());
    for (PetscInt p = first; p < (PetscInt)B.col.size(); p++) position[B.col[p]] = p;
    B.val.resize(B.col.size() * size);
    for (PetscInt r = 0; r < nc; r++) {
      for (PetscInt k = A.ptr[m * nc + r]; k < A.ptr[m * nc + r + 1]; k++) {
        const PetscInt s                                                                    = A.col[k] % nc;
        B.val[position[A.col[k] / nc] * size + (size_t)(columns ? s * nc + r : r * nc + s)] = A.val[k];
      }
    }
    B.ptr.push_back((PetscInt)B.col.size());
  }
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

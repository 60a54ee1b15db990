#include "trisolve.h"

#ifdef HEPTA_HAVE_CUDA
  #include <petscdevice_cuda.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "petsc_types.h"

/* cudaMemcpy() finds out by itself where pointers lead; without a device it is not called */
static PetscErrorCode Copy(PetscBool device, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (device) PetscCallCUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
#endif
  if (!device) std::memcpy(to, from, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Allocate(PetscBool device, size_t n, PetscScalar **p)
{
  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (device) PetscCallCUDA(cudaMalloc((void **)p, n * sizeof(PetscScalar)));
#endif
  if (!device) PetscCall(PetscMalloc1(n, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Free(PetscBool device, PetscScalar **p)
{
  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (device) PetscCallCUDA(cudaFree(*p));
#endif
  if (!device) PetscCall(PetscFree(*p));
  *p = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns are one vector, each shifted by 7 rows more */
PetscErrorCode TriVectors::Create(PetscBool on_device, PetscInt size, PetscInt columns)
{
  std::vector<PetscScalar> column = BenchVector(size);

  PetscFunctionBegin;
  device = on_device;
  rows   = size;
  n      = columns;
  PetscCall(Allocate(device, (size_t)rows * n, &b));
  PetscCall(Allocate(device, (size_t)rows * n, &x));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(Copy(device, b + (size_t)k * rows, column.data(), rows * sizeof(PetscScalar)));
    std::rotate(column.begin(), column.begin() + 7 % rows, column.end());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TriVectors::Destroy()
{
  PetscFunctionBegin;
  PetscCall(Free(device, &b));
  PetscCall(Free(device, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All bits set is a NaN */
PetscErrorCode TriVectors::Poison(PetscInt columns)
{
  const size_t bytes = (size_t)columns * rows * sizeof(PetscScalar);

  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (device) {
    PetscCallCUDA(cudaMemset(x, 0xff, bytes));
    PetscCallCUDA(cudaDeviceSynchronize());
  }
#endif
  if (!device) std::memset(x, 0xff, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In long double, so that long rows do not count the error of the check itself */
static double BackwardError(const CSR &U, const std::vector<PetscScalar> &b, const std::vector<PetscScalar> &x)
{
  long double residual = 0, scale = 0;

  for (PetscInt i = 0; i < U.rows; i++) {
    long double r = b[i], s = std::abs(b[i]);
    for (PetscInt k = U.ptr[i]; k < U.ptr[i + 1]; k++) {
      const long double product = (long double)U.val[k] * (long double)x[U.col[k]];
      r -= product;
      s += std::abs(product);
    }
    if (!std::isfinite(r)) return std::numeric_limits<double>::infinity();
    residual = std::max(residual, std::abs(r));
    scale    = std::max(scale, s);
  }
  return scale > 0 ? (double)(residual / scale) : 0;
}

PetscErrorCode TriVectors::Check(const CSR &U, PetscInt columns, double *error) const
{
  std::vector<PetscScalar> right(rows), answer(rows);

  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (device) PetscCallCUDA(cudaDeviceSynchronize());
#endif
  *error = 0;
  for (PetscInt k : {(PetscInt)0, columns / 2, columns - 1}) {
    PetscCall(Copy(device, right.data(), b + (size_t)k * rows, rows * sizeof(PetscScalar)));
    PetscCall(Copy(device, answer.data(), x + (size_t)k * rows, rows * sizeof(PetscScalar)));
    *error = std::max(*error, BackwardError(U, right, answer));
    if (columns == 1) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

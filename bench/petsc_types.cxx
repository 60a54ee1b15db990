#include "petsc_types.h"

#ifdef HEPTA_HAVE_CUDA
  #include <cuda_runtime.h>
#endif

#include <cstdlib>
#include <cstring>

PetscErrorCode BenchConvert(Mat aij, MatType type, const char option[], const char value[], Mat *B)
{
  const bool sellcuda = !std::strcmp(type, MATSEQSELLCUDA);

  PetscFunctionBegin;
  if (option) PetscCall(PetscOptionsSetValue(nullptr, option, value));
  PetscCall(MatConvert(aij, sellcuda ? MATSEQSELL : type, MAT_INITIAL_MATRIX, B));
  if (sellcuda) PetscCall(MatConvert(*B, type, MAT_INPLACE_MATRIX, B));
  if (option) PetscCall(PetscOptionsClearValue(nullptr, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchCreateVecs(Mat B, const std::vector<PetscScalar> &values, Vec *x, Vec *y)
{
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(B, x, y));
  PetscCall(VecGetArrayWrite(*x, &a));
  std::memcpy(a, values.data(), values.size() * sizeof(PetscScalar));
  PetscCall(VecRestoreArrayWrite(*x, &a));
  PetscCall(VecSet(*y, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchGet(Vec y, std::vector<double> &values)
{
  const PetscScalar *a;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecGetArrayRead(y, &a));
  values.assign(a, a + n);
  PetscCall(VecRestoreArrayRead(y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<PetscScalar> BenchVector(PetscInt n)
{
  std::vector<PetscScalar> x(n);

  for (PetscInt i = 0; i < n; i++) x[i] = (PetscScalar)((size_t)i * 2654435761U % 2003) / 1001.5 - 1.0;
  return x;
}

PetscErrorCode BenchHaveDevice(PetscBool *have)
{
  const char *must = std::getenv("HEPTA_TEST_GPU");
  int         n    = 0;

  PetscFunctionBegin;
#ifdef HEPTA_HAVE_CUDA
  if (cudaGetDeviceCount(&n) != cudaSuccess) n = 0;
  (void)cudaGetLastError(); /* no driver is an answer here, not an error of a later call */
#endif
  PetscCheck(n || !must || std::strcmp(must, "1"), PETSC_COMM_WORLD, PETSC_ERR_GPU,
             "There is no CUDA device, or this was built without CUDA, and HEPTA_TEST_GPU=1 forbids skipping");
  if (!n) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skipped: no CUDA device, or built without CUDA\n"));
  *have = PetscBool(n > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

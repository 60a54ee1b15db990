#include "problem.h"

#include <vector>

/* Columns of a row in ascending order: neighbors inside the grid */
static PetscInt Neighbors(PetscInt n, PetscInt row, PetscInt cols[])
{
  const PetscInt x = row % n, y = row / n % n, z = row / (n * n);
  PetscInt       k = 0;

  if (z > 0) cols[k++] = row - n * n;
  if (y > 0) cols[k++] = row - n;
  if (x > 0) cols[k++] = row - 1;
  cols[k++] = row;
  if (x < n - 1) cols[k++] = row + 1;
  if (y < n - 1) cols[k++] = row + n;
  if (z < n - 1) cols[k++] = row + n * n;
  return k;
}

PetscErrorCode BenchCreate(MatType type, PetscInt n, PetscBool grid, Mat *A)
{
  const PetscInt        rows = n * n * n;
  std::vector<PetscInt> nnz(rows);
  PetscInt              cols[7];

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
  PetscCall(MatSetType(*A, type));
  if (grid) PetscCall(MatBDIASetGrid(*A, n, n, n));
  for (PetscInt i = 0; i < rows; i++) nnz[i] = Neighbors(n, i, cols);
  PetscCall(MatSeqAIJSetPreallocation(*A, 0, nnz.data()));
  PetscCall(MatSetUp(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BenchAssemble(Mat A, PetscInt n, PetscScalar shift)
{
  PetscInt    cols[7];
  PetscScalar vals[7];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n * n * n; i++) {
    const PetscInt k = Neighbors(n, i, cols);
    for (PetscInt l = 0; l < k; l++) vals[l] = cols[l] == i ? 6 + shift : -1;
    PetscCall(MatSetValues(A, 1, &i, k, cols, vals, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

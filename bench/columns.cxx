#include "columns.h"

#include <algorithm>

PetscErrorCode BenchColumns(std::vector<PetscInt> *columns)
{
  PetscInt  given[16], n = PETSC_STATIC_ARRAY_LENGTH(given);
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, "-columns", given, &n, &set));
  columns->assign(given, given + (set ? n : 0));
  for (PetscInt k : *columns)
    PetscCheck(k >= 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-columns must be at least 1, not %" PetscInt_FMT, k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseProduct::Create(Mat matrix, MatType type, PetscInt columns, const std::vector<PetscScalar> &x)
{
  const PetscInt rows = (PetscInt)x.size();
  PetscScalar   *b;

  PetscFunctionBegin;
  A = matrix;
  PetscCall(MatCreate(PETSC_COMM_SELF, &B));
  PetscCall(MatSetSizes(B, rows, columns, rows, columns));
  PetscCall(MatSetType(B, type));
  PetscCall(MatSetUp(B));
  PetscCall(MatDenseGetArrayWrite(B, &b));
  for (PetscInt c = 0; c < columns; c++) std::copy(x.begin(), x.end(), b + (size_t)c * rows);
  PetscCall(MatDenseRestoreArrayWrite(B, &b));
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseProduct::Get(std::vector<double> &y)
{
  const PetscScalar *c;
  PetscInt           rows, columns, lda;

  PetscFunctionBegin;
  PetscCall(MatGetSize(C, &rows, &columns));
  PetscCall(MatDenseGetLDA(C, &lda));
  PetscCall(MatDenseGetArrayRead(C, &c));
  y.assign(c + (size_t)(columns - 1) * lda, c + (size_t)(columns - 1) * lda + rows);
  PetscCall(MatDenseRestoreArrayRead(C, &c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DenseProduct::Destroy()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

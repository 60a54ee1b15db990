#include "csr_file.h"

#include <matrix_market.h>

std::string CSRFileName(const std::string &file)
{
  const size_t slash = file.rfind('/'), from = slash == std::string::npos ? 0 : slash + 1;

  return file.substr(from, file.find('.', from) - from);
}

PetscErrorCode CSRRead(const std::string &file, PetscInt rows, CSR *A)
{
  Mat                M;
  PetscInt           n, size, cols;
  const PetscInt    *i, *j;
  const PetscScalar *v;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_SELF, file.c_str(), 1, &M));
  PetscCall(MatConvert(M, MATSEQAIJ, MAT_INPLACE_MATRIX, &M));
  PetscCall(MatGetRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCall(MatGetSize(M, &size, &cols));
  PetscCheck(done && size == cols, PETSC_COMM_SELF, PETSC_ERR_SUP, "%s is not a square matrix", file.c_str());
  PetscCall(MatSeqAIJGetArrayRead(M, &v));
  const PetscInt copies = PetscMax(1, (rows + size - 1) / size);
  *A                    = {};
  A->rows               = size * copies;
  A->ptr.assign(1, 0);
  A->col.reserve((size_t)i[size] * copies);
  A->val.reserve((size_t)i[size] * copies);
  for (PetscInt c = 0; c < copies; c++) {
    for (PetscInt r = 0; r < size; r++) {
      for (PetscInt k = i[r]; k < i[r + 1]; k++) A->col.push_back(c * size + j[k]);
      A->val.insert(A->val.end(), v + i[r], v + i[r + 1]);
      A->ptr.push_back((PetscInt)A->col.size());
    }
  }
  PetscCall(MatSeqAIJRestoreArrayRead(M, &v));
  PetscCall(MatRestoreRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products with many vectors, C = A B with dense B: what host and device benches share */
#pragma once

#include <petscmat.h>

#include <vector>

/* What -columns lists, nothing if it is not given */
PetscErrorCode BenchColumns(std::vector<PetscInt> *columns);

struct DenseProduct {
  Mat A = nullptr, B = nullptr, C = nullptr; /* A borrowed */

  /* B of A's columns as rows and of the given type, each of its columns x; the first product */
  PetscErrorCode Create(Mat A, MatType type, PetscInt columns, const std::vector<PetscScalar> &x);
  PetscErrorCode Run() { return MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C); }
  /* the last column of C */
  PetscErrorCode Get(std::vector<double> &y);
  PetscErrorCode Destroy();
};

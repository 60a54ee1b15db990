/* The matrices of the levels' tests: small ones as pictures, grids of any size, and either in level order */
#pragma once

#include "program.h"

#include <cstring>
#include <string>
#include <vector>

typedef std::vector<PetscInt>    Ints;
typedef std::vector<std::string> Picture; /* a string for each row, with x where it has an entry */

/* The values of a matrix: off the diagonal between -1 and -1/2, symmetric for skew 0 */
struct Values {
  PetscInt    skew     = 5;
  PetscScalar diagonal = 16;

  PetscScalar operator()(PetscInt i, PetscInt j) const { return i == j ? diagonal : -0.5 - (PetscScalar)((17 * PetscMin(i, j) + 31 * PetscMax(i, j) + skew * (i > j)) % 97) / 194; }
};

static inline PetscErrorCode FromPicture(const Picture &rows, MatType type, Mat *A)
{
  const PetscInt n = (PetscInt)rows.size();

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, type));
  if (!std::strcmp(type, MATSEQSBAIJ)) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      if (rows[i][j] == 'x') PetscCall(MatSetValue(*A, i, j, Values()(i, j), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Five points on nx x ny cells; each cell has bs unknowns, all coupled with those of the cells beside it */
static inline PetscErrorCode Grid(PetscInt nx, PetscInt ny, PetscInt bs, MatType type, const Values &value, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, nx * ny * bs, nx * ny * bs, nx * ny * bs, nx * ny * bs));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, type));
  for (PetscInt i = 0; i < nx * ny * bs; i++) {
    for (PetscInt d = -2; d <= 2; d++) {
      const PetscInt cell = i / bs, x = cell % nx + d % 2, y = cell / nx + d / 2;
      if (x < 0 || x >= nx || y < 0 || y >= ny) continue;
      for (PetscInt s = 0; s < bs; s++) PetscCall(MatSetValue(*A, i, (x + y * nx) * bs + s, value(i, (x + y * nx) * bs + s), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A in level order has as many level blocks as levels, in both triangles where the pattern is symmetric */
static inline PetscErrorCode InLevelOrder(Mat A, Mat *B)
{
  IS       row, col;
  PetscInt levels, blocks;

  PetscFunctionBegin;
  PetscCall(MatGetOrdering(A, MATORDERINGLEVEL, &row, &col));
  PetscCall(MatPermute(A, row, col, B));
  for (PetscBool upper : {PETSC_FALSE, PETSC_TRUE}) {
    PetscCall(HeptaMatGetLevels(*B, upper, &levels, &blocks, nullptr, nullptr));
    PetscCheck(blocks == levels, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d level blocks in level order but %d levels", (int)blocks, (int)levels);
  }
  PetscCall(Destroy(&row, &col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

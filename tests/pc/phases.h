/* A small pressure matrix of two phases, for the tests of deflation */
#pragma once

#include "pair.h"

/* Is the cell in the second phase? */
static inline bool PhaseHeavy(PetscInt n, PetscInt x, PetscInt y)
{
  return 2 * y >= n && 3 * x >= n;
}

/*
   5 points on n x n cells, couplings of 1 and, between cells of different phases, 0.01; closed walls, but for the one at x = 0 if
   dirichlet: otherwise it is singular, and no null space is set. Ranks have unequal shares.
*/
static inline PetscErrorCode PhaseMat(MPI_Comm comm, PetscInt n, MatType type, bool dirichlet, Mat *A)
{
  PairSpec s;
  PetscInt start, end;

  PetscFunctionBeginUser;
  s.nb = n * n;
  PetscCall(PairCreateOne(comm, s, type, A));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    const PetscInt x = i % n, y = i / n;
    PetscScalar    sum = dirichlet && !x ? 1 : 0;
    for (const auto &step : {
           std::pair<PetscInt, PetscInt>(-1, 0), {1, 0 },
              {0, -1},
              {0, 1 }
    }) {
      const PetscInt    X = x + step.first, Y = y + step.second;
      const PetscScalar v = PhaseHeavy(n, x, y) == PhaseHeavy(n, X, Y) ? -1 : -0.01;
      if (X < 0 || X >= n || Y < 0 || Y >= n) continue;
      PetscCall(MatSetValue(*A, i, Y * n + X, v, INSERT_VALUES));
      sum -= v;
    }
    PetscCall(MatSetValue(*A, i, i, sum, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two separate regions with closed walls, cut between x = 5 and x = 6, and unit vectors that are constant in one of them */
static inline PetscErrorCode PhaseTwoRegions(MPI_Comm comm, PetscInt n, Mat *B, Vec null[2])
{
  Mat      A;
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, n, TestType(), false, &A));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (int k = 0; k < 2; k++) PetscCall(MatCreateVecs(A, &null[k], nullptr));
  for (PetscInt i = start; i < end; i++) {
    const PetscInt x = i % n;
    PetscScalar    v = PhaseHeavy(n, 5, i / n) == PhaseHeavy(n, 6, i / n) ? -1 : -0.01;
    if (x == 5 || x == 6) {
      PetscCall(MatSetValue(A, i, x == 5 ? i + 1 : i - 1, -v, ADD_VALUES));
      PetscCall(MatSetValue(A, i, i, v, ADD_VALUES));
    }
    PetscCall(VecSetValue(null[x > 5], i, 1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecAssemblyBegin(null[k]));
    PetscCall(VecAssemblyEnd(null[k]));
    PetscCall(VecNormalize(null[k], nullptr));
  }
  *B = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Small couplings to the rows at a distance: new block diagonals */
static inline PetscErrorCode PhaseMatWiden(Mat A, PetscInt n, PetscInt distance)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j : {i - distance, i + distance}) {
      if (j >= 0 && j < n * n) PetscCall(MatSetValue(A, i, j, -0.001, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The same random matrix as MATAIJ and as MATBDIA, and checks that name what differs. Included by the test programs whose
   oracle is MATAIJ.
*/
#pragma once

#include "device.h"
#include <petscksp.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct Pair {
  Mat aij = nullptr, bdia = nullptr;
};

struct PairSpec {
  PetscInt              bs = 1, nb = 20; /* block size, block rows */
  std::vector<PetscInt> off       = {-5, -1, 0, 1, 5};
  bool                  symmetric = false; /* then positive definite too */
  PetscInt              seed      = 1;
  const char           *options   = ""; /* of the bdia matrix */
};

/* A number in [-1, 1] that depends on row, column and seed only */
static inline PetscReal PairNumber(PetscInt i, PetscInt j, PetscInt seed)
{
  uint64_t h = (uint64_t)i * 0x9E3779B97F4A7C15ull ^ (uint64_t)j * 0xC2B2AE3D27D4EB4Full ^ (uint64_t)seed * 0x165667B19E3779F9ull;

  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ull;
  h ^= h >> 32;
  h *= 0x94D049BB133111EBull;
  h ^= h >> 29;
  return (PetscReal)(h >> 11) / (PetscReal)(1ull << 52) - 1;
}

/* Sets every entry of the blocks at the offsets but one in ten; rows are diagonally dominant. Calling it again with another seed keeps the pattern. */
static inline PetscErrorCode PairFill(Mat A, const PairSpec &s, PetscInt seed)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt o : s.off) {
      const PetscInt m = i / s.bs + o;
      for (PetscInt j = m * s.bs; m >= 0 && m < s.nb && j < (m + 1) * s.bs; j++) {
        const PetscInt a = s.symmetric ? PetscMin(i, j) : i, b = s.symmetric ? PetscMax(i, j) : j;
        PetscScalar    v = PairNumber(a, b, seed);
        if (i != j && PairNumber(a, b, 4711) < -0.8) continue;
        if (i == j) v += (PetscReal)(s.off.size() * s.bs) * 0.7 + 1;
        PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ranks get unequal shares of the block rows, in proportion 1 : 2 : 3 ... */
static inline PetscErrorCode PairCreateOne(MPI_Comm comm, const PairSpec &s, MatType type, Mat *A)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const PetscInt parts = size * (size + 1) / 2, first = s.nb * (rank * (rank + 1) / 2) / parts, last = s.nb * ((rank + 1) * (rank + 2) / 2) / parts;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, (last - first) * s.bs, (last - first) * s.bs, s.nb * s.bs, s.nb * s.bs));
  PetscCall(MatSetBlockSize(*A, s.bs));
  PetscCall(MatSetType(*A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode PairCreate(MPI_Comm comm, const PairSpec &s, Pair *p)
{
  PetscFunctionBegin;
  PetscCall(PairCreateOne(comm, s, MATAIJ, &p->aij));
  PetscCall(MatSetOption(p->aij, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(PairCreateOne(comm, s, TestType(), &p->bdia));
  PetscCall(MatSetOptionsPrefix(p->bdia, "pair_"));
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions(s.options).c_str()));
  PetscCall(MatSetFromOptions(p->bdia));
  for (Mat A : {p->aij, p->bdia}) {
    PetscCall(PairFill(A, s, s.seed));
    if (s.symmetric) PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
    if (s.symmetric) PetscCall(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_TRUE));
  }
  PetscCall(MatSetOperation(p->aij, MATOP_MULT_DIAGONAL_BLOCK, nullptr)); /* mpiaij has it with inodes only, and fails without */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode PairDestroy(Pair *p)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&p->aij));
  PetscCall(MatDestroy(&p->bdia));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Raises an error unless ||a - b|| <= tol ||a|| */
static inline PetscErrorCode CheckVec(Vec a, Vec b, PetscReal tol, const char what[])
{
  PetscReal na, nd;
  Vec       d;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &d)); /* of the type of b: one of the two may live on the host, the other on the device */
  PetscCall(VecCopy(a, d));
  PetscCall(VecAXPY(d, -1, b));
  PetscCall(VecNorm(a, NORM_2, &na));
  PetscCall(VecNorm(d, NORM_2, &nd));
  PetscCall(VecDestroy(&d));
  PetscCheck(nd <= tol * PetscMax(na, 1e-30), PetscObjectComm((PetscObject)a), PETSC_ERR_PLIB, "%s: bdia differs from aij by %g of %g", what, (double)nd, (double)na);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for matrices of any types */
static inline PetscErrorCode CheckMat(Mat a, Mat b, PetscReal tol, const char what[])
{
  PetscReal na, nd;
  Mat       x, y;

  PetscFunctionBegin;
  PetscCall(MatConvert(a, MATAIJ, MAT_INITIAL_MATRIX, &x));
  PetscCall(MatConvert(b, MATAIJ, MAT_INITIAL_MATRIX, &y));
  PetscCall(MatNorm(x, NORM_FROBENIUS, &na));
  PetscCall(MatAXPY(y, -1, x, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(y, NORM_FROBENIUS, &nd));
  PetscCall(MatDestroy(&x));
  PetscCall(MatDestroy(&y));
  PetscCheck(nd <= tol * PetscMax(na, 1e-30), PetscObjectComm((PetscObject)a), PETSC_ERR_PLIB, "%s: bdia differs from aij by %g of %g", what, (double)nd, (double)na);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs f on random pairs of every block size, of `few` block rows where the blocks are large and `many` where they are small */
static inline PetscErrorCode PairEachBlockSize(PetscInt many, PetscInt few, const std::function<PetscErrorCode(PairSpec &)> &f)
{
  PetscFunctionBegin;
  for (PetscInt bs : {1, 2, 3, 7, 13}) {
    PairSpec s;
    s.bs = bs;
    s.nb = bs > 3 ? few : many;
    PetscCall(f(s));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   For the programs that test how a MATBDIA matrix is made: shapes and shares of the ranks, a set of random blocks, and a
   comparison with MATAIJ that names the first entry that differs.
*/
#pragma once

#include "testmat.h"

#include <cstring>
#include <functional>

enum class Share {
  EVEN, /* as PETSc splits, by blocks */
  RAMP, /* 1 : 2 : 3 ... */
  THIN  /* the first rank none, the last all but one block for each rank in between: less than any halo */
};
static const char *const share_names[] = {"even", "ramp", "thin"};

struct Shape {
  PetscInt bs = 1, nbr = 17, nbc = 17; /* block size, block rows, block columns */
  Share    rows = Share::EVEN, cols = Share::EVEN;
};

/* One nonzero block: block row, block column */
typedef std::pair<PetscInt, PetscInt> Block;

static inline std::string ShapeName(const Shape &s)
{
  return "bs " + std::to_string(s.bs) + ", " + std::to_string(s.nbr) + " x " + std::to_string(s.nbc) + " blocks, shares " + share_names[(int)s.rows] + " and " + share_names[(int)s.cols];
}

/* How many of n blocks this rank has */
static inline PetscInt ShareOf(MPI_Comm comm, PetscInt n, Share share)
{
  PetscMPIInt rank, size;

  (void)MPI_Comm_rank(comm, &rank);
  (void)MPI_Comm_size(comm, &size);
  const PetscInt parts = size * (size + 1) / 2, between = PetscMin(PetscMax(size - 2, 0), n);
  if (share == Share::EVEN) return n / size + (n % size > rank);
  if (share == Share::RAMP) return n * ((rank + 1) * (rank + 2) / 2) / parts - n * (rank * (rank + 1) / 2) / parts;
  return rank == size - 1 ? n - between : rank > 0 && rank <= between;
}

/* A matrix without values; bdia reads the options of the given prefix */
static inline PetscErrorCode NewMat(MPI_Comm comm, const Shape &s, MatType type, const char prefix[], Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, s.bs * ShareOf(comm, s.nbr, s.rows), s.bs * ShareOf(comm, s.nbc, s.cols), s.bs * s.nbr, s.bs * s.nbc));
  PetscCall(MatSetBlockSize(*A, s.bs));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetOptionsPrefix(*A, prefix));
  if (strcmp(type, MATAIJ)) PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks on the given offsets, and `more` at random places */
static inline std::vector<Block> MakeBlocks(const Shape &s, const std::vector<PetscInt> &off, PetscInt more)
{
  std::vector<Block> blocks;

  for (PetscInt m = 0; m < s.nbr; m++) {
    for (PetscInt o : off) {
      if (m + o >= 0 && m + o < s.nbc) blocks.push_back({m, m + o});
    }
  }
  for (PetscInt k = 0; k < more && s.nbr && s.nbc; k++) blocks.push_back({(PetscInt)((PairNumber(k, 1, 7) + 1) / 2 * (s.nbr - 0.5)), (PetscInt)((PairNumber(k, 2, 7) + 1) / 2 * (s.nbc - 0.5))});
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

/* A rank that depends on the entry only: who sets it when values are set from anywhere */
static inline PetscMPIInt SetterOf(PetscInt i, PetscInt j, PetscInt seed, PetscMPIInt size)
{
  return PetscMin(size - 1, (PetscMPIInt)((PairNumber(i, j, 31 + seed) + 1) / 2 * size));
}

/* Every row has the same columns in both; names the first difference */
static inline PetscErrorCode CheckRows(Mat aij, Mat other, PetscReal tol, const char what[])
{
  PetscInt           start, end, na, nb;
  const PetscInt    *ja, *jb;
  const PetscScalar *va, *vb;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(aij, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatGetRow(aij, i, &na, &ja, &va));
    PetscCall(MatGetRow(other, i, &nb, &jb, &vb));
    for (PetscInt k = 0; k < PetscMin(na, nb); k++) {
      PetscCheck(ja[k] == jb[k], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: entry %d of row %d is in column %d instead of %d", what, (int)k, (int)i, (int)jb[k], (int)ja[k]);
      PetscCheck(PetscAbsScalar(va[k] - vb[k]) <= tol * PetscMax(1, PetscAbsScalar(va[k])), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %d, column %d is %g instead of %g", what, (int)i, (int)ja[k], (double)PetscRealPart(vb[k]),
                 (double)PetscRealPart(va[k]));
    }
    PetscCheck(na == nb, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: row %d has %d entries instead of %d", what, (int)i, (int)nb, (int)na);
    PetscCall(MatRestoreRow(aij, i, &na, &ja, &va));
    PetscCall(MatRestoreRow(other, i, &nb, &jb, &vb));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Exactly the same entries, and the same products: those read every slot, so a slot that is not an entry must hold zero */
static inline PetscErrorCode CheckSame(Mat aij, Mat bdia, PetscReal tol, const char what[])
{
  Mat     B;
  MatInfo count, expected;

  PetscFunctionBegin;
  PetscCall(MatConvert(bdia, MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(CheckRows(aij, B, tol, what));
  PetscCall(MatDestroy(&B));
  PetscCall(MatGetInfo(aij, MAT_GLOBAL_SUM, &expected));
  PetscCall(MatGetInfo(bdia, MAT_GLOBAL_SUM, &count));
  PetscCheck(count.nz_used == expected.nz_used, PetscObjectComm((PetscObject)aij), PETSC_ERR_PLIB, "%s: %g entries counted instead of %g", what, count.nz_used, expected.nz_used);
  PetscCall(TestSame(aij, bdia, PetscMax(tol, 1e-13), what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets values in a matrix and assembles it */
typedef std::function<PetscErrorCode(Mat)> Recipe;

/* The same recipe on MATAIJ and on MATBDIA must give the same matrix */
static inline PetscErrorCode CheckRecipe(MPI_Comm comm, const Shape &s, const char prefix[], PetscReal tol, const std::string &what, const Recipe &recipe)
{
  Mat               A[2];
  const std::string name = what + ": " + ShapeName(s);

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, prefix, &A[k]));
    const PetscErrorCode code = recipe(A[k]);
    if (code) (void)(*PetscErrorPrintf)("Failed: %s\n", name.c_str());
    PetscCall(code);
  }
  PetscCall(CheckSame(A[0], A[1], tol, name.c_str()));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode Assemble(Mat A, MatAssemblyType type = MAT_FINAL_ASSEMBLY)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(A, type));
  PetscCall(MatAssemblyEnd(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of the blocks, some entries left out, set by the rows' owners */
static inline PetscErrorCode FillBlocks(Mat A, const Shape &s, const std::vector<Block> &blocks, PetscInt seed)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (const Block &b : blocks) {
    for (PetscInt i = PetscMax(start, b.first * s.bs); i < PetscMin(end, (b.first + 1) * s.bs); i++) {
      for (PetscInt j = b.second * s.bs; j < (b.second + 1) * s.bs; j++) {
        const PetscScalar v = PairNumber(i, j, seed);
        if (PairNumber(i, j, 4711) > -0.9) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, INSERT_VALUES));
      }
    }
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room in MATAIJ for every entry: without it aij of several ranks cannot insert, flush and then add. Nothing for other types. */
static inline PetscErrorCode PreallocateAIJ(Mat A)
{
  PetscInt n, N;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, nullptr, &n));
  PetscCall(MatGetSize(A, nullptr, &N));
  PetscCall(MatSeqAIJSetPreallocation(A, N, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(A, n, nullptr, N - n, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices with these prefixes may have any structure */
static inline PetscErrorCode NoLimits(const std::vector<std::string> &prefixes)
{
  PetscFunctionBegin;
  for (const std::string &p : prefixes) PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-" + p + "mat_bdia_max_offsets 1000 -" + p + "mat_bdia_max_fill 1000").c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For every block size, with the splits of the rows among the ranks in turn; block sizes 1 and 3 meet all, seven ranks the thin one only */
static inline PetscErrorCode EachShape(MPI_Comm comm, PetscErrorCode (*f)(MPI_Comm, const Shape &))
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (PetscInt bs : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 17}) {
    for (Share share : {Share::EVEN, Share::RAMP, Share::THIN}) {
      Shape s;
      if (TestQuick() && bs != 1 && bs != 3 && bs != 9) continue;
      if (size == 1 && share != Share::EVEN) continue;
      if (size > 1 && size < 5 && bs != 1 && bs != 3 && (int)share != (bs + size) % 3) continue;
      if (size > 4 && (share != Share::THIN || (bs > 2 && bs != 5))) continue;
      s.bs  = bs;
      s.nbr = s.nbc = bs > 4 ? 9 : 17;
      s.rows = s.cols = share;
      PetscCall(f(comm, s));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

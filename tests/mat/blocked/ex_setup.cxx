static char help[] = "What a MATBDIA matrix allows after its set-up: no other block size, unless it is preallocated again; "
                     "nonzeros brought to the diagonal by LU. Local sizes that do not add up.\n\n";

#include <petsc/private/matimpl.h>

#include "core.h"
#include "failure.h"

/* Before set-up the block size may change; after it only the same one may be set, and a refusal does no harm */
static PetscErrorCode BlockSize(MPI_Comm comm, const Shape &s)
{
  const PetscInt other = s.bs == 1 ? 2 : 1;

  PetscFunctionBegin;
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "block size", [&](Mat A) {
    PetscInt  start, end, bs;
    PetscBool aij;

    PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
    PetscCall(MatSetUp(A));
    for (bool filled : {false, true}) {
      PetscCall(MatSetBlockSize(A, s.bs));
      if (!aij) PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "The block size", [&] { return MatSetBlockSize(A, other); }));
      if (!aij)
        PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "The block size", [&] { return MatSetBlockSizes(A, s.bs, other); }));
      PetscCall(MatGetBlockSize(A, &bs));
      PetscCheck(bs == s.bs, comm, PETSC_ERR_PLIB, "The refused block size stays");
      if (filled) break;
      PetscCall(MatGetOwnershipRange(A, &start, &end));
      for (PetscInt i = start; i < end; i++)
        PetscCall(MatSetValue(A, i, (i + 1) % (s.nbr * s.bs), PairNumber(i, i, 1), INSERT_VALUES));
      PetscCall(Assemble(A));
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros on the diagonal: the columns of blocks are reversed */
static PetscErrorCode Antidiagonal(MPI_Comm comm, const Shape &s, MatType type, Mat *A)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(NewMat(comm, s, type, "t_", A));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    const PetscInt m = i / s.bs, c = m * s.bs + s.bs - 1 - i % s.bs;
    PetscCall(MatSetValue(*A, i, i, 0, INSERT_VALUES)); /* aij's LU needs this entry, whatever its value is */
    PetscCall(MatSetValue(*A, i, c, 4, INSERT_VALUES));
    for (PetscInt o : {-1, 1}) {
      if (m + o >= 0 && m + o < s.nbr) PetscCall(MatSetValue(*A, i, c + o * s.bs, PairNumber(i, o, 3), INSERT_VALUES));
    }
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The permutation that PETSc finds for each, and the solve that needs it */
static PetscErrorCode NonzeroDiagonal(Mat A, IS perm[2], Vec *x, KSPConvergedReason *reason)
{
  KSP      ksp;
  PC       pc;
  Vec      b;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, nullptr));
  for (int k = 0; k < 2; k++) {
    std::vector<PetscInt> identity(n);
    for (PetscInt i = 0; i < n; i++) identity[i] = i;
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, identity.data(), PETSC_COPY_VALUES, &perm[k]));
    PetscCall(ISSetPermutation(perm[k]));
  }
  PetscCall(MatReorderForNonzeroDiagonal(A, 1e-10, perm[0], perm[1]));
  PetscCall(MatCreateVecs(A, x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "diagonal_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCLU));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, *x));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LocalParts(MPI_Comm comm, const Shape &s)
{
  Mat                A[2], local[2];
  IS                 perm[2][2];
  Vec                x[2];
  KSPConvergedReason reason[2];
  PetscMPIInt        size;
  PetscBool          same;

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(Antidiagonal(comm, s, k ? TestType() : MATAIJ, &A[k]));
    PetscCall(MatGetDiagonalBlock(A[k], &local[k]));
    PetscCall(NonzeroDiagonal(local[k], perm[k], &x[k], &reason[k]));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(ISEqual(perm[0][k], perm[1][k], &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Nonzeros are brought to the diagonal by other permutations than aij's");
  }
  PetscCallMPI(MPI_Comm_size(comm, &size));
  /* PETSc's search can leave a zero in the local part of one of several ranks: then both fail */
  PetscCheck(reason[0] == reason[1] && (reason[0] > 0 || size > 1), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "LU with nonzeros brought to the diagonal: aij %s, bdia %s", KSPConvergedReasons[reason[0]],
             KSPConvergedReasons[reason[1]]);
  if (reason[0] > 0) PetscCall(CheckVec(x[0], x[1], 1e-12, "LU with nonzeros brought to the diagonal"));
  for (int k = 0; k < 2; k++) {
    for (IS &p : perm[k]) PetscCall(ISDestroy(&p));
    PetscCall(VecDestroy(&x[k]));
    PetscCall(MatDestroy(&A[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  PetscFunctionBegin;
  PetscCall(BlockSize(comm, s));
  PetscCall(LocalParts(comm, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs of rows coupled within and with the next pair */
static PetscErrorCode FillPairs(Mat A, PetscInt n)
{
  PetscFunctionBegin;
  for (PetscInt i = A->rmap->rstart; i < A->rmap->rend; i++) {
    for (PetscInt j : {i - 2, i, i + 2, i ^ 1}) {
      /* negative columns are ignored */
      if (j < n) PetscCall(MatSetValue(A, i, j, i == j ? 4 + i % 3 : PairNumber(i, j, 2), INSERT_VALUES));
    }
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCBJACOBI's preconditioned ones as with MATAIJ */
static PetscErrorCode CheckBlockJacobi(Mat A, Mat aij, PC pc)
{
  PC        other;
  Vec       b, x, y;
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &other));
  PetscCall(PCSetOptionsPrefix(other, "pairs_"));
  PetscCall(PCSetOperators(other, aij, aij));
  PetscCall(PCSetFromOptions(other));
  PetscCall(MatCreateVecs(aij, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecSet(b, 1));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCApply(pc, b, x));
  PetscCall(PCApply(other, b, y));
  PetscCall(VecAXPY(y, -1, x));
  PetscCall(VecNorm(y, NORM_INFINITY, &error));
  PetscCheck(error <= 1e-5, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PCBJACOBI with blocks of %d differs by %g from that of MATAIJ",
             (int)A->rmap->bs, (double)error);
  PetscCall(PCDestroy(&other));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal block that PCBJACOBI asked for has the block size of each new preallocation */
static PetscErrorCode DiagonalBlock(MPI_Comm comm)
{
  Shape s;
  Mat   A, aij, block;
  PC    pc;

  PetscFunctionBegin;
  s.bs = 2;
  PetscCall(NewMat(comm, s, TestType(), "t_", &A));
  PetscCall(PetscOptionsInsertString(nullptr, "-pairs_pc_type bjacobi -pairs_sub_pc_type pbjacobi"));
  PetscCall(PCCreate(comm, &pc));
  PetscCall(PCSetOptionsPrefix(pc, "pairs_"));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  for (PetscInt bs : {2, 1, 2}) {
    PetscCall(MatSeqBAIJSetPreallocation(A, bs, 1, nullptr));
    PetscCall(MatMPIBAIJSetPreallocation(A, bs, 1, nullptr, 1, nullptr));
    PetscCall(NewMat(comm, s, MATAIJ, nullptr, &aij));
    PetscCall(MatSetBlockSize(aij, bs));
    PetscCall(MatSetUp(aij));
    PetscCall(FillPairs(aij, s.bs * s.nbr));
    PetscCall(FillPairs(A, s.bs * s.nbr));
    PetscCall(CheckBlockJacobi(A, aij, pc));
    PetscCall(MatGetDiagonalBlock(A, &block));
    PetscCheck(block->rmap->bs == bs, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The diagonal block has the block size %d instead of %d",
               (int)block->rmap->bs, (int)bs);
    PetscCall(MatDestroy(&aij));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local numbers of rows or columns whose sum is not the global one: an error, also where MatSetUp() is not called first. A debug
   build of PETSc finds it itself. */
static PetscErrorCode SizesDisagree(MPI_Comm comm)
{
  const char *const words = PetscDefined(USE_DEBUG) ? "Sum of local lengths" : "of all MPI processes add up to";
  PetscMPIInt       size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (PetscInt more : {6, -6}) {
    if (size == 1 && more < 0) continue; /* MatSetSizes() refuses more local rows than global ones */
    for (bool rows : {true, false}) {
      for (bool values : {false, true}) {
        const PetscInt n = 6 * size, other = n + more;
        Mat            A;

        PetscCall(MatCreate(comm, &A));
        PetscCall(MatSetSizes(A, 6, 6, rows ? other : n, rows ? n : other));
        PetscCall(MatSetBlockSize(A, 2));
        PetscCall(MatSetType(A, TestType()));
        PetscCall(
          ExpectError(PETSC_ERR_ARG_SIZ, words, [&] { return values ? MatSetValue(A, 0, 0, 1, INSERT_VALUES) : MatSetUp(A); }));
        PetscCall(MatDestroy(&A));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"t_"}));
  PetscCall(PetscOptionsInsertString(nullptr, "-diagonal_pc_factor_nonzeros_along_diagonal"));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(DiagonalBlock(PETSC_COMM_WORLD));
  PetscCall(SizesDisagree(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}

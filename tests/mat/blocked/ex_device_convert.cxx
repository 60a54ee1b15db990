static char help[] = "From and to MATAIJCUSPARSE with the values on the device, compared with MATAIJ; the structure of blocked "
                     "rows found there, compared with the host's.\n\n";

#include "core.h"

/* A product brings the values to the device */
static PetscErrorCode Multiply(Mat A)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Scale(Mat A, Mat B, PetscScalar alpha)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(A, alpha));
  PetscCall(MatScale(B, alpha));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New, and with new values in the same matrix */
static PetscErrorCode ToCUSPARSE(const TestCase &c, const Pair &p)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(Multiply(p.bdia));
  PetscCall(MatConvert(p.bdia, MATAIJCUSPARSE, MAT_INITIAL_MATRIX, &C));
  PetscCall(TestSame(p.aij, C, c.storage.tol, "to aijcusparse"));
  for (PetscScalar alpha : {2., -0.5}) {
    PetscCall(Scale(p.aij, p.bdia, alpha));
    PetscCall(MatConvert(p.bdia, MATAIJCUSPARSE, MAT_REUSE_MATRIX, &C));
    PetscCall(TestSame(p.aij, C, c.storage.tol, "to the same aijcusparse again"));
  }
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FromCUSPARSE(const TestCase &c, const Pair &p)
{
  Mat C, B;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(p.aij, MATAIJCUSPARSE, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatSetOptionsPrefix(C, "pair_"));
  PetscCall(Multiply(C));
  PetscCall(MatConvert(C, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(TestSame(p.aij, B, c.storage.tol, "from aijcusparse"));
  for (PetscScalar alpha : {3., 0.25}) {
    PetscCall(Scale(p.aij, C, alpha));
    PetscCall(MatConvert(C, TestType(), MAT_REUSE_MATRIX, &B));
    PetscCall(TestSame(p.aij, B, c.storage.tol, "from the same aijcusparse again"));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(const TestCase &c)
{
  Pair p;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(c.comm, c.spec, &p));
  PetscCall(ToCUSPARSE(c, p));
  PetscCall(FromCUSPARSE(c, p));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of all lengths: none, few random ones, runs of neighbors, and with `dense` one of all columns */
static PetscErrorCode RandomAIJ(PetscInt rows, PetscInt cols, bool dense, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, cols, 0, nullptr, A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < rows; i++) {
    const PetscInt n = dense && i == rows / 3 ? cols : i % 7 == 3 ? 0 : i % 5 + 1;
    for (PetscInt k = 0; k < n; k++) {
      const PetscInt start = (PetscInt)((PairNumber(i / 4, k, 11) + 1) / 2 * (cols - 1)),
                     j     = n == cols ? k : PetscMin(cols - 1, start + i % 3);
      PetscCall(MatSetValue(*A, i, j, PairNumber(i, j, 13), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A x has the same bits with both */
static PetscErrorCode CheckBits(Mat A, Mat B, const char what[])
{
  Vec       x, y, z;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSetRandom(x, nullptr));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMult(B, x, z));
  PetscCall(VecEqual(y, z, &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: not the bits of the matrix that the host has made", what);
  for (Vec *v : {&x, &y, &z}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One matrix by way of aijcusparse and of aij: the same entries, counts, locations and products, and again with new values */
static PetscErrorCode CompareWays(Mat aij, const std::string &options)
{
  const std::string what = "tiles of " + options;
  Mat               C, A, B;
  MatInfo           info[2];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(nullptr, "-mat_brow_bs", options.c_str()));
  PetscCall(MatConvert(aij, MATSEQAIJCUSPARSE, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatConvert(C, TestType(), MAT_INITIAL_MATRIX, &A));
  PetscCall(MatConvert(aij, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(CheckSame(aij, A, 1e-14, what.c_str()));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info[0]));
  PetscCall(MatGetInfo(B, MAT_LOCAL, &info[1]));
  PetscCheck(info[0].nz_allocated == info[1].nz_allocated && info[0].memory == info[1].memory, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: %g slots in %g bytes on the device, %g in %g on the host", what.c_str(), info[0].nz_allocated, info[0].memory,
             info[1].nz_allocated, info[1].memory);
  PetscCall(CheckBits(A, B, what.c_str()));
  PetscCall(MatScale(C, 3));
  PetscCall(MatScale(B, 3));
  PetscCall(MatConvert(C, TestType(), MAT_REUSE_MATRIX, &A));
  PetscCall(CheckBits(A, B, (what + ", new values").c_str()));
  for (Mat *m : {&A, &B, &C}) PetscCall(MatDestroy(m));
  PetscCall(PetscOptionsClearValue(nullptr, "-mat_brow_bs"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rectangular, with empty and dense rows, in tiles that warps merge and in larger ones */
static PetscErrorCode TestTiles()
{
  PetscFunctionBeginUser;
  for (PetscInt rows : {1, 40, 333, 2500}) {
    if (TestQuick() && rows != 333) continue;
    for (bool dense : {false, true}) {
      Mat aij;
      PetscCall(RandomAIJ(rows, rows == 333 ? 61 : rows + rows / 4, dense, &aij));
      for (const char *tile : {"auto", "1", "2", "3", "4", "5", "8", "9", "13", "32", "33"}) PetscCall(CompareWays(aij, tile));
      PetscCall(PetscOptionsSetValue(nullptr, "-mat_brow_mapping", "multirow")); /* slices, and the dense row alone */
      for (const char *tile : {"1", "3"}) PetscCall(CompareWays(aij, tile));
      PetscCall(PetscOptionsClearValue(nullptr, "-mat_brow_mapping"));
      PetscCall(MatDestroy(&aij));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help, true));
  PetscCall(TestEach(PETSC_COMM_WORLD, Test));
  if (!TestIsBDIA()) PetscCall(TestTiles());
  PetscCall(PetscFinalize());
  return 0;
}

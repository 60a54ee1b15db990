static char help[] = "MATBDIACUDA from and to MATAIJCUSPARSE with the values on the device, compared with MATAIJ.\n\n";

#include "testmat.h"

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

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help, true));
  PetscCall(TestEach(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}

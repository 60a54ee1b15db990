static char help[] = "Vectors on the host of one process and on the GPU of the others: an error on all, and later products are right.\n\n";

#include "failure.h"
#include "transports.h"

/* y <- A x or A^T x, with the vectors of the first `bound` processes on the host */
static PetscErrorCode Product(Mat A, bool transpose, PetscMPIInt bound, PetscErrorCode expected, Numbers *product)
{
  PetscMPIInt rank;
  Vec         x, y;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatCreateVecs(A, &x, &y)); /* A is square: both serve for either product */
  PetscCall(FillVec(x, 3));
  for (Vec v : {x, y}) PetscCall(VecBindToCPU(v, rank < bound ? PETSC_TRUE : PETSC_FALSE));
  const auto multiply = [&] { return transpose ? MatMultTranspose(A, x, y) : MatMult(A, x, y); };
  if (expected) PetscCall(ExpectError(expected, "Vectors are on the GPU of some processes and on the host of others", multiply));
  else {
    PetscCall(multiply());
    PetscCall(Append(y, product));
  }
  for (Vec *v : {&x, &y}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first product of a new matrix is mixed; then all vectors are on GPUs, or all on the host */
static PetscErrorCode Mixed(MPI_Comm comm, bool transpose, bool host)
{
  const char *const what = transpose ? "transposed product" : "product";
  Mat               A, aij;
  PetscMPIInt       size;
  Numbers           product, expected;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMatrix(comm, TestType(), 1, &A));
  PetscCall(NewMatrix(comm, MATAIJ, 1, &aij));
  if (TestOnDevice() && size > 1) {
    PetscCall(Product(A, transpose, 1, PETSC_ERR_ARG_INCOMP, nullptr));
    PetscCall(Product(A, transpose, size - 1, PETSC_ERR_ARG_INCOMP, nullptr));
  }
  PetscCall(Product(A, transpose, host ? size : 0, PETSC_SUCCESS, &product));
  PetscCall(Product(aij, transpose, 0, PETSC_SUCCESS, &expected));
  for (size_t i = 0; i < product.size(); i++)
    PetscCheck(PetscAbsScalar(product[i] - expected[i]) <= 1e-10, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Local row %zu of a %s after the error is %g instead of %g", i, what, (double)PetscRealPart(product[i]), (double)PetscRealPart(expected[i]));
  for (Mat *M : {&A, &aij}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A fused method, whose first collective call is no product */
static PetscErrorCode Solve(MPI_Comm comm)
{
  Mat         A;
  Vec         x, b;
  KSP         ksp;
  PetscMPIInt rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMatrix(comm, TestType(), 1, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(b, 3));
  for (Vec v : {x, b}) PetscCall(VecBindToCPU(v, rank ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(NewFusedCG(A, &ksp));
  if (TestOnDevice() && size > 1) PetscCall(ExpectError(PETSC_ERR_ARG_INCOMP, "Vectors are on the GPU of some processes and on the host of others", [&] { return KSPSolve(ksp, b, x); }));
  else PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPDestroy(&ksp));
  for (Vec *v : {&x, &b}) PetscCall(VecDestroy(v));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  for (bool transpose : {false, true}) {
    for (bool host : {false, true}) PetscCall(Mixed(PETSC_COMM_WORLD, transpose, host));
  }
  PetscCall(Solve(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}

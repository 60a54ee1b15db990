static char help[] = "Vectors on the host of some processes and on the GPU of the others, at first, later and throughout a solve: products and solutions are right.\n\n";

#include "transports.h"

/* y <- A x or A^T x, with the vectors of the first `bound` processes on the host */
static PetscErrorCode Product(Mat A, bool transpose, PetscMPIInt bound, Numbers *product)
{
  PetscMPIInt rank;
  Vec         x, y;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatCreateVecs(A, &x, &y)); /* A is square: both serve for either product */
  PetscCall(FillVec(x, 3));
  for (Vec v : {x, y}) PetscCall(VecBindToCPU(v, rank < bound ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(transpose ? MatMultTranspose(A, x, y) : MatMult(A, x, y));
  product->clear();
  PetscCall(Append(y, product));
  for (Vec *v : {&x, &y}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const char what[], PetscMPIInt bound, const Numbers &numbers, const Numbers &expected, PetscReal tol)
{
  PetscFunctionBeginUser;
  PetscCheck(numbers.size() == expected.size(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %zu rows instead of %zu", what, numbers.size(), expected.size());
  for (size_t i = 0; i < numbers.size(); i++)
    PetscCheck(PetscAbsScalar(numbers[i] - expected[i]) <= tol, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s, vectors of %d processes on the host: row %zu is %g instead of %g", what, (int)bound, i, (double)PetscRealPart(numbers[i]),
               (double)PetscRealPart(expected[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products of a new matrix, for each of which the vectors of as many processes are on the host as `bound` says */
static PetscErrorCode Products(MPI_Comm comm, bool transpose, const std::vector<PetscMPIInt> &bound)
{
  const char *const what = transpose ? "Transposed product" : "Product";
  Mat               A, aij;
  Numbers           product, expected;
  bool              mixed = false;
  PetscMPIInt       rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMatrix(comm, TestType(), 1, &A));
  PetscCall(NewMatrix(comm, MATAIJ, 1, &aij));
  PetscCall(Product(aij, transpose, 0, &expected));
  for (PetscMPIInt b : bound) {
    mixed = mixed || (b && b < size);
    PetscCall(Product(A, transpose, b, &product));
    PetscCall(Compare(what, b, product, expected, 1e-10));
  }
  if (TestOnDevice() && bound.front() && bound.front() < size) {
    std::string text;
    PetscCall(TakeView((PetscObject)A, PETSC_VIEWER_ASCII_INFO, &text));
    PetscCheck(rank || text.find("mpi from host memory (vectors are on the GPU of some processes and on the host of others)") != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The view does not say that exchanges are between host and GPU memory:\n%s", text.c_str());
  }
  for (Mat *M : {&A, &aij}) PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve with vectors on the host of process 0 alone, against one with those of all there */
static PetscErrorCode Solve(MPI_Comm comm, const char options[])
{
  Mat         A;
  Numbers     solution[2];
  std::string view;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (int k : {0, 1}) {
    PetscCall(NewMatrix(comm, TestType(), 1, &A));
    PetscCall(SolveTwice(A, options, k ? size : 1, &solution[k], &view));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(Compare(options, 1, solution[0], solution[1], 1e-8));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (bool transpose : {false, true}) {
    PetscCall(Products(PETSC_COMM_WORLD, transpose, {1, size - 1, 0, 1, size, 0}));
    PetscCall(Products(PETSC_COMM_WORLD, transpose, {0, 1, size - 1, size, 0}));
    PetscCall(Products(PETSC_COMM_WORLD, transpose, {size, size, 0, 1}));
  }
  for (const char *options : {
         "-ksp_type cg -pc_type jacobi",
         "-ksp_type fusedcg -pc_type jacobi",
         "-ksp_type fusedbcgs -pc_type ip",
         "-ksp_type cg -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 5",
         "-ksp_type fusedcg -pc_type subdeflation -pc_subdeflation_variant cycle -pc_subdeflation_grid 9,8,7 -pc_subdeflation_gather 60",
       }) {
    PetscCall(Solve(PETSC_COMM_WORLD, options));
  }
  PetscCall(PetscFinalize());
  return 0;
}

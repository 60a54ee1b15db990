static char help[] = "Vectors on the host of some processes and on the GPU of the others, at first, later and throughout a "
                     "solve: products and solutions are right.\n\n";

#include "transports.h"

#include <set>

/* *numbers <- y after apply(x, y), with the vectors of the first `bound` processes on the host; A is square */
template <class F> static PetscErrorCode Apply(Mat A, PetscMPIInt bound, Numbers *numbers, F apply)
{
  PetscMPIInt rank;
  Vec         x, y;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(FillVec(x, 3));
  for (Vec v : {x, y}) PetscCall(VecBindToCPU(v, rank < bound ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(apply(x, y));
  numbers->clear();
  PetscCall(Append(y, numbers));
  for (Vec *v : {&x, &y}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A x or A^T x */
static PetscErrorCode Product(Mat A, bool transpose, PetscMPIInt bound, Numbers *product)
{
  return Apply(A, bound, product, [&](Vec x, Vec y) { return transpose ? MatMultTranspose(A, x, y) : MatMult(A, x, y); });
}

static PetscErrorCode Compare(const char what[], PetscMPIInt bound, const Numbers &numbers, const Numbers &expected,
                              PetscReal tol)
{
  PetscFunctionBeginUser;
  PetscCheck(numbers.size() == expected.size(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %zu rows instead of %zu", what,
             numbers.size(), expected.size());
  for (size_t i = 0; i < numbers.size(); i++)
    PetscCheck(PetscAbsScalar(numbers[i] - expected[i]) <= tol, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%s, vectors of %d processes on the host: row %zu is %g instead of %g", what, (int)bound, i,
               (double)PetscRealPart(numbers[i]), (double)PetscRealPart(expected[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products of a new matrix on a new communicator, for each of which the vectors of as many processes are on the host as `bound`
   says, and norms, which move values to the host of all, between them */
static PetscErrorCode Products(const std::string &transport, PetscInt dof, bool transpose, const std::vector<PetscMPIInt> &bound)
{
  static const char line[] =
    "mpi from host memory (in some exchange vectors were on the GPU of some processes and on the host of others)";
  const char *const what = transpose ? "Transposed product" : "Product";
  MPI_Comm          comm;
  Mat               A, aij;
  Numbers           product, expected;
  PetscMPIInt       rank, size;
  PetscReal         norm[2];
  std::string       text;
  bool              on_devices = false, mixed = false;

  PetscFunctionBeginUser;
  PetscCall(NewComm(transport, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMatrix(comm, TestType(), dof, &A));
  PetscCall(NewMatrix(comm, MATAIJ, dof, &aij));
  PetscCall(Product(aij, transpose, 0, &expected));
  PetscCall(MatNorm(aij, NORM_1, &norm[0]));
  for (size_t k = 0; k < bound.size(); k++) {
    on_devices = on_devices || !bound[k]; /* from then on exchanges take place there */
    mixed      = mixed || (TestOnDevice() && !on_devices && bound[k] < size);
    if (k % 2) {
      PetscCall(MatNorm(A, NORM_1, &norm[1]));
      PetscCheck(PetscAbsReal(norm[1] - norm[0]) <= 1e-10 * norm[0], PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "The norm is %g instead of %g", (double)norm[1], (double)norm[0]);
    }
    PetscCall(Product(A, transpose, bound[k], &product));
    PetscCall(Compare(what, bound[k], product, expected, 1e-10));
  }
  PetscCall(TakeView((PetscObject)A, PETSC_VIEWER_ASCII_INFO, &text));
  PetscCheck(rank || (text.find(line) != std::string::npos) == mixed, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The view %s that exchanges were between host and GPU memory:\n%s", mixed ? "does not say" : "says", text.c_str());
  for (Mat *M : {&A, &aij}) PetscCall(MatDestroy(M));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Applications of one preconditioner outside of solves, as in Products(), against one with all vectors on the host */
static PetscErrorCode Applications(const std::string &transport, const char options[], const std::vector<PetscMPIInt> &bound)
{
  MPI_Comm     comm;
  Mat          A;
  PC           pc;
  PetscOptions own;
  Numbers      result, expected;
  PetscMPIInt  size;

  PetscFunctionBeginUser;
  PetscCall(NewComm(transport, &comm));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMatrix(comm, TestType(), 1, &A));
  PetscCall(PCCreate(comm, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options));
  PetscCall(PetscOptionsPush(own));
  PetscCall(PCSetFromOptions(pc));
  const auto apply = [&](Vec x, Vec y) { return PCApply(pc, x, y); };
  PetscCall(Apply(A, size, &expected, apply));
  for (PetscMPIInt b : bound) {
    PetscCall(Apply(A, b, &result, apply));
    PetscCall(Compare(options, b, result, expected, 1e-10));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&own));
  PetscCall(MatDestroy(&A));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve with vectors on the host of the first `bound` processes alone, against one with those of all there */
static PetscErrorCode Solve(const std::string &transport, PetscMPIInt bound, const char options[], PetscInt planes = 7)
{
  MPI_Comm    comm;
  Mat         A;
  Numbers     solution[2];
  std::string view;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(NewComm(transport, &comm));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (int k : {0, 1}) {
    PetscCall(NewMatrix(comm, TestType(), 1, &A, planes));
    PetscCall(SolveTwice(A, options, k ? size : bound, &solution[k], &view));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(Compare(options, bound, solution[0], solution[1], 1e-8));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run(const std::string &transport)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const std::set<PetscMPIInt> some = {1, PetscMax(size - 1, 1)};
  for (bool transpose : {false, true}) {
    PetscCall(Products(transport, 1, transpose, {1, size - 1, 0, 1, size, 0}));
    PetscCall(Products(transport, 1, transpose, {1, 1, size, 1, size - 1}));
    PetscCall(Products(transport, 1, transpose, {size, 1, size - 1, size, 0}));
    PetscCall(Products(transport, 3, transpose, {0, 1, size - 1, size, 0}));
    PetscCall(Products(transport, 1, transpose, {size, size, 0, 1}));
  }
  for (const std::vector<PetscMPIInt> &bound : {
         std::vector<PetscMPIInt>{1, size - 1, size, 0, 1, size},
         {0, 1, size, size - 1, 0},
       })
    PetscCall(Applications(transport, "-pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 5", bound));
  for (const char *options : {
         "-ksp_type cg -pc_type jacobi",
         "-ksp_type fusedcg -pc_type jacobi",
         "-ksp_type fusedbcgs -pc_type ip",
         "-ksp_type fusedbcgs -pc_type ip -ksp_pc_side right",
         "-ksp_type bicgcr -pc_type none",
         "-ksp_type cg -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 5",
         "-ksp_type fusedcg -pc_type gridmg -pc_gridmg_grid 9,8,7 -pc_gridmg_gather 60",
         "-ksp_type cg -pc_type aggmg -pc_aggmg_coarse_size 40",
       }) {
    for (PetscMPIInt bound : some) PetscCall(Solve(transport, bound, options));
  }
  /* after three iterations, before they can make up for a wrong preconditioner; a process between two others has more planes than
     it sends */
  for (PetscMPIInt bound : some)
    PetscCall(Solve(transport, bound,
                    "-ksp_type cg -ksp_max_it 3 -ksp_convergence_test skip -pc_type gridmg -pc_gridmg_storage double "
                    "-pc_gridmg_grid 9,8,28 -pc_gridmg_gather 300",
                    28));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  for (const char *transport : {"mpi", "ipc", "nccl"}) {
    PetscCall(Run(transport));
    if (!TestOnDevice()) break;
  }
  PetscCall(PetscFinalize());
  return 0;
}

static char help[] = "Each transport brings the same bits: products, transposed products, products with many vectors, values "
                     "given on other ranks, and Krylov methods with what they need.\n\n";

#include "transports.h"

/* A x, A^T x, A (A^T (A x)) without a pause between them, and A times `columns` vectors */
static PetscErrorCode Products(Mat A, PetscInt columns, Numbers *all)
{
  Vec      x, y, z;
  Mat      B, C;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(FillVec(x, 3));
  PetscCall(MatMult(A, x, y));
  PetscCall(Append(y, all));
  PetscCall(MatMultTranspose(A, x, y));
  PetscCall(Append(y, all));
  for (int k = 0; k < 5; k++) {
    PetscCall(MatMult(A, x, y));
    PetscCall(MatMultTransposeAdd(A, y, x, z));
    PetscCall(VecScale(z, 1e-7));
    PetscCall(MatMultAdd(A, z, y, x));
  }
  PetscCall(Append(x, all));
  PetscCall(MatGetLocalSize(A, &n, nullptr));
  PetscCall(MatCreateDense(PetscObjectComm((PetscObject)A), n, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr, &B));
  for (PetscInt c = 0; c < columns; c++) {
    Vec b;
    PetscCall(MatDenseGetColumnVecWrite(B, c, &b));
    PetscCall(FillVec(b, 10 + c));
    PetscCall(MatDenseRestoreColumnVecWrite(B, c, &b));
  }
  PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  for (PetscInt c = 0; c < columns; c++) {
    Vec b;
    PetscCall(MatDenseGetColumnVecRead(C, c, &b));
    PetscCall(Append(b, all));
    PetscCall(MatDenseRestoreColumnVecRead(C, c, &b));
  }
  for (Mat *M : {&B, &C}) PetscCall(MatDestroy(M));
  for (Vec *v : {&x, &y, &z}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A product of a vector on the host */
static PetscErrorCode MixedProduct(Mat A, Numbers *all)
{
  Vec      x, y;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, nullptr, &y));
  PetscCall(VecGetLocalSize(y, &n));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), n, PETSC_DETERMINE, &x));
  PetscCall(FillVec(x, 3));
  PetscCall(MatMult(A, x, y));
  PetscCall(Append(y, all));
  PetscCall(MatMult(A, y, x));
  PetscCall(Append(x, all));
  for (Vec *v : {&x, &y}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that couples no rows, so that no rank needs numbers of others, but sums */
static PetscErrorCode SolveDecoupled(MPI_Comm comm, Numbers *all)
{
  Mat         A;
  PetscInt    begin, end;
  PetscMPIInt rank;
  std::string view;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatCreate(comm, &A));
  PetscCall(MatSetSizes(A, 40 * rank, 40 * rank, PETSC_DETERMINE, PETSC_DETERMINE)); /* the first has none */
  PetscCall(MatSetType(A, TestType()));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt i = begin; i < end; i++) PetscCall(MatSetValue(A, i, i, 1 + i % 4, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(SolveTwice(A, "-ksp_type fusedcg -pc_type none", 0, all, &view));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a communicator that uses `transport` computes; views of the solvers */
static PetscErrorCode Compute(const std::string &transport, PetscInt dof, Numbers *products, Numbers *solutions,
                              std::vector<std::string> *views)
{
  static const char *const solvers[] = {
    "-ksp_type fusedcg -pc_type jacobi",
    "-ksp_type fusedcg -ksp_fusedcg_single_reduction -pc_type ip",
    "-ksp_type fusedbcgs -pc_type ip",
    "-ksp_type bicgcr -pc_type none",
    "-ksp_type fusedcg -pc_type gridmg -pc_gridmg_grid 9,8,7 -pc_gridmg_gather 60 -pc_gridmg_storage single",
    "-ksp_type fusedcg -pc_type gridmg -pc_gridmg_grid 9,8,7 -pc_gridmg_gather 60 -pc_gridmg_storage double",
    "-ksp_type fusedcg -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 8 -pc_subdeflation_variant "
    "adef2 -pc_subdeflation_pc_type ip",
    "-ksp_type fusedcg -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 8 -pc_subdeflation_variant bnn "
    "-pc_subdeflation_pc_type ip",
    "-ksp_type dpcg -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 8 -pc_subdeflation_pc_type jacobi",
    "-ksp_type dpcg -ksp_max_it 5 -ksp_norm_type none -ksp_error_if_not_converged 0 -pc_type subdeflation -pc_subdeflation_type "
    "stripes -pc_subdeflation_count 8 -pc_subdeflation_pc_type ip",
    "-ksp_type fusedbcgs -pc_type ip -ksp_rtol 1e-4 -ksp_min_it 10",
  };
  MPI_Comm    comm;
  Mat         A;
  std::string view;

  PetscFunctionBeginUser;
  PetscCall(NewComm(transport, &comm));
  PetscCall(NewMatrix(comm, TestType(), dof, &A));
  for (PetscInt columns : {3, 40}) PetscCall(Products(A, columns, products));
  PetscCall(MixedProduct(A, products));
  for (const char *options : solvers) {
    if (dof > 1 && (std::strstr(options, "subdeflation") || std::strstr(options, "gridmg"))) continue;
    PetscCall(SolveTwice(A, options, 0, solutions, &view));
    views->push_back(options + (":\n" + view));
  }
  PetscCall(MatDestroy(&A));
  if (dof == 1) PetscCall(SolveDecoupled(comm, solutions));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* They differ by at most tol times the largest */
static PetscErrorCode CheckNumbers(const Numbers &a, const Numbers &b, PetscReal tol, const std::string &what)
{
  PetscReal most = 0, apart = 0;

  PetscFunctionBeginUser;
  PetscCheck(a.size() == b.size(), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %zu numbers instead of %zu", what.c_str(), b.size(),
             a.size());
  for (size_t k = 0; k < a.size(); k++) {
    most  = PetscMax(most, PetscAbsScalar(a[k]));
    apart = PetscMax(apart, PetscAbsScalar(a[k] - b[k]));
    if (PetscIsInfOrNanScalar(b[k])) apart = PETSC_INFINITY;
  }
  PetscCheck(apart <= tol * most, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: they differ by %g of %g", what.c_str(), (double)apart,
             (double)most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products are those of MATAIJ */
static PetscErrorCode CheckProducts(const Numbers &ours, PetscInt dof)
{
  Numbers aij;
  Mat     A;

  PetscFunctionBeginUser;
  PetscCall(NewMatrix(PETSC_COMM_WORLD, MATAIJ, dof, &A));
  for (PetscInt columns : {3, 40}) PetscCall(Products(A, columns, &aij));
  PetscCall(MixedProduct(A, &aij));
  PetscCall(CheckNumbers(aij, ours, 1e-12, "products beside MATAIJ's"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view says which transport is used, or why not that one, and whether solvers are recorded. NCCL may be missing, and may
   refuse a GPU that ranks share. */
static PetscErrorCode CheckViews(const std::string &transport, const std::vector<std::string> &views)
{
  PetscMPIInt rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS); /* which has no text */
  for (const std::string &view : views) {
    const bool        refused = transport == "nccl" && view.find("exchanges of ranks: mpi (") != std::string::npos;
    const std::string expected =
      "exchanges of ranks: " + (!TestOnDevice() ? "MPI from host memory, as long as no vectors are on GPUs\n"
                                : refused       ? "mpi ("
                                                : transport + "\n");
    const bool recorded   = view.find("passes recorded for") != std::string::npos,
               sums_twice = view.find("variant bnn") != std::string::npos;
    const bool records    = TestOnDevice() &&
                            (size == 1 || (!sums_twice && transport != "mpi" && transport != "mpi_gpu" && !refused)) &&
                            view.find("-ksp_min_it") == std::string::npos;

    PetscCheck(size == 1 || view.find(expected) != std::string::npos, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "\"%s\" is not in the view of %s", expected.c_str(), view.c_str());
    PetscCheck(recorded == records, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: recorded: %d, in the view of %s", transport.c_str(),
               (int)recorded, view.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An unknown transport is an error that names those there are */
static PetscErrorCode CheckRefused()
{
  MPI_Comm       comm;
  Mat            A;
  PetscErrorCode code;
  PetscMPIInt    size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(NewComm("pigeon", &comm));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  code = NewMatrix(comm, TestType(), 1, &A);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(code == PETSC_ERR_USER, PETSC_COMM_SELF, PETSC_ERR_PLIB, "-hepta_transport pigeon gives code %d", (int)code);
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  /* each rank would choose the length of its recordings by its rows */
  for (const char *name : {"bandwidth", "pass"}) PetscCall(HeptaSetTuning(name, 0.01));
  for (PetscInt dof : {1, 3}) {
    if (dof > 1 && TestQuick()) continue;
    Numbers                  products[4], solutions[4];
    std::vector<std::string> views[4];
    const std::string        transports[] = {"mpi", "ipc", "nccl", "mpi_gpu"};
    PetscBool                aware        = PETSC_FALSE; /* mpi_gpu where MPI knows device memory, as the command says */

    if (TestOnDevice()) PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-use_gpu_aware_mpi", &aware, nullptr));
    for (int t = 0; t < 3 + aware; t++) {
      PetscCall(Compute(transports[t], dof, &products[t], &solutions[t], &views[t]));
      PetscCall(CheckViews(transports[t], views[t]));
      PetscCall(CheckNumbers(products[0], products[t], 0, "products by " + transports[t] + " beside those by mpi"));
      /* ranks' sums are added in another order */
      PetscCall(CheckNumbers(solutions[0], solutions[t], 1e-9, "solutions by " + transports[t] + " beside those by mpi"));
    }
    PetscCall(CheckProducts(products[0], dof));
  }
  PetscCall(CheckRefused());
  PetscCall(PetscFinalize());
  return 0;
}

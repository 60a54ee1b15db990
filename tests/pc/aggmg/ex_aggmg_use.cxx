static char help[] = "PCAGGMG in programs: near null spaces, coordinates, blocks of PCFIELDSPLIT, beside others in PCCOMPOSITE.\n\n";

#include <functional>

#include "entries.h"
#include "failure.h"
#include "mesh.h"
#include "program.h"
#include "view.h"

static const std::string solver = "-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 ", aggmg = "-pc_type aggmg -pc_aggmg_coarse_size 60 ";

/* Iterations of the options, which must converge; `before` is called with the preconditioner before the solve */
static PetscErrorCode Count(Mat A, const std::string &options, PetscInt *its, const std::function<PetscErrorCode(PC)> &before = {})
{
  KSPConvergedReason reason;
  KSP                ksp;
  PC                 pc;
  Vec                x, b;

  PetscFunctionBeginUser;
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(NewKSP(A, solver + options, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (before) PetscCall(before(pc));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: reason %d", options.c_str(), (int)reason);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinates of the points of this process's block rows, in their order */
static PetscErrorCode Coordinates(const Mesh &mesh, Mat A, std::vector<PetscReal> *x)
{
  PetscInt                    count, first, end;
  const std::vector<PetscInt> number = MeshNumbers(mesh, &count);

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  x->resize((size_t)(end - first));
  for (size_t p = 0; p < number.size(); p++) {
    const PetscInt i = number[p] * mesh.dim;
    for (int d = 0; i >= first && i < end && d < mesh.dim; d++) (*x)[(size_t)(i - first + d)] = mesh.x[p][(size_t)d];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rigid-body modes by coordinates are those of MatSetNearNullSpace(), and better than constants */
static PetscErrorCode CheckModes(int dim, PetscInt n, MatType type)
{
  const Mesh             mesh = MeshMake(dim, n);
  PetscInt               constants, by_coordinates, by_modes;
  std::vector<PetscReal> x;
  MatNullSpace           modes;
  PetscScalar           *to;
  Mat                    A;
  Vec                    at;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(mesh, MeshProblem::elasticity, type, &A));
  PetscCall(Coordinates(mesh, A, &x));
  PetscCall(Count(A, aggmg, &constants));
  PetscCall(Count(A, aggmg, &by_coordinates, [&](PC pc) { return PCSetCoordinates(pc, dim, (PetscInt)x.size() / dim, x.data()); }));
  PetscCall(MatCreateVecs(A, &at, nullptr));
  PetscCall(VecGetArrayWrite(at, &to));
  std::copy(x.begin(), x.end(), to);
  PetscCall(VecRestoreArrayWrite(at, &to));
  PetscCall(MatNullSpaceCreateRigidBody(at, &modes));
  PetscCall(MatSetNearNullSpace(A, modes));
  PetscCall(Count(A, aggmg, &by_modes));
  PetscCheck(by_modes == by_coordinates, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d-D: %" PetscInt_FMT " iterations with modes, %" PetscInt_FMT " with coordinates", dim, by_modes, by_coordinates);
  PetscCheck(by_modes < constants, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d-D: %" PetscInt_FMT " iterations with modes, %" PetscInt_FMT " with constants", dim, by_modes, constants);
  PetscCall(MatNullSpaceDestroy(&modes));
  PetscCall(VecDestroy(&at));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRefused()
{
  PetscReal x[9] = {0};
  KSP       ksp;
  PC        pc;
  Mat       A;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(MeshMake(2, 6), MeshProblem::elasticity, TestAIJ(), &A));
  PetscCall(NewKSP(A, solver + aggmg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "takes 1 to 3 coordinates of each node", [&] { return PCSetCoordinates(pc, 4, 1, x); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "the threshold 1. must be from 0 to below 1", [&] { return PCAggMGSetThreshold(pc, 1); }));
  PetscCall(PCSetCoordinates(pc, 2, 1, x));
  PetscCall(ExpectError(PETSC_ERR_ARG_SIZ, "PCSetCoordinates() gave 2 coordinates", [&] { return KSPSetUp(ksp); }));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What functions choose is what the options choose */
static PetscErrorCode CheckSetters()
{
  KSP ksp;
  PC  pc;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(MeshMake(2, 20), MeshProblem::layers, TestAIJ(), &A));
  PetscCall(NewKSP(A, solver + aggmg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (PetscReal threshold : {0.3, 0.}) {
    PetscInt  its, by_option;
    Vec       x, b;
    PetscCall(NewVecs(A, &x, &b));
    PetscCall(PCAggMGSetThreshold(pc, threshold));
    PetscCall(PCAggMGSetReuseInterpolation(pc, PETSC_FALSE));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(Count(A, aggmg + "-pc_aggmg_threshold " + std::to_string(threshold), &by_option));
    PetscCheck(its == by_option, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PCAggMGSetThreshold(%g): %" PetscInt_FMT " iterations, by the option %" PetscInt_FMT, (double)threshold, its, by_option);
    PetscCall(CheckView(pc, {threshold > 0 ? "weaker than 0.3" : "V-cycle", "level 0: 360 rows, 6.6 entries", "operator complexity"}));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows on one process, and couplings none, to the next row, or to the first one */
static PetscErrorCode CheckRows(PetscInt n, int couplings, bool last)
{
  PetscMPIInt rank, size;
  PetscInt    its;
  Mat         A;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const bool here = rank == (last ? size - 1 : 0);
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, here ? n : 0, here ? n : 0, n, n, 3, nullptr, 0, nullptr, &A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; here && i < n; i++) {
    PetscCall(MatSetValue(A, i, i, couplings == 2 ? 2. * (double)n : 2.01, INSERT_VALUES));
    const PetscInt j = couplings == 1 ? i - 1 : couplings == 2 ? 0 : i;
    if (j < 0 || j == i) continue;
    PetscCall(MatSetValue(A, i, j, -1, INSERT_VALUES));
    PetscCall(MatSetValue(A, j, i, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatConvert(A, TestAIJ(), MAT_INPLACE_MATRIX, &A));
  PetscCall(Count(A, "-pc_type aggmg -pc_aggmg_coarse_size 10", &its));
  PetscCheck(its <= 20, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " rows on one process, couplings %d: %" PetscInt_FMT " iterations", n, couplings, its);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A negative definite matrix takes the iterations of the positive definite one */
static PetscErrorCode CheckNegative(MatType type)
{
  PetscInt its[2];
  Mat      A;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(MeshMake(2, 35), MeshProblem::laplace, type, &A));
  PetscCall(Count(A, aggmg, &its[0]));
  PetscCall(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_FALSE));
  PetscCall(MatScale(A, -1e5));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_FALSE));
  PetscCall(Count(A, aggmg, &its[1]));
  PetscCheck(its[0] == its[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " iterations, for the negative definite matrix %" PetscInt_FMT, type, its[0], its[1]);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As the preconditioner of each unknown of elasticity, and beside jacobi */
static PetscErrorCode CheckInside(MatType type)
{
  const std::string split = "-pc_type fieldsplit -pc_fieldsplit_type additive -pc_fieldsplit_block_size 2 ", fields = "-fieldsplit_ksp_type preonly -fieldsplit_pc_type ";
  PetscInt          its, other;
  Mat               A;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(MeshMake(2, 24), MeshProblem::elasticity, type, &A));
  PetscCall(Count(A, split + fields + "aggmg", &its));
  PetscCall(Count(A, split + fields + "jacobi", &other));
  PetscCheck(2 * its < other, PETSC_COMM_SELF, PETSC_ERR_PLIB, "fieldsplit: %" PetscInt_FMT " iterations, %" PetscInt_FMT " with jacobi", its, other);
  PetscCall(MatDestroy(&A));
  PetscCall(MeshMat(MeshMake(2, 35), MeshProblem::laplace, type, &A));
  PetscCall(Count(A, "-pc_type composite -pc_composite_type additive -pc_composite_pcs aggmg,jacobi", &its));
  PetscCall(Count(A, "-pc_type jacobi", &other));
  PetscCheck(2 * its < other, PETSC_COMM_SELF, PETSC_ERR_PLIB, "composite: %" PetscInt_FMT " iterations, %" PetscInt_FMT " with jacobi alone", its, other);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Convection on a mesh and, strong, on a grid whose coefficients jump; nothing tells that the matrices are not symmetric */
static PetscErrorCode CheckWind(MatType type)
{
  PetscInt its, other;
  Mat      A[2];

  PetscFunctionBeginUser;
  PetscCall(MeshMat(MeshMake(2, 35), MeshProblem::wind, type, &A[0]));
  PetscCall(Make(PETSC_COMM_WORLD, type, Jumps({40, 40}, 1, 0.9, 3), &A[1]));
  for (Mat &B : A) {
    for (const std::string method : {"-ksp_type gmres -ksp_pc_side right ", "-ksp_type fusedbcgs "}) {
      PetscCall(Count(B, method + aggmg, &its));
      PetscCall(Count(B, method + "-pc_type jacobi", &other));
      PetscCheck(2 * its < other, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Convection, %s%s: %" PetscInt_FMT " iterations, %" PetscInt_FMT " with jacobi", method.c_str(), type, its, other);
    }
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that are not symmetric in place of symmetric ones of the same structure, and back, are solved as by a new preconditioner */
static PetscErrorCode CheckSymmetryChanges(MatType type)
{
  const std::string method = "-ksp_type gmres -ksp_pc_side right ";
  PetscInt          its, fresh;
  KSP               ksp;
  PC                pc;
  Mat               A, values[2];
  Vec               x, b;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    Entries e   = Jumps({30, 30}, 1, k ? 0.9 : 0, 3);
    e.symmetric = false; /* not told */
    PetscCall(Make(PETSC_COMM_WORLD, type, e, &values[k]));
  }
  PetscCall(MatDuplicate(values[0], MAT_COPY_VALUES, &A));
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(NewKSP(A, solver + method + aggmg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (int k : {0, 1, 0}) {
    PetscCall(MatCopy(values[k], A, SAME_NONZERO_PATTERN));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(Count(values[k], method + aggmg, &fresh));
    PetscCheck(its == fresh, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s values: %" PetscInt_FMT " iterations, %" PetscInt_FMT " of a new preconditioner", k ? "Unsymmetric" : "Symmetric", its, fresh);
    PetscCall(CheckView(pc, {k ? "a matrix that is not symmetric: steps of Jacobi's method 2, in double" : "Chebyshev smoothing of degree 2, in double"}));
    if (k) PetscCall(ExpectError(PETSC_ERR_SUP, "no transpose for a matrix that is not symmetric", [&] { return PCApplyTranspose(pc, b, x); }));
  }
  PetscCall(KSPDestroy(&ksp));
  for (Mat *B : {&A, &values[0], &values[1]}) PetscCall(MatDestroy(B));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  for (MatType type : {TestAIJ(), TestOnDevice() ? MATBROWCUDA : MATBROW}) {
    PetscCall(CheckModes(2, 30, type));
    PetscCall(CheckModes(3, 9, type));
    PetscCall(CheckNegative(type));
    PetscCall(CheckWind(type));
    PetscCall(CheckSymmetryChanges(type));
  }
  PetscCall(CheckInside(TestAIJ()));
  for (PetscInt n : {1, 2, 300}) {
    for (int couplings = 0; couplings < 3; couplings++) {
      for (bool last : {false, true}) PetscCall(CheckRows(n, couplings, last));
    }
  }
  PetscCall(CheckSetters());
  PetscCall(CheckRefused());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}

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

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  for (MatType type : {TestAIJ(), TestOnDevice() ? MATBROWCUDA : MATBROW}) {
    PetscCall(CheckModes(2, 30, type));
    PetscCall(CheckModes(3, 9, type));
    PetscCall(CheckNegative(type));
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

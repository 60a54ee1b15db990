static char help[] =
  "PCAGGMG in programs: near null spaces, coordinates, blocks of PCFIELDSPLIT, beside others in PCCOMPOSITE.\n\n";

#include "failure.h"
#include "mesh_count.h"
#include "view.h"

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
  PetscCall(
    Count(A, aggmg, &by_coordinates, [&](PC pc) { return PCSetCoordinates(pc, dim, (PetscInt)x.size() / dim, x.data()); }));
  PetscCall(MatCreateVecs(A, &at, nullptr));
  PetscCall(VecGetArrayWrite(at, &to));
  std::copy(x.begin(), x.end(), to);
  PetscCall(VecRestoreArrayWrite(at, &to));
  PetscCall(MatNullSpaceCreateRigidBody(at, &modes));
  PetscCall(MatSetNearNullSpace(A, modes));
  PetscCall(Count(A, aggmg, &by_modes));
  PetscCheck(by_modes == by_coordinates, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d-D: %" PetscInt_FMT " iterations with modes, %" PetscInt_FMT " with coordinates", dim, by_modes, by_coordinates);
  PetscCheck(by_modes < constants, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d-D: %" PetscInt_FMT " iterations with modes, %" PetscInt_FMT " with constants", dim, by_modes, constants);
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
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "takes 1 to 3 coordinates of each node",
                        [&] { return PCSetCoordinates(pc, 4, 1, x); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "the threshold 1. must be from 0 to below 1",
                        [&] { return PCAggMGSetThreshold(pc, 1); }));
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
    PetscInt its, by_option;
    Vec      x, b;
    PetscCall(NewVecs(A, &x, &b));
    PetscCall(PCAggMGSetThreshold(pc, threshold));
    PetscCall(PCAggMGSetReuseInterpolation(pc, PETSC_FALSE));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(Count(A, aggmg + "-pc_aggmg_threshold " + std::to_string(threshold), &by_option));
    PetscCheck(its == by_option, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "PCAggMGSetThreshold(%g): %" PetscInt_FMT " iterations, by the option %" PetscInt_FMT, (double)threshold, its,
               by_option);
    PetscCall(
      CheckView(pc, {threshold > 0 ? "weaker than 0.3" : "V-cycle", "level 0: 360 rows, 6.6 entries", "operator complexity"}));
    PetscCall(CheckView(pc, {TestOnDevice() ? "browcuda\n" : "brow\n"})); /* block diagonals were not wanted */
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As the preconditioner of each unknown of elasticity, beside jacobi, and of the coarse problem of deflation */
static PetscErrorCode CheckInside(MatType type)
{
  const std::string split  = "-pc_type fieldsplit -pc_fieldsplit_type additive -pc_fieldsplit_block_size 2 ",
                    fields = "-fieldsplit_ksp_type preonly -fieldsplit_pc_type ";
  PetscInt          its, other;
  Mat               A;

  PetscFunctionBeginUser;
  PetscCall(MeshMat(MeshMake(2, 24), MeshProblem::elasticity, type, &A));
  PetscCall(Count(A, split + fields + "aggmg", &its));
  PetscCall(Count(A, split + fields + "jacobi", &other));
  PetscCheck(2 * its < other, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "fieldsplit: %" PetscInt_FMT " iterations, %" PetscInt_FMT " with jacobi", its, other);
  PetscCall(MatDestroy(&A));
  PetscCall(MeshMat(MeshMake(2, 35), MeshProblem::laplace, type, &A));
  PetscCall(Count(A, "-pc_type composite -pc_composite_type additive -pc_composite_pcs aggmg,jacobi", &its));
  PetscCall(Count(A, "-pc_type jacobi", &other));
  PetscCheck(2 * its < other, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "composite: %" PetscInt_FMT " iterations, %" PetscInt_FMT " with jacobi alone", its, other);
  const std::string deflation =
    "-ksp_type fcg -pc_type subdeflation -pc_subdeflation_type stripes -pc_subdeflation_count 60 -pc_subdeflation_coarse ";
  PetscCall(Count(A, deflation + "cholesky", &other));
  PetscCall(Count(A,
                  deflation + "ksp -pc_subdeflation_coarse_pc_type aggmg -pc_subdeflation_coarse_pc_aggmg_coarse_size 10 "
                              "-pc_subdeflation_coarse_ksp_type cg -pc_subdeflation_coarse_ksp_rtol 1e-8",
                  &its));
  PetscCheck(10 * PetscAbsInt(its - other) <= other, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Coarse problem of deflation: %" PetscInt_FMT " iterations, %" PetscInt_FMT " with a factor", its, other);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscFunctionBeginUser;
  for (MatType type : {TestAIJ(), TestOnDevice() ? MATBROWCUDA : MATBROW}) {
    PetscCall(CheckModes(2, 30, type));
    PetscCall(CheckModes(3, 9, type));
  }
  PetscCall(CheckInside(TestAIJ()));
  PetscCall(CheckSetters());
  PetscCall(CheckRefused());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}

static char help[] = "The smallest program that links libhepta: a Poisson problem in 2-D with a bdia matrix.\n\n";

/*
   Sample runs:
     embed
     embed -n 100 -ksp_monitor -mat_view ::ascii_info
     mpiexec -n 3 embed -ksp_type cg -pc_type bjacobi
*/
#include <hepta.h>
#include <petscksp.h>

static PetscErrorCode Assemble(PetscInt n, Mat A)
{
  PetscScalar v[5] = {-1.0, -1.0, 4.0, -1.0, -1.0};
  PetscInt    start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) { /* columns < 0 are outside the grid and ignored */
    PetscInt j = i % n, k = i / n,
             col[5] = {k > 0 ? i - n : -1, j > 0 ? i - 1 : -1, i, j < n - 1 ? i + 1 : -1, k < n - 1 ? i + n : -1};

    PetscCall(MatSetValues(A, 1, &i, 5, col, v, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat       A;
  Vec       x, b;
  KSP       ksp;
  PetscInt  n = 20, its;
  PetscReal error;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));

  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
  PetscCall(MatSetType(A, MATBDIA));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(Assemble(n, A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(x, 1.0)); /* the answer */
  PetscCall(MatMult(A, x, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(VecShift(x, -1.0));
  PetscCall(VecNorm(x, NORM_INFINITY, &error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " unknowns, %" PetscInt_FMT " iterations, largest error %s\n", n * n,
                        its, error < 1e-6 ? "< 1e-6" : "too large"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return error < 1e-6 ? 0 : 1;
}

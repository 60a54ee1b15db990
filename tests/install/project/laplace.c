/* -u'' = f on a line with u = 0 at both ends, in a bdia matrix, linked with the installed library */
#include <hepta.h>
#include <petscksp.h>

/* The matrix of (-1, 2, -1) */
static PetscErrorCode CreateLaplacian(PetscInt n, Mat *A)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, MATBDIA));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatSetValue(*A, i, i, 2, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(*A, i, i - 1, -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, i, i + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat       A;
  Vec       u, f, exact;
  KSP       ksp;
  PC        pc;
  PetscReal error;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(HeptaRegisterAll());
  PetscCall(CreateLaplacian(50, &A));
  PetscCall(MatCreateVecs(A, &u, &f));
  PetscCall(VecDuplicate(u, &exact));
  PetscCall(VecSet(exact, 1));
  PetscCall(MatMult(A, exact, f));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, 100));
  PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, f, u));

  PetscCall(VecAXPY(u, -1, exact));
  PetscCall(VecNorm(u, NORM_INFINITY, &error));
  PetscCheck(error < 1e-8, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The error is %g", (double)error);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solved, error below 1e-8\n"));

  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&f));
  PetscCall(VecDestroy(&exact));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

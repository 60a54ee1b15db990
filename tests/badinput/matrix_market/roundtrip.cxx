static char help[] =
  "General Hepta matrices written as Matrix Market and read back: every entry must be the same to the last bit.\n\n";

/*
   Sample runs:
     roundtrip -grid 4,3,5 -nc 3 -o /tmp/gh.mtx.gz
     mpiexec -n 3 roundtrip -grid 1,6,4 -nc 2 -type aij -o /tmp/gh.mtx
*/
#include <hepta.h>
#include "hepta_lab.h"
#include "matrix_market.h"

int main(int argc, char **argv)
{
  char      file[PETSC_MAX_PATH_LEN] = "generalhepta.mtx", type[64] = MATAIJ;
  PetscInt  grid[3] = {4, 3, 5}, n = 3, nc = 3;
  Mat       A, aij, B;
  MatInfo   a, b;
  PetscBool equal;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-grid", grid, &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-nc", &nc, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", type, sizeof(type), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-o", file, sizeof(file), NULL));
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, grid[0], grid[1], grid[2], nc, 7, type, &A));
  PetscCall(HeptaMatWriteMatrixMarket(A, file));
  PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_WORLD, file, nc, &B));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &aij));
  PetscCall(MatGetInfo(aij, MAT_GLOBAL_SUM, &a));
  PetscCall(MatGetInfo(B, MAT_GLOBAL_SUM, &b));
  PetscCheck(a.nz_used == b.nz_used, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%g entries written, %g read", a.nz_used, b.nz_used);
  PetscCall(MatEqual(aij, B, &equal)); /* compares structure and bits */
  PetscCheck(equal, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The matrix read back differs");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.0f entries, identical\n", b.nz_used));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&aij));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscFinalize());
  return 0;
}

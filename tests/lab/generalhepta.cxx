static char help[] =
  "General Hepta matrices: number of entries, diagonal dominance, independence of type and number of ranks.\n\n";

/*
   Sample runs:
     generalhepta -table
     mpiexec -n 3 generalhepta -grid 1,6,4
*/
#include <hepta.h>
#include <set>

#include "hepta_lab.h"

/* L. A. Firdaus, "CUDA Optimization of a Class of Iterative Linear Algebra Solver", table 5.1: J, H, I, Nc, entries */
static const PetscInt table[10][5] = {{16, 16, 32, 8, 3635072},   {16, 32, 32, 8, 7272320},   {16, 16, 32, 16, 14540288},
                                      {32, 64, 64, 4, 14613472},  {16, 32, 32, 16, 29089280}, {32, 32, 64, 8, 29224832},
                                      {32, 128, 64, 4, 29228000}, {32, 64, 64, 8, 58453888},  {32, 32, 64, 16, 116899328},
                                      {32, 128, 64, 8, 116912000}};

/* The first in full; the others as Nc^2 times the entries of the same grid with Nc = 1 */
static PetscErrorCode CheckTable(void)
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 10; k++) {
    const PetscInt *t = table[k], Nc = k == 0 ? t[3] : 1, times = k == 0 ? 1 : t[3] * t[3];
    Mat             A;
    MatInfo         info;

    PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, t[0], t[1], t[2], Nc, 1, MATAIJ, &A));
    PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
    PetscCheck((PetscInt)info.nz_used * times == t[4], PETSC_COMM_WORLD, PETSC_ERR_PLIB,
               "Row %d of the table: %.0f x %" PetscInt_FMT " entries", k, info.nz_used, times);
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries by counting: every pair of cells whose distance is one of the offsets, once */
static PetscInt Count(const PetscInt g[3], PetscInt Nc)
{
  const PetscInt           M = g[0] * g[1] * g[2], J = g[0], JH = g[0] * g[1];
  const std::set<PetscInt> offsets = {-JH, -J, -1, 0, 1, J, JH};
  PetscInt                 n       = 0;

  for (PetscInt m = 0; m < M; m++) {
    for (const PetscInt off : offsets) n += m + off >= 0 && m + off < M;
  }
  return n * Nc * Nc;
}

/* Own rows equal those of the same matrix made by one process alone, and |a_ii| > sum |a_ij| in each */
static PetscErrorCode CheckRows(Mat A, Mat alone)
{
  PetscInt           start, end, n, nalone;
  const PetscInt    *cols, *colsalone;
  const PetscScalar *v, *valone;
  PetscBool          same;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscReal diagonal = 0.0, rest = 0.0;

    PetscCall(MatGetRow(A, i, &n, &cols, &v));
    PetscCall(MatGetRow(alone, i, &nalone, &colsalone, &valone));
    PetscCheck(n == nalone, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "Row %" PetscInt_FMT " has %" PetscInt_FMT " entries, alone %" PetscInt_FMT, i, n, nalone);
    PetscCall(PetscArraycmp(cols, colsalone, (size_t)n, &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " has other columns than alone", i);
    PetscCall(PetscArraycmp(v, valone, (size_t)n, &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " has other values than alone", i);
    for (PetscInt k = 0; k < n; k++) (cols[k] == i ? diagonal : rest) += PetscAbsScalar(v[k]);
    PetscCheck(diagonal > rest, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %" PetscInt_FMT " is not dominant: %g, %g", i,
               (double)diagonal, (double)rest);
    PetscCall(MatRestoreRow(alone, i, &nalone, &colsalone, &valone));
    PetscCall(MatRestoreRow(A, i, &n, &cols, &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckGrid(const PetscInt g[3], PetscInt Nc)
{
  const MatType types[] = {MATBAIJ, MATBDIA};
  Mat           A, B, C, alone, other;
  MatInfo       info;
  PetscInt      bs;
  PetscBool     equal;

  PetscFunctionBeginUser;
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, g[0], g[1], g[2], Nc, 5, MATAIJ, &A));
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, g[0], g[1], g[2], Nc, 5, MATAIJ, &alone));
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, g[0], g[1], g[2], Nc, 6, MATAIJ, &other));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCheck((PetscInt)info.nz_used == Count(g, Nc), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%.0f entries, not %" PetscInt_FMT,
             info.nz_used, Count(g, Nc));
  PetscCall(CheckRows(A, alone));
  PetscCall(MatEqual(alone, other, &equal));
  PetscCheck(!equal || info.nz_used == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Two seeds give the same matrix");
  for (const MatType type : types) {
    PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, g[0], g[1], g[2], Nc, 5, type, &B));
    PetscCall(MatGetBlockSize(B, &bs));
    PetscCheck(bs == Nc, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s has block size %" PetscInt_FMT, type, bs);
    PetscCall(MatConvert(B, MATAIJ, MAT_INITIAL_MATRIX, &C));
    PetscCall(MatEqual(A, C, &equal));
    PetscCheck(equal, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s and aij differ", type);
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(MatDestroy(&other));
  PetscCall(MatDestroy(&alone));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  grid[3] = {4, 3, 5}, n = 3;
  PetscBool all = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-grid", grid, &n, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-table", &all, NULL));
  if (all) PetscCall(CheckTable());
  else {
    for (const PetscInt Nc : {1, 2, 3, 7}) PetscCall(CheckGrid(grid, Nc));
  }
  PetscCall(PetscFinalize());
  return 0;
}

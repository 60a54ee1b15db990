static char help[] = "Solves a reservoir system, read from a Matrix Market file or generated, with the matrix type and the "
                     "solver of the options.\n\n";

/*T
   Concepts: Mat^block diagonals; KSP^solving a linear system; Mat^reading Matrix Market files
   Processors: n
T*/

/*
   Reads A (and b) or generates a General Hepta matrix, converts A to the type asked for, solves A x = b and reports. Without -rhs
   the right-hand side is A times ones, so that the error of x is known. The exit code is 0 only when the solver has converged and
   the true residual confirms it.

   Sample runs:
     reservoir
     reservoir -grid 32,32,64 -nc 4 -compare baij,aij
     reservoir -f spe1.mtx.gz -rhs spe1_rhs.txt -mat_bdia_bs 3
     reservoir -f sherman2.mtx.gz -mat_bdia_bs auto -compare aij -plot sherman2.png
     reservoir -f orsreg_1.mtx.gz -mat_type aij -ksp_type gmres -pc_type ilu
     mpiexec -n 3 reservoir -grid 16,32,32 -nc 8 -compare baij -plot convergence.png -log_view
*/
#include <hepta.h>
#include "hepta_lab.h"
#include "matrix_market.h"
#include "reservoir_run.h"

#define MAX_COMPARE 4

typedef struct {
  char     file[PETSC_MAX_PATH_LEN], rhs[PETSC_MAX_PATH_LEN], plot[PETSC_MAX_PATH_LEN]; /* empty: not given */
  char     type[64], bs[64];
  char    *compare[MAX_COMPARE];
  PetscInt ncompare, grid[3], nc, seed, repeats;
} Options;

static PetscErrorCode OptionsGet(Options *o)
{
  PetscInt  n = 3;
  PetscBool set;

  PetscFunctionBeginUser;
  *o = {"", "", "", MATBDIA, "", {}, MAX_COMPARE, {16, 16, 32}, 4, 1, 3};
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Reservoir example", NULL);
  PetscCall(PetscOptionsString("-f", "Matrix Market file, may be in gzip format", "HeptaMatReadMatrixMarket", o->file, o->file,
                               sizeof(o->file), &set));
  PetscCheck(!set || o->file[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-f needs the name of a Matrix Market file");
  PetscCall(PetscOptionsString("-rhs", "right-hand side: Matrix Market array or one number in each line",
                               "HeptaVecReadMatrixMarket", o->rhs, o->rhs, sizeof(o->rhs), &set));
  PetscCheck(!set || o->rhs[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-rhs needs the name of a file");
  PetscCall(
    PetscOptionsIntArray("-grid", "cells J,H,I of the generated matrix", "HeptaMatCreateGeneralHepta", o->grid, &n, &set));
  PetscCheck(!set || n == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ, "-grid needs three numbers J,H,I but has %" PetscInt_FMT, n);
  PetscCall(
    PetscOptionsInt("-nc", "unknowns per cell of the generated matrix", "HeptaMatCreateGeneralHepta", o->nc, &o->nc, NULL));
  PetscCall(PetscOptionsInt("-seed", "seed of the generated matrix", "HeptaMatCreateGeneralHepta", o->seed, &o->seed, NULL));
  PetscCall(PetscOptionsFList("-mat_type", "matrix type", "MatConvert", MatList, o->type, o->type, sizeof(o->type), NULL));
  PetscCall(PetscOptionsStringArray("-compare", "matrix types to compare with in the same run", "MatConvert", o->compare,
                                    &o->ncompare, &set));
  if (!set) o->ncompare = 0;
  PetscCall(PetscOptionsBoundedInt("-repeats", "further solves, of which the median time is given; 0: no products are timed",
                                   "KSPSolve", o->repeats, &o->repeats, NULL, 0));
  PetscCall(PetscOptionsString("-plot", "picture of the convergence, with a .csv file beside it", NULL, o->plot, o->plot,
                               sizeof(o->plot), &set));
  PetscCheck(!set || o->plot[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-plot needs the name of a picture file");
  PetscOptionsEnd();
  /* MATBDIA's own option: here for the parts of the rows */
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_bdia_bs", o->bs, sizeof(o->bs), NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix in PETSc's own type; rows split so that the block size that is asked for, or will be chosen, fits */
static PetscErrorCode CreateMatrix(const Options *o, Mat *A)
{
  PetscInt        bs = PETSC_DECIDE, rows;
  const PetscInt *g  = o->grid;
  MatInfo         info;

  PetscFunctionBeginUser;
  if (o->file[0]) {
    if (o->bs[0] >= '1' && o->bs[0] <= '9') PetscCall(PetscOptionsStringToInt(o->bs, &bs));
    PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_WORLD, o->file, bs, A));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "system   %s", o->file));
  } else {
    PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, g[0], g[1], g[2], o->nc, o->seed, o->nc > 1 ? MATBAIJ : MATAIJ, A));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "system   General Hepta, %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells", g[0], g[1],
                          g[2]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " with %" PetscInt_FMT " unknown%s each", o->nc, o->nc > 1 ? "s" : ""));
  }
  PetscCall(MatGetSize(*A, &rows, NULL));
  PetscCall(MatGetInfo(*A, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ": %" PetscInt_FMT " rows, %.0f entries\n", rows, info.nz_used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A, and b from the file or b <- A e with e = (1, ..., 1), which is then the answer */
static PetscErrorCode SystemCreate(const Options *o, System *system)
{
  PetscFunctionBeginUser;
  *system = {};
  PetscCall(CreateMatrix(o, &system->A));
  PetscCall(MatCreateVecs(system->A, NULL, &system->b));
  system->generated = (PetscBool)!o->file[0];
  if (o->rhs[0]) {
    PetscCall(HeptaVecReadMatrixMarket(o->rhs, system->b));
  } else {
    PetscCall(MatCreateVecs(system->A, &system->e, NULL));
    PetscCall(VecSet(system->e, 1.0));
    PetscCall(MatMult(system->A, system->e, system->b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SystemDestroy(System *system)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&system->A));
  PetscCall(VecDestroy(&system->b));
  PetscCall(VecDestroy(&system->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The runs to compare with: from the original matrix, or from the first run's where that one has found a block size of its own */
static PetscErrorCode RunsCreate(const Options *o, const System *system, Run run[])
{
  PetscInt bs, bs0;

  PetscFunctionBeginUser;
  PetscCall(RunCreate(system, system->A, o->type, &run[0]));
  PetscCall(MatGetBlockSize(system->A, &bs));
  PetscCall(MatGetBlockSize(run[0].A, &bs0));
  for (PetscInt k = 0; k < o->ncompare; k++)
    PetscCall(RunCreate(system, bs == bs0 ? system->A : run[0].A, o->compare[k], &run[1 + k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  System    system;
  Run       run[1 + MAX_COMPARE];
  PetscInt  n;
  PetscBool converged = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(OptionsGet(&o));
  PetscCall(SystemCreate(&o, &system));
  PetscCall(RunsCreate(&o, &system, run));
  n = 1 + o.ncompare;
  PetscCall(RunsTime(n, run, o.repeats));
  for (PetscInt k = 0; k < n; k++) {
    PetscCall(RunReport(&system, &run[k]));
    converged = (PetscBool)(converged && run[k].converged);
  }
  for (PetscInt k = 1; k < n; k++) PetscCall(RunsCompare(&run[0], &run[k]));
  if (o.plot[0]) PetscCall(RunsPlot(n, run, o.plot));
  for (PetscInt k = 0; k < n; k++) PetscCall(RunDestroy(&run[k]));
  for (PetscInt k = 0; k < o.ncompare; k++) PetscCall(PetscFree(o.compare[k]));
  PetscCall(SystemDestroy(&system));
  PetscCall(PetscFinalize());
  return converged ? 0 : 1;
}

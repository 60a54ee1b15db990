static char help[] = "Solves a sparse triangle, ILU(0)'s of a Matrix Market file or of a grid, with each engine of PCBBS and "
                     "with PETSc's own solver.\n\n";

/*T
   Concepts: PC^solving a triangular matrix; Mat^levels of a triangular matrix; Mat^reading Matrix Market files
   Processors: 1
T*/

/*
   Reads A, or makes the five-point matrix of a grid; puts its rows in level order, takes a triangle T of its ILU(0), prints the
   levels of T's rows and how many rows each level has, and solves T x = b for 1, 5, 50 and 100 right-hand sides: the experiment
   of J. Nibbeling's thesis (Leiden University, 2016, chapter 4). Tables are like those of its sections 4.4.2 and 4.4.3: times of
   a solve, the same with the set-up, in milliseconds, and by how many percent the fastest engine needs less than PETSc. The
   set-up is the analysis and all that comes with it: on a device the transfer, in PETSc's solver the ILU(0) of T, too, which is T
   itself. The exit code is 0 only when all answers are good.

   PETSc's solver is MatSolve() of its host factor; on a device (-mat_type aijcusparse) that of cuSPARSE. Without a device
   all engines are the same: the host takes the rows one after the other.

   Sample runs:
     triangular
     triangular -f 1138_bus.mtx.gz -plot levels.png
     triangular -f bodyy6.mtx.gz -mat_bbs_ordering natural -triangle lower
     triangular -f factor.mtx -triangle file -mat_bbs_engine syncfree,chunks -vectors 1,10
   Device sample runs:
     triangular -f nopoly.mtx.gz -mat_type aijcusparse -repeats 20
*/
#include <hepta.h>
#include "matrix_market.h"
#include "triangular.h"

typedef struct {
  char     file[PETSC_MAX_PATH_LEN], plot[PETSC_MAX_PATH_LEN]; /* empty: not given */
  char     type[64], triangle[16], ordering[16];
  char    *engine[MAX_RUNS - 1];
  PetscInt nengines, grid[2], vectors[MAX_NUMBERS], nvectors, repeats;
} Options;

/* Lists that have defaults */
static PetscErrorCode OptionsGetLists(PetscOptionItems PetscOptionsObject, Options *o)
{
  const char    *engines[] = {"auto", "levels", "syncfree", "chunks", "together"};
  const PetscInt numbers[] = {1, 5, 50, 100};
  PetscInt       n         = 2;
  PetscBool      set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsIntArray("-grid", "cells of the matrix without -f", NULL, o->grid, &n, &set));
  PetscCheck((!set || n == 2) && o->grid[0] > 0 && o->grid[1] > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-grid needs two positive numbers");
  o->nengines = MAX_RUNS - 1;
  PetscCall(PetscOptionsStringArray("-mat_bbs_engine", "engines of PCBBS to compare", "PCBBS", o->engine, &o->nengines, &set));
  if (!set) {
    o->nengines = PETSC_STATIC_ARRAY_LENGTH(engines);
    for (PetscInt k = 0; k < o->nengines; k++) PetscCall(PetscStrallocpy(engines[k], &o->engine[k]));
  }
  o->nvectors = MAX_NUMBERS;
  PetscCall(PetscOptionsIntArray("-vectors", "numbers of right-hand sides", "PCMatApply", o->vectors, &o->nvectors, &set));
  if (!set) {
    o->nvectors = PETSC_STATIC_ARRAY_LENGTH(numbers);
    PetscCall(PetscArraycpy(o->vectors, numbers, o->nvectors));
  }
  for (PetscInt k = 0; k < o->nvectors; k++)
    PetscCheck(o->vectors[k] > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-vectors: %" PetscInt_FMT " must be positive",
               o->vectors[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionsGet(Options *o)
{
  const char *triangles[] = {"upper", "lower", "file"}, *orders[] = {"natural", "level"};
  PetscInt    triangle = 0, order = 1;
  PetscBool   set, ordered;

  PetscFunctionBeginUser;
  *o = {"", "", MATAIJ, "", "", {}, 0, {30, 20}, {}, 0, 5};
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Triangular example", NULL);
  PetscCall(PetscOptionsString("-f", "Matrix Market file, may be in gzip format", "HeptaMatReadMatrixMarket", o->file, o->file,
                               sizeof(o->file), &set));
  PetscCheck(!set || o->file[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-f needs the name of a Matrix Market file");
  PetscCall(PetscOptionsEList("-triangle", "triangle of the ILU(0), or the matrix as it is in the file", NULL, triangles, 3,
                              triangles[0], &triangle, NULL));
  PetscCall(PetscOptionsEList("-mat_bbs_ordering", "order of the rows before the ILU(0); natural with -triangle file",
                              "MatGetOrdering", orders, 2, orders[1], &order, &ordered));
  PetscCall(
    PetscOptionsFList("-mat_type", "type of the triangle", "MatConvert", MatList, o->type, o->type, sizeof(o->type), NULL));
  PetscCall(OptionsGetLists(PetscOptionsObject, o));
  PetscCall(PetscOptionsBoundedInt("-repeats", "timed set-ups and solves, of which the median is given; 0: no tables", NULL,
                                   o->repeats, &o->repeats, NULL, 0));
  PetscCall(PetscOptionsString("-plot", "picture of the rows of each level, with a .csv file beside it", NULL, o->plot, o->plot,
                               sizeof(o->plot), &set));
  PetscCheck(!set || o->plot[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-plot needs the name of a picture file");
  PetscOptionsEnd();
  if (triangle == 2 && !ordered) order = 0;
  PetscCall(PetscStrncpy(o->triangle, triangles[triangle], sizeof(o->triangle)));
  PetscCall(PetscStrncpy(o->ordering, orders[order], sizeof(o->ordering)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Five points: 4 on the diagonal, -1 beside it */
static PetscErrorCode GridCreate(PetscInt nx, PetscInt ny, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, nx * ny, nx * ny, 5, NULL, A));
  for (PetscInt i = 0; i < nx * ny; i++) {
    const PetscInt x = i % nx, y = i / nx;
    PetscCall(MatSetValue(*A, i, i, 4.0, INSERT_VALUES));
    if (x > 0) PetscCall(MatSetValue(*A, i, i - 1, -1.0, INSERT_VALUES));
    if (y > 0) PetscCall(MatSetValue(*A, i, i - nx, -1.0, INSERT_VALUES));
    if (x < nx - 1) PetscCall(MatSetValue(*A, i, i + 1, -1.0, INSERT_VALUES));
    if (y < ny - 1) PetscCall(MatSetValue(*A, i, i + nx, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(const Options *o, Mat *A)
{
  PetscInt rows;
  MatInfo  info;

  PetscFunctionBeginUser;
  if (o->file[0]) {
    PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_SELF, o->file, PETSC_DECIDE, A));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "matrix   %s", o->file));
  } else {
    PetscCall(GridCreate(o->grid[0], o->grid[1], A));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "matrix   five points on %" PetscInt_FMT " x %" PetscInt_FMT " cells", o->grid[0],
                          o->grid[1]));
  }
  PetscCall(MatGetSize(*A, &rows, NULL));
  PetscCall(MatGetInfo(*A, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, ": %" PetscInt_FMT " rows, %.0f entries\n", rows, info.nz_used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The engines, then PETSc; with all numbers of right-hand sides */
static PetscErrorCode Compare(const Options *o, const Triangle *t, PetscBool *good)
{
  const PetscInt nruns = o->nengines + 1;
  Sides          sides[MAX_NUMBERS];
  Run            run[MAX_RUNS];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < o->nvectors; k++) PetscCall(SidesCreate(t->T, o->vectors[k], &sides[k]));
  for (PetscInt k = 0; k < nruns; k++)
    PetscCall(RunCreate(t, k < o->nengines ? o->engine[k] : NULL, o->nvectors, sides, &run[k]));
  PetscCall(RunsTime(t, nruns, run, o->nvectors, sides, o->repeats));
  PetscCall(RunsReport(t, nruns, run, o->nvectors, sides, good));
  for (PetscInt k = 0; k < nruns; k++) PetscCall(RunDestroy(&run[k]));
  for (PetscInt k = 0; k < o->nvectors; k++) PetscCall(SidesDestroy(&sides[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     o;
  Triangle    t;
  Mat         A;
  PetscMPIInt size;
  PetscBool   good;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "The example solves on one MPI process, not on %d", size);
  PetscCall(HeptaRegisterAll());
  PetscCall(OptionsGet(&o));
  PetscCall(CreateMatrix(&o, &A));
  PetscCall(TriangleCreate(A, o.triangle, o.ordering, o.type, &t));
  PetscCall(MatDestroy(&A));
  PetscCall(TriangleReport(&t));
  if (o.plot[0]) PetscCall(TrianglePlot(&t, o.plot));
  PetscCall(Compare(&o, &t, &good));
  PetscCall(TriangleDestroy(&t));
  for (PetscInt k = 0; k < o.nengines; k++) PetscCall(PetscFree(o.engine[k]));
  PetscCall(PetscFinalize());
  return good ? 0 : 1;
}

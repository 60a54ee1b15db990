static char help[] = "Says which format suits a matrix, read from a file or generated: bytes, fill and time of a product in each.\n\n";

/*T
   Concepts: Mat^choosing a type; Mat^block diagonals; Mat^tiles; Mat^reading Matrix Market files
   Processors: n
T*/

/*
   Reads A, or generates a General Hepta matrix, and calls HeptaMatAdvise(), which prints a table of formats and the options of the fastest. The
   times are estimates, bytes over the measured bandwidth; -measure converts to each format and times its products. The file is in Matrix
   Market format (.mtx, .mtx.gz) or else in that of PETSc, as MatView() writes it with a binary viewer.

   Sample runs:
     advise
     advise -f nasa1824.mtx.gz
     advise -f bcsstk38.mtx.gz -measure
     advise -grid 32,32,64 -nc 4 -measure -view :table.txt
     mpiexec -n 2 advise -f SPE01_bsr3.mtx.gz -bs 3
   Device sample runs:
     advise -grid 128,128,128 -nc 3 -measure
     advise -grid 128,128,128 -nc 1 -predict -measure
*/
#include <hepta.h>
#include "hepta_lab.h"
#include "matrix_market.h"

typedef struct {
  char     file[PETSC_MAX_PATH_LEN]; /* empty: not given */
  PetscInt grid[3], nc, bs;
} Options;

static PetscErrorCode OptionsGet(Options *o)
{
  PetscInt  n = 3;
  PetscBool set, measure = PETSC_FALSE, predict = PETSC_FALSE;

  PetscFunctionBeginUser;
  *o = {
    "", {8, 8, 16},
     2, PETSC_DECIDE
  };
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Advise example", NULL);
  PetscCall(PetscOptionsString("-f", "Matrix Market file, may be in gzip format, or binary file of PETSc", "MatLoad", o->file, o->file, sizeof(o->file), &set));
  PetscCheck(!set || o->file[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-f needs the name of a file");
  PetscCall(PetscOptionsInt("-bs", "block size that the rows of Matrix Market files are split by", "MatSetBlockSize", o->bs, &o->bs, NULL));
  PetscCall(PetscOptionsIntArray("-grid", "cells J,H,I of the generated matrix", "HeptaMatCreateGeneralHepta", o->grid, &n, &set));
  PetscCheck(!set || n == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ, "-grid needs three numbers J,H,I but has %" PetscInt_FMT, n);
  PetscCall(PetscOptionsInt("-nc", "unknowns per cell of the generated matrix", "HeptaMatCreateGeneralHepta", o->nc, &o->nc, NULL));
  PetscCall(PetscOptionsBool("-measure", "time the product of each format", "HeptaMatAdvise", measure, &measure, NULL));
  PetscCall(PetscOptionsBool("-predict", "predict iterations, from what hepta-tune has measured", "HeptaMatAdvise", predict, &predict, NULL));
  PetscOptionsEnd();
  if (predict) PetscCall(PetscOptionsSetValue(NULL, "-hepta_advise_predict", "true"));
  if (measure) PetscCall(PetscOptionsSetValue(NULL, "-hepta_advise_measure", "true"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LoadMatrix(const Options *o, Mat *A)
{
  PetscViewer viewer;
  char       *end;

  PetscFunctionBeginUser;
  PetscCall(PetscStrstr(o->file, ".mtx", &end));
  if (end) PetscCall(HeptaMatReadMatrixMarket(PETSC_COMM_WORLD, o->file, o->bs, A));
  else {
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, o->file, FILE_MODE_READ, &viewer));
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetType(*A, MATAIJ));
    PetscCall(MatLoad(*A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     o;
  Mat         A;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(HeptaRegisterAll());
  PetscCall(OptionsGet(&o));
  if (o.file[0]) PetscCall(LoadMatrix(&o, &A));
  else PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, o.grid[0], o.grid[1], o.grid[2], o.nc, 1, o.nc > 1 ? MATBAIJ : MATAIJ, &A));
  PetscCall(PetscOptionsCreateViewer(PETSC_COMM_WORLD, NULL, NULL, "-view", &viewer, NULL, NULL));
  PetscCall(HeptaMatAdvise(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

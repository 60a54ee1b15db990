static char help[] =
  "Says which format suits a matrix, read from a file or generated: bytes, fill and time of a product in each.\n\n";

/*T
   Concepts: Mat^choosing a type; Mat^block diagonals; Mat^tiles; Mat^reading Matrix Market files
   Processors: n
T*/

/*
   Reads A, or generates a General Hepta matrix, and calls HeptaMatAdvise(), which prints a table of formats and the options of
   the fastest. The times are estimates, bytes over the measured bandwidth; -measure converts to each format and times its
   products. The file is in Matrix Market format (.mtx, .mtx.gz) or else in that of PETSc, as MatView() writes it with a binary
   viewer.

   Sample runs:
     advise
     advise -f nasa1824.mtx.gz
     advise -f bcsstk38.mtx.gz -measure
     advise -grid 32,32,64 -nc 4 -measure -view :table.txt
     advise -dmda 64,64,32
     mpiexec -n 2 advise -f SPE01_bsr3.mtx.gz -bs 3
     ./program -mat_view ::ascii_info > view.txt; advise -view_of view.txt
   Device sample runs:
     advise -grid 128,128,128 -nc 3 -measure
     advise -grid 128,128,128 -nc 1 -predict -measure
*/
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include <hepta.h>
#include "hepta_lab.h"
#include "matrix_market.h"

typedef struct {
  char     file[PETSC_MAX_PATH_LEN], view_of[PETSC_MAX_PATH_LEN]; /* empty: not given */
  PetscInt grid[3], dmda[3], nc, bs;
} Options;

static PetscErrorCode OptionsGet(Options *o)
{
  PetscInt  n = 3;
  PetscBool set, measure = PETSC_FALSE, predict = PETSC_FALSE;

  PetscFunctionBeginUser;
  *o = {"", "", {8, 8, 16}, {0, 1, 1}, 2, PETSC_DECIDE};
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Advise example", NULL);
  PetscCall(PetscOptionsString("-f", "Matrix Market file, may be in gzip format, or binary file of PETSc", "MatLoad", o->file,
                               o->file, sizeof(o->file), &set));
  PetscCheck(!set || o->file[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-f needs the name of a file");
  PetscCall(PetscOptionsString("-view_of", "file with what a program prints for -mat_view ::ascii_info: its sizes", "MatView",
                               o->view_of, o->view_of, sizeof(o->view_of), NULL));
  PetscCall(PetscOptionsInt("-bs", "block size that the rows of Matrix Market files are split by", "MatSetBlockSize", o->bs,
                            &o->bs, NULL));
  PetscCall(
    PetscOptionsIntArray("-grid", "cells J,H,I of the generated matrix", "HeptaMatCreateGeneralHepta", o->grid, &n, &set));
  PetscCheck(!set || n == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ, "-grid needs three numbers J,H,I but has %" PetscInt_FMT, n);
  n = 3;
  PetscCall(PetscOptionsIntArray("-dmda", "cells M,N,P of a DMDA: the symmetric operator of its star stencil", "DMDACreate3d",
                                 o->dmda, &n, &set));
  for (PetscInt k = 0; set && k < n; k++)
    PetscCheck(o->dmda[k] > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "-dmda needs cells along each axis, not %" PetscInt_FMT, o->dmda[k]);
  PetscCall(
    PetscOptionsInt("-nc", "unknowns per cell of the generated matrix", "HeptaMatCreateGeneralHepta", o->nc, &o->nc, NULL));
  PetscCall(PetscOptionsBool("-measure", "time products, and predicted iterations", "HeptaMatAdvise", measure, &measure, NULL));
  PetscCall(PetscOptionsBool("-predict", "predict iterations, from what hepta-tune has measured", "HeptaMatAdvise", predict,
                             &predict, NULL));
  PetscOptionsEnd();
  if (o->dmda[0]) {
    char grid[128];
    PetscCall(PetscSNPrintf(grid, sizeof(grid), "%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT, o->dmda[0], o->dmda[1],
                            o->dmda[2]));
    PetscCall(PetscOptionsSetValue(NULL, "-hepta_advise_grid", grid));
  }
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

/* The number after the first `name` of the text; there must be one unless it is optional, when *number keeps its value */
static PetscErrorCode NumberAfter(const char *text, const char *name, bool optional, PetscInt *number)
{
  const char *at = std::strstr(text, name);
  double      read;

  PetscFunctionBeginUser;
  if (!at && optional) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(at && std::sscanf(at + std::strlen(name), "%lf", &read) == 1 && read >= 1 && read < (double)PETSC_INT_MAX,
             PETSC_COMM_WORLD, PETSC_ERR_FILE_UNEXPECTED,
             "The file of -view_of has no \"%s\" with a number from 1 on: give it what -mat_view ::ascii_info prints", name);
  *number = (PetscInt)read;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of as many rows and about as many entries in blocks of bs: each cell of a cube of cells with those nearest to it, in
   the order of their distance */
static PetscErrorCode MatrixLike(PetscInt rows, PetscInt entries, PetscInt bs, Mat *A)
{
  const PetscInt        cells = rows / bs, side = PetscMax(1, (PetscInt)std::cbrt((double)cells)),
                        each = PetscMax(1, (PetscInt)std::lround((double)entries / ((double)rows * bs)));
  std::vector<PetscInt> offsets;
  PetscInt              begin, end;

  PetscFunctionBeginUser;
  for (PetscInt far = 0; (PetscInt)offsets.size() < each && far <= 9; far++) { /* the square of the distance */
    for (int k = 0; k < 343; k++) {
      const PetscInt d[3] = {k % 7 - 3, k / 7 % 7 - 3, k / 49 - 3};
      if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] == far && (PetscInt)offsets.size() < each)
        offsets.push_back(d[0] + side * (d[1] + side * d[2]));
    }
  }
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, rows, rows));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, bs > 1 ? MATBAIJ : MATAIJ));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  std::vector<PetscScalar> ones((size_t)(bs * bs), 1);
  for (PetscInt m = begin / bs; m < end / bs; m++) {
    for (PetscInt offset : offsets) {
      const PetscInt to = m + offset;
      if (to >= 0 && to < cells) PetscCall(MatSetValuesBlocked(*A, 1, &m, 1, &to, ones.data(), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the lines "rows=, cols=, bs=" and "total: nonzeros=" of a view */
static PetscErrorCode MatrixOfView(const Options *o, Mat *A)
{
  PetscInt          rows = 0, cols = 0, entries = 0, bs = 1;
  std::ifstream     file(o->view_of);
  std::stringstream text;

  PetscFunctionBeginUser;
  PetscCheck(file.good(), PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "The file %s of -view_of cannot be read", o->view_of);
  text << file.rdbuf();
  PetscCall(NumberAfter(text.str().c_str(), "rows=", false, &rows));
  PetscCall(NumberAfter(text.str().c_str(), "cols=", false, &cols));
  PetscCall(NumberAfter(text.str().c_str(), "nonzeros=", false, &entries));
  PetscCall(NumberAfter(text.str().c_str(), "bs=", true, &bs));
  PetscCheck(rows == cols && rows % bs == 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ,
             "The matrix of -view_of has %" PetscInt_FMT " rows, %" PetscInt_FMT " columns and blocks of %" PetscInt_FMT
             ": it must be square, with whole blocks",
             rows, cols, bs);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "columns: those of a cube of cells, since a view does not have them\n"));
  PetscCall(MatrixLike(rows, entries, bs, A));
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
  else if (o.view_of[0]) PetscCall(MatrixOfView(&o, &A));
  else if (o.dmda[0]) PetscCall(HeptaMatCreateStar(PETSC_COMM_WORLD, o.dmda, &A));
  else
    PetscCall(
      HeptaMatCreateGeneralHepta(PETSC_COMM_WORLD, o.grid[0], o.grid[1], o.grid[2], o.nc, 1, o.nc > 1 ? MATBAIJ : MATAIJ, &A));
  PetscCall(PetscOptionsCreateViewer(PETSC_COMM_WORLD, NULL, NULL, "-view", &viewer, NULL, NULL));
  PetscCall(HeptaMatAdvise(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

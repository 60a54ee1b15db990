/* Which format for which matrix */
#include "advise.h"

#include <algorithm>
#include <cstdio>

#include <petscviewer.h>

/*
   The estimates: a product reads a format's bytes and the vectors once, at the bandwidth of a copy, or on a measured device at
   the throughput of products
*/
static void Estimate(HeptaAdvice &a, PetscMPIInt size)
{
  const double both = (double)a.aij->rmap->N + (double)a.aij->cmap->N, rows = both / 2, vectors = both * sizeof(PetscScalar);

  for (HeptaCandidate &c : a.candidates) {
    for (int device = 0; device < 2; device++) {
      const HeptaAdviceSpace &p    = a.space[device];
      const MatType           type = HeptaMatFormatType(c.format, device);
      HeptaThroughput         B;
      if (!c.misfit.empty() || !type || !(p.there || (device && a.model))) continue;
      if (device && a.model && a.model->Find(std::string("product_") + type, &B)) {
        c.time[device].estimated = 1e-6 * HeptaModelProduct(*a.model, c.Model(*a.model, rows, 1. / size));
        c.time[device].off       = c.format == HeptaMatFormat::aij ? hepta_model_off_aij : hepta_model_spread * B.off;
      } else if (p.there) c.time[device].estimated = (c.bytes + vectors) / p.bandwidth + p.launch;
    }
  }
}

/* An aij with the entries of A, to be destroyed */
static PetscErrorCode GetAIJ(Mat A, Mat *aij)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &same, MATSEQAIJ, MATMPIAIJ, ""));
  if (same) {
    PetscCall(PetscObjectReference((PetscObject)A));
    *aij = A;
  } else PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The given tuning file, or the file of this GPU; needed: a missing file is an error */
static PetscErrorCode TakeModel(const char path[], bool needed, HeptaAdvice *a)
{
  bool found;

  PetscFunctionBegin;
  a->model = std::make_unique<HeptaModel>();
  PetscCall(HeptaModelLoad(a->comm, path, a->model.get(), &found));
  PetscCheck(found || !needed, a->comm, PETSC_ERR_FILE_OPEN,
             "There is no tuning file of this GPU, from which times are predicted: run hepta-tune, or name a file with "
             "-hepta_advise_model");
  if (!found) a->model.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FromOptions(Mat A, HeptaAdvice *a, char file[PETSC_MAX_PATH_LEN], PetscBool *given)
{
  char grid[64] = "";

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)A);
  PetscCall(PetscOptionsBool("-hepta_advise_measure", "Measure the product of each format", "HeptaMatAdvise", a->measure,
                             &a->measure, nullptr));
  PetscCall(
    PetscOptionsString("-hepta_advise_grid", "Cells of the grid, for gridmg", "HeptaMatAdvise", "", grid, sizeof(grid), nullptr));
  PetscCall(PetscOptionsBool("-hepta_advise_measure_iterations", "Measure predicted iterations", "HeptaMatAdvise", a->iterate,
                             &a->iterate, nullptr));
  PetscCall(PetscOptionsBool("-hepta_advise_predict", "Predict iterations", "HeptaMatAdvise", a->predict, &a->predict, nullptr));
  PetscCall(PetscOptionsInt("-hepta_advise_iterations", "Iterations of a solve whose time is predicted, or -1 to estimate them",
                            "HeptaMatAdvise", a->iterations, &a->iterations, nullptr));
  PetscCall(PetscOptionsString("-hepta_advise_model", "Tuning file by which times on a GPU are predicted", "HeptaMatAdvise", file,
                               file, PETSC_MAX_PATH_LEN, given));
  PetscOptionsEnd();
  a->iterate       = PetscBool(a->iterate || a->measure);
  long       n[3]  = {1, 1, 1};
  const int  found = std::sscanf(grid, "%ld,%ld,%ld", n, n + 1, n + 2);
  const auto axes  = std::count_if(n, n + 3, [](long cells) { return cells > 1; });
  if (found > 0 && axes) a->axes = (double)axes;
  if (grid[0]) a->grid = HeptaFormat(" -pc_gridmg_grid %s -pc_subdeflation_pc_gridmg_grid %s", grid, grid);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Advise(Mat A, PetscViewer viewer)
{
  HeptaAdvice a;
  PetscBool   ascii, given = PETSC_FALSE;
  char        file[PETSC_MAX_PATH_LEN] = "";
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidType(A, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(PetscObjectComm((PetscObject)A), &viewer));
  PetscValidHeaderSpecific(viewer, PETSC_VIEWER_CLASSID, 2);
  PetscCheck(A->assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "HeptaMatAdvise() needs an assembled matrix: call MatAssemblyBegin() and MatAssemblyEnd() first");
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  PetscCheck(ascii, PetscObjectComm((PetscObject)viewer), PETSC_ERR_SUP,
             "HeptaMatAdvise() writes a table: give it an ASCII viewer, not one of type %s", ((PetscObject)viewer)->type_name);
  a.comm = PetscObjectComm((PetscObject)A);
  PetscCall(FromOptions(A, &a, file, &given));
  PetscCall(TakeModel(file, given || a.predict, &a));
  PetscCall(GetAIJ(A, &a.aij));
  PetscCall(HeptaAdviceCount(a));
  PetscCall(HeptaAdviceBandwidths(a));
  PetscCallMPI(MPI_Comm_size(a.comm, &size));
  Estimate(a, size);
  if (a.measure) PetscCall(HeptaAdviceMeasure(a));
  PetscCall(HeptaAdviceReport(a, viewer));
  if (a.predict) PetscCall(HeptaAdvicePredict(a, viewer));
  PetscCall(MatDestroy(&a.aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  HeptaMatAdvise - Shows what a matrix would take in each format, in bytes and in time of a product, and the options of the
  fastest

  Collective

  Input Parameters:
+ A      - the matrix, assembled, of any type that `MatConvert()` can make a `MATAIJ`
- viewer - an ASCII viewer for the table, or `NULL` for standard output

  Options Database Keys:
+ -hepta_advise_measure        - converts to each format that fits, and measures its product too, and predicted iterations
. -hepta_advise_measure_iterations - measures predicted iterations without the products
. -hepta_advise_predict        - predicts iterations of the Krylov methods on 1 to 8 GPUs, from the measurements of `hepta-tune`
. -hepta_advise_grid <m,n,p>   - the grid whose cells are the rows, as `-pc_gridmg_grid`; `PCGRIDMG` needs a grid
. -hepta_advise_iterations <n> - also the time of a solve of n iterations; -1: of the iterations for a fall of the norm by 1e8
                                 with a random right-hand side, extrapolated from 50 iterations on the host
- -hepta_advise_model <file>   - a tuning file, perhaps of an absent GPU; by default the user's file of this GPU

  Level: beginner

  Notes:
  The candidates are `MATAIJ`; `MATBAIJ` and `MATBDIA` with each block size from 1 to 8, and the block size of `A`, that divides
  the rows and columns of every MPI process; `MATBROW` with tiles of 1 to 8; and `MATSELL`. For each the table has

.vb
     bytes     values and indices of the local parts and of the couplings between MPI processes, all processes together
     fill      slots for values per entry of the matrix; a MATBROW has its inverse, too, the density of the tiles
     host      the time of a product: (bytes + one reading and one writing of a vector) / bandwidth
     device    with a tuning file the time of products of as many bytes, as measured by `hepta-tune`; otherwise as on the host,
               plus the time to copy one number; MATBAIJ has no products on a device
.ve

  A last line "rows reordered" appears if `MATORDERINGBLOCKDENSITY` saves 5 percent of the bytes of `MATBROW` or more (square
  matrices on one MPI process); a text below the table tells the gain.

  The bandwidth is measured once in a program, by a copy of arrays that no cache holds: a product from a cache is faster than the
  estimate, a product with irregular columns slower. The bytes of a `MATBROW` are without padding. Several MPI processes copy at
  the same time. A `MATBDIA` beyond its limits, 27 block offsets and a fill of 4, does not fit.

  With `-hepta_advise_measure` the columns "measured" have the median time of `MatMult()`, on the host, and on the device for
  `MATAIJCUSPARSE`, `MATSELLCUDA`, `MATBDIACUDA` and `MATBROWCUDA`; the advice follows the measured times. Measuring needs the
  memory of `A` as `MATAIJ` and of one candidate at a time; "refused" marks a candidate without a conversion. Options of the
  formats, such as `-mat_bdia_storage`, are ignored. With `-hepta_advise_predict` and a GPU the table of iterations has the
  microseconds of an iteration, of the first set-up of a solver and of a set-up for new values, as measured.

  `A` does not change. The option has the prefix of `A`.

  Errors:
  `PETSC_ERR_ARG_WRONGSTATE` if `A` is not assembled; `PETSC_ERR_SUP` for viewers that are not ASCII.

.seealso: `MATBDIA`, `MATBROW`, `MatBDIAGetFill()`, `MatBROWSetTileSize()`, `MATORDERINGBLOCKDENSITY`, `MatConvert()`, `MATAIJ`,
   `MATBAIJ`, `MATSELL`
@*/
PetscErrorCode HeptaMatAdvise(Mat A, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(HeptaNoThrow<Advise>(A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

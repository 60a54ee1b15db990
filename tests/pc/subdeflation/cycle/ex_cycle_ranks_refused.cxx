static char help[] = "Where the rows or the values of several processes do not fit the cycle over nested boxes: the same reason on all, and two levels.\n\n";

#include "cycle_refused.h"

#include <petscdmda.h>

static const char HINT[] = " (MatSetSizes(), or a DMDA with one process along each axis but the last)";

/* Rows of several processes that cut a plane: what is wrong with the first such process */
static PetscErrorCode Cut(const CycleGrid &g, const std::vector<PetscInt> &rows, const std::string &reason)
{
  PetscMPIInt rank;
  Mat         A;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(SetOptions(""));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, rows[rank], rows[rank], g.Cells(), g.Cells()));
  PetscCall(MatSetType(A, TestType()));
  PetscCall(HeptaMatBDIASetGrid(A, g.n[0], g.n[1], g.n[2]));
  PetscCall(MatSetUp(A));
  PetscCall(CycleFill(g, A));
  PetscCall(Falls(A, reason + HINT));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A DMDA's processes side by side, whose numbers of rows are those of whole lines */
static PetscErrorCode Beside(PetscMPIInt size)
{
  DM  da;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 4 * size, 12, size, 1, 1, 1, nullptr, nullptr, &da));
  PetscCall(DMSetMatType(da, TestType()));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(MatShift(A, 1));
  PetscCall(Falls(A, "rows 0 to 47 of MPI process 0 are not whole planes of " + std::to_string(4 * size) + " cells" + HINT));
  PetscCall(Destroy(&A, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Four lines of 20 cells on each process but the last, which has the rest of 17 */
static CycleGrid Lines(PetscMPIInt size)
{
  CycleGrid g = CycleGrid{
    {20, 17, 1}
  };

  g.comm = PETSC_COMM_WORLD;
  g.planes.assign(size, 4);
  g.planes[size - 1] = 17 - 4 * (size - 1);
  return g;
}

/* What couples two processes is looked at as what couples cells of one: an entry of each, or beside them */
static PetscErrorCode Borders(PetscMPIInt size)
{
  const CycleGrid   g    = Lines(size);
  const PetscInt    row  = 80 * (size - 1); /* the first of the last process */
  const std::string here = std::to_string(row), below = std::to_string(row - 20), end = std::to_string(row - 1);

  PetscFunctionBeginUser;
  PetscCall(Edited(
    g, [row](Mat A) { return MatSetValue(A, row, row, -0.5, INSERT_VALUES); }, "the diagonal entry of row " + here + " is not positive"));
  PetscCall(Edited(
    g, [row](Mat A) { return MatSetValue(A, row, row - 20, -0.7, INSERT_VALUES); }, "the matrix is not symmetric: see row " + below));
  PetscCall(Edited(
    g, [row](Mat A) { return MatSetValue(A, row - 20, row, -0.7, INSERT_VALUES); }, "the matrix is not symmetric: see row " + below));
  PetscCall(Edited(
    g, [row](Mat A) { return MatSetValue(A, row + 1, row, -0.7, INSERT_VALUES); }, "the matrix is not symmetric: see row " + here));
  PetscCall(Edited(
    g, [row](Mat A) { return SetBoth(A, row - 1, row, -0.001); }, "row " + end + " has a coupling over the end of a line of the grid"));
  PetscCall(Edited(
    g, [row](Mat A) { return SetBoth(A, row - 20, row + 1, -0.001); }, "the matrix couples cells that are not next to each other along an axis of the grid"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells of two boxes of the last process, coupled so strongly that rounding hides their couplings with others; and null spaces that are none. All levels but the last in slabs, or all gathered. */
static PetscErrorCode Found(PetscMPIInt size)
{
  CycleGrid         g      = Lines(size);
  const PetscInt    row    = 80 * (size - 1) + 44;
  const std::string reason = "the box of cells that begins with row " + std::to_string(row) + " is coupled with the others by";

  PetscFunctionBeginUser;
  for (const char *gather : {"", " -pc_subdeflation_gather 0"}) {
    g.closed = true;
    PetscCall(RefusesNullSpaces(g, gather));
    if (PetscDefined(USE_REAL_SINGLE)) continue;
    g.closed = false;
    PetscCall(Edited(
      g, [row](Mat A) { return Chain(A, row - 2, 5e14); }, reason, gather));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscMPIInt     size;
  const CycleGrid plane{
    {20, 17, 1}
  },
    cube{{4, 5, 9}};

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  std::vector<PetscInt> rows(size, 0);
  PetscCall(Beside(size));
  PetscCall(Borders(size));
  PetscCall(Found(size));
  rows[0]        = 50;
  rows[size - 1] = 290;
  PetscCall(Cut(plane, rows, "rows 0 to 49 of MPI process 0 are not whole planes of 20 cells"));
  rows[0]        = 70;
  rows[size - 1] = 110;
  PetscCall(Cut(cube, rows, "rows 0 to 69 of MPI process 0 are not whole planes of 20 cells"));
  if (size == 3) PetscCall(Cut(cube, {60, 45, 75}, "rows 60 to 104 of MPI process 1 are not whole planes of 20 cells"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}

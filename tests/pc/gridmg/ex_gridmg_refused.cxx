static char help[] =
  "What multigrid on boxes refuses, on one process and on several: other structures, rows that cut planes, values of "
  "which rounding hides what matters; and what is no reason to refuse.\n\n";

#include "hepta_lab.h"
#include "cycle_refused.h"

#include <petscdmda.h>

static const char APART[] = "the matrix couples cells that are not next to each other along an axis of the grid";

/* Four lines of 20 cells on each process but the last, which has the rest of 17 */
static CycleGrid Lines(PetscMPIInt size)
{
  CycleGrid g = {{20, 17, 1}};

  g.comm = PETSC_COMM_WORLD;
  g.planes.assign(size, 4);
  g.planes[size - 1] = 17 - 4 * (size - 1);
  return g;
}

static PetscErrorCode One(const CycleGrid &g, PetscInt i, PetscInt j, PetscReal v, const std::string &reason)
{
  PetscFunctionBeginUser;
  PetscCall(Edited(g, [=](Mat A) { return MatSetValue(A, i, j, v, INSERT_VALUES); }, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Both(const CycleGrid &g, PetscInt i, PetscInt j, const std::string &reason)
{
  PetscFunctionBeginUser;
  PetscCall(Edited(g, [=](Mat A) { return SetBoth(A, i, j, -0.001); }, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of the last process, and over its border, where there is one */
static PetscErrorCode Entries(PetscMPIInt size)
{
  const CycleGrid g   = Lines(size);
  const PetscInt  row = PetscMax(80 * (size - 1), 40); /* with several processes the first of the last one */
  const auto      of  = [=](PetscInt i) { return std::to_string(row + i); };

  PetscFunctionBeginUser;
  PetscCall(One(g, row, row, -0.5, "the diagonal entry of row " + of(0) + " is not positive"));
  PetscCall(One(g, row, row - 20, -0.7, "the matrix is not symmetric: see row " + of(-20)));
  PetscCall(One(g, row - 20, row, -0.7, "the matrix is not symmetric: see row " + of(-20)));
  PetscCall(One(g, row + 1, row, -0.7, "the matrix is not symmetric: see row " + of(0)));
  for (PetscReal factor : {1., 1 + 1e-14}) /* also where the transposed entry is rounded otherwise */
    PetscCall(Edited(
      g, [=](Mat A) { return SetBoth(A, row + 1, row + 2, 50, factor); },
      "the matrix is not positive definite: row " + of(1) + " has a coupling with a later row"));
  PetscCall(Both(g, row - 1, row, "row " + of(-1) + " has a coupling over the end of a line of the grid"));
  PetscCall(Both(g, row - 20, row + 1, APART));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Both({{2, 170, 1}}, 31, 32, "row 31 has a coupling over the end of a line of the grid")); /* a corner of 9 points */
  PetscCall(Both({{7, 6, 8}}, 36, 43, "row 36 has a coupling over the end of a line of the grid"));
  PetscCall(Both({{400, 1, 1}}, 10, 12, APART));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Blocks()
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(SetOptions(""));
  PetscCall(HeptaMatCreateGeneralHepta(PETSC_COMM_SELF, 7, 5, 9, 2, 1, TestType(), &A));
  PetscCall(Refuses(A, "the block size is 2"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of several processes that cut a plane, and a DMDA's processes side by side; few planes of a large grid */
static PetscErrorCode Planes(PetscMPIInt size)
{
  const std::string hint = " (MatSetSizes(), or a DMDA with one process along each axis but the last)";
  CycleGrid         few  = {{2200000, 2, 1}};
  PetscMPIInt       rank;
  Mat               A;
  DM                da;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  const PetscInt rows = rank ? rank == size - 1 ? 290 : 0 : 50;
  PetscCall(SetOptions(""));
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 4 * size, 12, size, 1, 1, 1,
                         nullptr, nullptr, &da));
  PetscCall(DMSetMatType(da, TestType()));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(MatShift(A, 1));
  PetscCall(Refuses(A, "rows 0 to 47 of MPI process 0 are not whole planes of " + std::to_string(4 * size) + " cells" + hint));
  PetscCall(Destroy(&A, &da));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, rows, rows, 340, 340));
  PetscCall(MatSetType(A, TestType()));
  PetscCall(MatBDIASetGrid(A, 20, 17, 1));
  PetscCall(MatSetUp(A));
  PetscCall(CycleFill({{20, 17, 1}}, A));
  PetscCall(Refuses(A, "rows 0 to 49 of MPI process 0 are not whole planes of 20 cells" + hint));
  PetscCall(MatDestroy(&A));
  few.comm   = PETSC_COMM_WORLD;
  few.planes = {1, 1};
  if (size > 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CycleMat(few, &A));
  PetscCall(Refuses(A, "each MPI process would have to gather level 0 of 4400000 cells, because one has 1 planes of it, "
                       "and 6 are needed"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells of two boxes that are so strongly coupled that rounding hides their couplings with others; null spaces that are none */
static PetscErrorCode Hidden(PetscMPIInt size)
{
  CycleGrid      g   = Lines(size);
  const PetscInt row = 80 * (size - 1) + 44;
  const auto     box = [](PetscInt i) {
    return "the box of cells that begins with row " + std::to_string(i) + " is coupled with the others by";
  };

  PetscFunctionBeginUser;
  for (const char *gather : {"", " -pc_gridmg_gather 0"}) {
    g.closed = true;
    PetscCall(RefusesNullSpaces(g, std::string("-pc_type gridmg") + gather));
    g.closed = false;
    if (!PetscDefined(USE_REAL_SINGLE))
      PetscCall(Edited(g, [row](Mat A) { return Chain(A, row - 2, 5e14, 1e15); }, box(row), gather));
  }
  if (size > 1 || PetscDefined(USE_REAL_SINGLE)) PetscFunctionReturn(PETSC_SUCCESS);
  /* in its first cells */
  PetscCall(Edited({{20, 17, 1}}, [](Mat A) { return Chain(A, 43, 2e15, 1e8); }, box(43), "-pc_gridmg_size 3"));
  for (PetscInt lines : {17, 12}) /* two levels, and one */
    PetscCall(Edited({{20, lines, 1}}, [](Mat A) { return Pair(A, 43, 1e15); }, box(44), ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of a grid without couplings between them: the null vector of each that nothing holds is known, and no reason to refuse */
static PetscErrorCode Separate()
{
  const CycleGrid g{{20, 17, 1}, 1, true};
  const auto island = [](PetscInt i) { return i % 20 / 2 == 3 && i / 40 == 2; }; /* a box of the last level, without unknown */
  const auto part   = [&](PetscInt i) { return island(i) ? 2 : int(i >= 200); };

  PetscFunctionBeginUser;
  for (PetscReal held : {0, 1}) {
    Mat A;
    KSP ksp;
    PetscCall(SetOptions(""));
    PetscCall(CycleMat(g, &A));
    PetscCall(Parts(g, part, held, A));
    PetscCall(CycleKSP(A, "-pc_type gridmg -ksp_type fusedcg", &ksp));
    PetscCall(CheckSolve(ksp, "a grid in parts"));
    PetscCall(Destroy(&ksp, &A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view says which axes are not coarsened, on which levels, and why */
static PetscErrorCode Axes()
{
  Mat       A;
  KSP       ksp;
  PC        pc;
  CycleGrid g = {{24, 32, 8}};

  PetscFunctionBeginUser;
  g.along[2] = 1e-4;
  PetscCall(CycleMat(g, &A));
  PetscCall(CycleKSP(A, "-pc_type gridmg", &ksp));
  PetscCall(CheckSolve(ksp, "weak couplings along an axis"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(CheckView(pc, {"level 2: 6 x 8 x 8 cells", "axis 3 is not coarsened on levels 0 to 2: its couplings are 9e-05 to "
                                                       "0.00036 of the strongest (-pc_gridmg_axis_strength 0.25)"}));
  PetscCall(Destroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Run()
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Entries(size));
  PetscCall(Hidden(size));
  if (size > 1) {
    PetscCall(Planes(size));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Blocks());
  PetscCall(Separate());
  PetscCall(Axes());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestMainOwnOptions(argc, argv, help, Run);
}

static char help[] = "Assembling a MATBDIA matrix again: values, new locations under every option, entries to be ignored, "
                     "offsets set before values.\n\n";

#include <petsc/private/petscimpl.h> /* PetscObjectStateGet() */

#include "core.h"

static const std::vector<PetscInt> offsets = {-5, -1, 0, 1, 2};

/* The entries of this rank's rows on the offsets, one in ten left out */
static PetscErrorCode Fill(Mat A, const Shape &s, PetscInt seed, InsertMode mode, const std::vector<PetscInt> &off = offsets)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt o : off) {
      const PetscInt m = i / s.bs + o;
      for (PetscInt j = m * s.bs; m >= 0 && m < s.nbc && j < (m + 1) * s.bs; j++) {
        const PetscScalar v = PairNumber(i, j, seed);
        if (PairNumber(i, j, 4711) > -0.8) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, mode));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values: the structure and its offsets stay, the object state rises, and a second assembly of nothing changes nothing */
static PetscErrorCode Again(Mat A, const Shape &s)
{
  PetscObjectState      state[2], nonzero[2];
  PetscInt              nd[2];
  const PetscInt       *off[2];
  std::vector<PetscInt> before;
  PetscErrorCode (*known)(Mat, PetscInt *, const PetscInt *[]);

  PetscFunctionBegin;
  PetscCall(Fill(A, s, 1, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatBDIAGetOffsets_C", &known));
  if (known) PetscCall(MatBDIAGetOffsets(A, &nd[0], &off[0]));
  if (known) before.assign(off[0], off[0] + nd[0]);
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
    PetscCall(PetscObjectStateGet((PetscObject)A, &state[0]));
    PetscCall(MatGetNonzeroState(A, &nonzero[0]));
    PetscCall(Fill(A, s, 2, mode, {-1, 0}));
    PetscCall(Assemble(A));
    PetscCall(Assemble(A));
    PetscCall(PetscObjectStateGet((PetscObject)A, &state[1]));
    PetscCall(MatGetNonzeroState(A, &nonzero[1]));
    PetscCheck(state[1] > state[0], PETSC_COMM_SELF, PETSC_ERR_PLIB, "The object state did not rise");
    PetscCheck(nonzero[1] == nonzero[0], PETSC_COMM_SELF, PETSC_ERR_PLIB, "The nonzero state changed");
  }
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBDIAGetOffsets(A, &nd[1], &off[1]));
  PetscCheck(before == std::vector<PetscInt>(off[1], off[1] + nd[1]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The offsets changed");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New locations after assembly, allowed by default or ignored */
static PetscErrorCode NewLocations(Mat A, const Shape &s, bool ignore)
{
  PetscFunctionBegin;
  PetscCall(PreallocateAIJ(A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(Fill(A, s, 1, INSERT_VALUES));
  PetscCall(Assemble(A));
  if (ignore) PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(Fill(A, s, 2, ADD_VALUES, {-3, -1, 0, 7}));
  PetscCall(Assemble(A));
  if (ignore) PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  PetscCall(Fill(A, s, 3, INSERT_VALUES, {-4, 0, 1}));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refused locations: a hole in a stored block, a diagonal that is not stored, another rank's column */
static PetscErrorCode Refused(MPI_Comm comm, const Shape &s)
{
  PetscInt          start, end, nd = 0;
  const PetscInt   *off = nullptr;
  const PetscScalar one = 1;

  PetscFunctionBegin;
  for (MatOption option : {MAT_NEW_NONZERO_LOCATION_ERR, MAT_NEW_NONZERO_ALLOCATION_ERR}) {
    Mat A;
    if (!TestIsBDIA() && option == MAT_NEW_NONZERO_ALLOCATION_ERR) continue; /* what is stored is another matter there */
    PetscCall(NewMat(comm, s, TestType(), "t_", &A));
    PetscCall(Fill(A, s, 1, INSERT_VALUES));
    PetscCall(Assemble(A));
    PetscCall(MatSetOption(A, option, PETSC_TRUE));
    PetscCall(MatGetOwnershipRange(A, &start, &end));
    if (TestIsBDIA()) PetscCall(MatBDIAGetOffsets(A, &nd, &off));
    for (PetscInt i = start; i < end; i++) {
      for (PetscInt j = 0; j < s.nbc * s.bs; j++) {
        const PetscInt o     = j / s.bs - i / s.bs;
        const bool     local = j >= start && j < end, stored = local && std::count(off, off + nd, o) > 0;
        const bool     is_set = std::count(offsets.begin(), offsets.end(), o) > 0 && PairNumber(i, j, 4711) > -0.8,
                       fine   = is_set || (stored && option == MAT_NEW_NONZERO_ALLOCATION_ERR);
        if (!fine && (local || option == MAT_NEW_NONZERO_LOCATION_ERR))
          TestFails(PETSC_ERR_ARG_OUTOFRANGE, MatSetValues(A, 1, &i, 1, &j, &one, ADD_VALUES));
        if (fine) PetscCall(MatSetValues(A, 1, &i, 1, &j, &one, ADD_VALUES));
      }
    }
    PetscCall(Assemble(A));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of other ranks' rows dropped, or zeros dropped except where a value stands */
static PetscErrorCode Ignore(Mat A, const Shape &s, MatOption option)
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(PreallocateAIJ(A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(A, option, PETSC_TRUE));
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES, INSERT_VALUES}) {
    for (PetscInt i = 0; i < s.nbr * s.bs; i++) {
      for (PetscInt j = 0; j < s.nbc * s.bs; j++) {
        const PetscScalar v = PairNumber(i, j, mode == ADD_VALUES ? 8 : 9) > 0.3 ? 0 : PairNumber(i, j, 6);
        if (j % 3 && SetterOf(i, j, mode == ADD_VALUES, size) == rank) PetscCall(MatSetValues(A, 1, &i, 1, &j, &v, mode));
      }
    }
    PetscCall(Assemble(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A zero inserted over a value replaces it though new zeros are ignored; aij without preallocation would forget it on one rank */
static PetscErrorCode ZeroOverValue(Mat A, const Shape &s)
{
  PetscInt          start, end;
  const PetscScalar zero = 0;

  PetscFunctionBegin;
  PetscCall(PreallocateAIJ(A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(Fill(A, s, 1, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatSetOption(A, MAT_IGNORE_ZERO_ENTRIES, PETSC_TRUE));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i += 2) {
    for (PetscInt j = 0; j < s.nbc * s.bs; j++) PetscCall(MatSetValues(A, 1, &i, 1, &j, &zero, INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The offsets are those of the grid */
static PetscErrorCode CheckGridOffsets(Mat A, const Shape &s, const PetscInt grid[3], const std::string &what)
{
  PetscInt              nd, rows;
  const PetscInt       *off;
  std::vector<PetscInt> expected;

  PetscFunctionBegin;
  PetscCall(MatBDIAGetOffsets(A, &nd, &off));
  PetscCall(MatGetLocalSize(A, &rows, nullptr));
  for (PetscInt o : std::vector<PetscInt>{-grid[0] * grid[1], -grid[0], -1, 0, 1, grid[0], grid[0] * grid[1]}) {
    if (PetscAbsInt(o) < PetscMax(rows / s.bs, 1)) expected.push_back(o);
  }
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  PetscCheck(expected == std::vector<PetscInt>(off, off + nd), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: %d offsets, expected %d or others", what.c_str(), (int)nd, (int)expected.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Offsets known before any value: by function or option; entries outside the grid's stencil may join */
static PetscErrorCode Grid(MPI_Comm comm, const Shape &shape, const PetscInt grid[3], bool by_option)
{
  Mat               A[2];
  Shape             s    = shape;
  const std::string what = "grid " + std::to_string(grid[0]) + "," + std::to_string(grid[1]) + "," + std::to_string(grid[2]);

  PetscFunctionBegin;
  s.nbr = s.nbc = grid[0] * grid[1] * grid[2];
  if (by_option) PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-grid_mat_bdia_grid " + what.substr(5)).c_str()));
  for (int k = 0; k < 2; k++) {
    PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, by_option ? "grid_" : "t_", &A[k]));
    if (!by_option) PetscCall(MatBDIASetGrid(A[k], grid[0], grid[1], grid[2]));
    PetscCall(Fill(A[k], s, 1, INSERT_VALUES, {-1, 0, grid[0]}));
    PetscCall(Assemble(A[k]));
  }
  PetscCall(CheckSame(A[0], A[1], 1e-13, what.c_str()));
  if (TestIsBDIA()) PetscCall(CheckGridOffsets(A[1], s, grid, what));
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No values at all, and no rows at all */
static PetscErrorCode Empty(MPI_Comm comm, const Shape &shape)
{
  Shape s = shape;

  PetscFunctionBegin;
  PetscCall(CheckRecipe(comm, s, "t_", 0, "no values", [](Mat A) { return Assemble(A); }));
  PetscCall(CheckRecipe(comm, s, "t_", 0, "no values, then some", [&](Mat A) {
    PetscCall(PreallocateAIJ(A));
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(Assemble(A));
    PetscCall(Fill(A, s, 1, INSERT_VALUES));
    return Assemble(A);
  }));
  s.nbr = s.nbc = 0;
  PetscCall(CheckRecipe(comm, s, "t_", 0, "no rows", [](Mat A) { return Assemble(A); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Shape &s)
{
  const PetscInt grids[][3] = {{3, 2, 4}, {1, 5, 3}, {4, 1, 1}, {1, 1, 6}, {5, 2, 1}};

  PetscFunctionBegin;
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "again", [&](Mat A) { return Again(A, s); }));
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "new locations", [&](Mat A) { return NewLocations(A, s, false); }));
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "new locations ignored", [&](Mat A) { return NewLocations(A, s, true); }));
  PetscCall(Refused(comm, s));
  PetscCall(CheckRecipe(comm, s, "t_", 1e-13, "zero over value", [&](Mat A) { return ZeroOverValue(A, s); }));
  for (MatOption option : {MAT_IGNORE_OFF_PROC_ENTRIES, MAT_IGNORE_ZERO_ENTRIES}) {
    if (s.bs < 4) PetscCall(CheckRecipe(comm, s, "t_", 1e-13, MatOptions[option], [&](Mat A) { return Ignore(A, s, option); }));
  }
  for (const auto &grid : grids) {
    for (bool by_option : {false, true}) PetscCall(Grid(comm, s, grid, by_option));
  }
  PetscCall(Empty(comm, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"t_", "grid_"}));
  PetscCall(EachShape(PETSC_COMM_WORLD, Test));
  PetscCall(PetscFinalize());
  return 0;
}

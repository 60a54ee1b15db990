static char help[] = "Makes a MATBDIA matrix of 24 rows and does one wrong thing, or nothing wrong but what the options say.\n\
  -do <name> : the wrong thing, see `wrongs`\n\
  -by <rank> : which rank does it (the last)\n\n";

#include <hepta.h>
#include <petscksp.h>

#include <cstring>
#include <limits>
#include <vector>

static const PetscInt N = 24;

/* Rows and columns of this rank's share, with three diagonals */
static PetscErrorCode Fill(Mat A)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j : {i - 1, i, i + 1}) {
      if (j < N) PetscCall(MatSetValue(A, i, j, i == j ? 4 : -1, INSERT_VALUES)); /* -1 is ignored */
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Assemble(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What may go wrong: `one` is true on the rank that does it */
static PetscErrorCode Set(Mat A, bool one, PetscInt i, PetscInt j, PetscScalar v)
{
  PetscFunctionBeginUser;
  PetscCall(Fill(A));
  if (one) PetscCall(MatSetValue(A, i, j, v, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetBlock(Mat A, bool one, PetscInt i, PetscInt j)
{
  const PetscScalar v[4] = {1, 2, 3, 4};

  PetscFunctionBeginUser;
  if (one) PetscCall(MatSetValuesBlocked(A, 1, &i, 1, &j, v, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetCOO(Mat A, bool one, PetscInt i, PetscInt j, PetscScalar v)
{
  PetscInt    is[2] = {0, one ? i : 0}, js[2] = {0, one ? j : 0};
  PetscScalar vs[2] = {1, one ? v : 1};

  PetscFunctionBeginUser;
  PetscCall(MatSetPreallocationCOO(A, 2, is, js));
  PetscCall(MatSetValuesCOO(A, vs, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every other diagonal, in rows of the first rank alone, so that the messages of several do not mix: 12 offsets on one rank */
static PetscErrorCode ManyOffsets(Mat A)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = 0; !start && i < end; i++) {
    for (PetscInt j = i; j < N; j += 2) PetscCall(MatSetValue(A, i, j, 1, INSERT_VALUES));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same by COO, where all ranks hear of it */
static PetscErrorCode ManyOffsetsCOO(Mat A)
{
  std::vector<PetscInt> is, js;
  PetscInt              start, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt j = i; j < N; j += 2) is.push_back(i), js.push_back(j);
  }
  PetscCall(MatSetPreallocationCOO(A, (PetscCount)is.size(), is.data(), js.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of one rank that on several are the first one's: assemblies send them, all ranks hear of it at the last one, and
   entries set before it are no errors */
static PetscErrorCode ManyOffsetsSent(Mat A, bool one)
{
  PetscFunctionBeginUser;
  for (PetscInt j = 0; j < 8 && one; j += 2) PetscCall(MatSetValue(A, 0, j, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FLUSH_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FLUSH_ASSEMBLY));
  PetscCall(MatSetValue(A, one ? N - 1 : 0, one ? N - 1 : 0, 1, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three offsets with one entry each: on one rank 24 + 23 + 22 slots for 3 entries */
static PetscErrorCode FewEntries(Mat A)
{
  PetscInt start;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, nullptr));
  for (PetscInt j = start; j < start + 3; j++) PetscCall(MatSetValue(A, start, j, 1, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same index in an index set for MatCreateSubMatrix() */
static PetscErrorCode SubMatrix(Mat A, bool one, PetscInt i, PetscInt j)
{
  IS  rows, cols;
  Mat S;

  PetscFunctionBeginUser;
  PetscCall(Fill(A));
  PetscCall(Assemble(A));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, one, i, 1, &rows));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, one, j, 1, &cols));
  PetscCall(MatCreateSubMatrix(A, rows, cols, MAT_INITIAL_MATRIX, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Get(Mat A, bool one, PetscInt i, PetscInt j)
{
  PetscScalar v;

  PetscFunctionBeginUser;
  PetscCall(Fill(A));
  PetscCall(Assemble(A));
  if (one) PetscCall(MatGetValues(A, 1, &i, 1, &j, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZeroRow(Mat A, bool one, PetscInt i, bool columns)
{
  PetscFunctionBeginUser;
  PetscCall(Fill(A));
  PetscCall(Assemble(A));
  PetscCall(columns ? MatZeroRowsColumns(A, one, &i, 1, nullptr, nullptr) : MatZeroRows(A, one, &i, 1, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Settings that come too late, or do not fit the matrix */
static PetscErrorCode Late(Mat A, const char what[])
{
  PetscFunctionBeginUser;
  PetscCall(Fill(A));
  if (!strcmp(what, "late_half")) PetscCall(MatBDIASetHalf(A, PETSC_TRUE));
  if (!strcmp(what, "late_storage")) PetscCall(MatBDIASetStorage(A, HEPTA_MAT_STORAGE_SINGLE));
  if (!strcmp(what, "late_grid")) PetscCall(MatBDIASetGrid(A, 2, 3, 4));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Offsets(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatBDIAGetOffsets(A, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TileSize(Mat A)
{
  PetscInt bs;

  PetscFunctionBeginUser;
  PetscCall(MatBROWGetTileSize(A, &bs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetFill(Mat A)
{
  PetscReal fill;

  PetscFunctionBeginUser;
  PetscCall(MatBDIAGetFill(A, &fill));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Mat A)
{
  KSP ksp;
  Vec x, b;

  PetscFunctionBeginUser;
  PetscCall(Fill(A));
  PetscCall(Assemble(A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number that no value of the setter's enum has */
template <class E> static PetscErrorCode SetNone(Mat A, PetscErrorCode (*set)(PC, E))
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &pc));
  PetscCall(set(pc, (E)9));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const double nan_value = std::numeric_limits<double>::quiet_NaN(), inf_value = std::numeric_limits<double>::infinity();

typedef PetscErrorCode (*Wrong)(Mat A, bool one);

static const struct {
  const char *name;
  Wrong       act;
} wrongs[] = {
  {"nothing", [](Mat A, bool) { return Fill(A); }},
  {"row", [](Mat A, bool one) { return Set(A, one, N, 0, 1); }},
  {"column", [](Mat A, bool one) { return Set(A, one, N - 1, N + 5, 1); }},
  {"other_column", [](Mat A, bool one) { return Set(A, one, 0, N, 1); }}, /* of a row that rank 0 owns */
  {"block_row", [](Mat A, bool one) { return SetBlock(A, one, N / 2, 0); }},
  {"block_column", [](Mat A, bool one) { return SetBlock(A, one, N / 2 - 1, N / 2); }},
  /* times the block size: wraps to 0 */
  {"block_huge", [](Mat A, bool one) { return SetBlock(A, one, 0, PETSC_INT_MAX / 2 + 1); }},
  {"coo_row", [](Mat A, bool one) { return SetCOO(A, one, N + 1, 2, 1); }},
  {"coo_column", [](Mat A, bool one) { return SetCOO(A, one, 3, N, 1); }},
  {"get_row", [](Mat A, bool one) { return Get(A, one, N, 0); }},
  {"get_column", [](Mat A, bool one) { return Get(A, one, N - 1, N); }},
  {"zero_row", [](Mat A, bool one) { return ZeroRow(A, one, N + 2, false); }},
  {"zero_column", [](Mat A, bool one) { return ZeroRow(A, one, N + 2, true); }},
  {"sub_row", [](Mat A, bool one) { return SubMatrix(A, one, N + 4, 2); }},
  {"sub_column", [](Mat A, bool one) { return SubMatrix(A, one, N - 1, N + 3); }},
  {"nan", [](Mat A, bool one) { return Set(A, one, N - 1, N - 2, nan_value); }},
  {"inf", [](Mat A, bool one) { return Set(A, one, N - 1, N - 1, -inf_value); }},
  /* another rank's row; on that rank a ghost column */
  {"nan_off_rank", [](Mat A, bool one) { return Set(A, one, 0, N - 1, nan_value); }},
  {"nan_coo", [](Mat A, bool one) { return SetCOO(A, one, 5, 6, nan_value); }},
  {"unsymmetric", [](Mat A, bool one) { return Set(A, one, N - 1, N - 2, 7); }},
  {"many_offsets", [](Mat A, bool) { return ManyOffsets(A); }},
  {"many_coo", [](Mat A, bool) { return ManyOffsetsCOO(A); }},
  {"many_sent", [](Mat A, bool one) { return ManyOffsetsSent(A, one); }},
  {"few_entries", [](Mat A, bool) { return FewEntries(A); }},
  {"late_half", [](Mat A, bool) { return Late(A, "late_half"); }},
  {"late_storage", [](Mat A, bool) { return Late(A, "late_storage"); }},
  {"late_grid", [](Mat A, bool) { return Late(A, "late_grid"); }},
  {"early_offsets", [](Mat A, bool) { return Offsets(A); }},
  {"tile_size", [](Mat A, bool) { return TileSize(A); }},
  {"solve", [](Mat A, bool) { return Solve(A); }},
  {"get_fill", [](Mat A, bool) { return GetFill(A); }},
  {"bdia_storage", [](Mat A, bool) { return MatBDIASetStorage(A, (HeptaMatStorage)7); }},
  {"brow_storage", [](Mat A, bool) { return MatBROWSetStorage(A, (HeptaMatStorage)7); }},
  {"ip_variant", [](Mat A, bool) { return SetNone(A, PCIPSetVariant); }},
  {"bbs_triangle", [](Mat A, bool) { return SetNone(A, PCBBSSetTriangle); }},
  {"ip_storage", [](Mat A, bool) { return SetNone(A, PCIPSetStorage); }},
  {"type", [](Mat A, bool) { return SetNone(A, PCSubdeflationSetType); }},
  {"variant", [](Mat A, bool) { return SetNone(A, PCSubdeflationSetVariant); }},
  {"coarse", [](Mat A, bool) { return SetNone(A, PCSubdeflationSetCoarse); }},
};

int main(int argc, char **argv)
{
  Mat         A;
  char        name[64] = "nothing";
  PetscMPIInt rank, size;
  PetscInt    by, cols = N, col_bs = 0, local = PETSC_DECIDE, nwrong = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(HeptaRegisterAll());
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  by = size - 1;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-do", name, sizeof(name), nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-by", &by, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-cols", &cols, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-col_bs", &col_bs, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-local", &local, nullptr)); /* rows of each rank but the last */
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  if (local >= 0 && rank == size - 1) local = N - (size - 1) * local;
  PetscCall(MatSetSizes(A, local, local, N, cols));
  if (col_bs) PetscCall(MatSetBlockSizes(A, 1, col_bs));
  PetscCall(MatSetType(A, MATBDIA));
  PetscCall(MatSetFromOptions(A));
  for (const auto &w : wrongs) {
    if (strcmp(w.name, name)) continue;
    nwrong++;
    PetscCall(w.act(A, rank == by));
  }
  PetscCheck(nwrong == 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-do %s is not known", name);
  PetscCall(Assemble(A));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

static char help[] = "HeptaMatGetBalancedRows() and -mat_brow_balance: ranks get about equally many blocks, and MATBROW read "
                     "with these rows is MATAIJ's matrix.\n\n";

#include <numeric>
#include <set>
#include <unistd.h>

#include "core.h"
#include "failure.h"

struct Case {
  /* block size of the matrix, of the blocks that are counted; rows and columns in blocks of the matrix */
  PetscInt    bs, tile, rows, cols;
  std::string file;
};

/* The first tenth of the rows, and one more, have an entry in every other block; the others three, or none */
static bool Is(PetscInt m, PetscInt c, const Case &k)
{
  if (m < k.rows / 10 || m == k.rows / 2) return c % 2 == 0;
  return m % 7 && (c == m || c == (m * 5 + 3) % k.cols || c == (m * 3 + 1) % k.cols);
}

static PetscErrorCode Create(MPI_Comm comm, const Case &k, Mat *A)
{
  PetscInt start, end;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, k.rows * k.bs, k.cols * k.bs));
  PetscCall(MatSetBlockSize(*A, k.bs));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    for (PetscInt c = 0; c < k.cols; c++) {
      for (PetscInt s = 0; s < k.bs && Is(i / k.bs, c, k); s++)
        PetscCall(MatSetValue(*A, i, c * k.bs + s, PairNumber(i, c * k.bs + s, 1), INSERT_VALUES));
    }
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of rows [begin, end), each block row counted by itself; *longest: those of the longest piece of `unit` rows */
static PetscInt64 Blocks(const Case &k, PetscInt tile, PetscInt unit, PetscInt begin, PetscInt end, PetscInt64 *longest)
{
  PetscInt64 sum = 0, piece = 0;

  for (PetscInt i = begin; i < end; i += tile) {
    std::set<PetscInt> columns;
    for (PetscInt r = i; r < PetscMin(i + tile, end); r++) {
      for (PetscInt j = 0; j < k.cols * k.bs; j++) {
        if (Is(r / k.bs, j / k.bs, k)) columns.insert(j / tile);
      }
    }
    if (i % unit == 0) piece = 0;
    piece += (PetscInt64)columns.size();
    sum += (PetscInt64)columns.size();
    *longest = PetscMax(*longest, piece);
  }
  return sum;
}

static PetscErrorCode CheckRowsOf(MPI_Comm comm, const Case &k, PetscInt tile, IS rows)
{
  const PetscInt unit = std::lcm(k.bs, tile), size = k.rows * k.bs;
  PetscInt64     longest = 0, all = Blocks(k, tile, unit, 0, size, &longest), mine, ignored = 0;
  PetscInt       n, first, step, before                                                     = 0;
  PetscMPIInt    rank, ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(ISGetLocalSize(rows, &n));
  PetscCall(ISStrideGetInfo(rows, &first, &step));
  PetscCallMPI(MPI_Exscan(&n, &before, 1, MPIU_INT, MPI_SUM, comm));
  PetscCheck(first == (rank ? before : 0) && step == 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rows from %d instead of %d", (int)first,
             (int)before);
  PetscCheck(first == size || first % unit == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %d inside a piece of %d", (int)first,
             (int)unit);
  PetscCheck(rank < ranks - 1 || first + n == size, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Rows end at %d instead of %d",
             (int)(first + n), (int)size);
  mine = Blocks(k, tile, unit, first, first + n, &ignored);
  /* Besides the longest piece: empty ones count as a block, pieces cut by the split there was before count twice */
  PetscCheck(mine <= all / ranks + 2 * longest + k.rows / 7 / ranks, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d of %d blocks of %d on one of %d ranks, the longest piece having %d", (int)mine, (int)all, (int)tile, (int)ranks,
             (int)longest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A MATBROW of local sizes m and n from the file */
static PetscErrorCode Load(MPI_Comm comm, const Case &k, const char prefix[], MatType type, PetscInt m, PetscInt n, Mat *A)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetOptionsPrefix(*A, prefix));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetSizes(*A, m, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(PetscViewerBinaryOpen(comm, k.file.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Read with the option and without sizes, or with those of aij, or without the option */
static PetscErrorCode CheckLoad(MPI_Comm comm, const Case &k, Mat A, PetscInt want)
{
  Mat      B, C;
  PetscInt m, n, own, columns;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &own, &columns));
  PetscCall(Load(comm, k, "balance_", TestType(), PETSC_DECIDE, PETSC_DECIDE, &B));
  PetscCall(MatGetLocalSize(B, &m, &n));
  PetscCheck(m == want && n == (k.rows == k.cols ? want : columns), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d x %d instead of %d rows on this rank", (int)m, (int)n, (int)want);
  PetscCall(Load(comm, k, "", MATAIJ, m, n, &C));
  PetscCall(CheckSame(C, B, 0, "balanced"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  for (const char *prefix : {"balance_", ""}) {
    PetscCall(Load(comm, k, prefix, TestType(), *prefix ? own : PETSC_DECIDE, *prefix ? columns : PETSC_DECIDE, &B));
    PetscCall(CheckSame(A, B, 0, "sizes as they were"));
    PetscCall(MatDestroy(&B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(MPI_Comm comm, const Case &k)
{
  PetscViewer viewer;
  Mat         A, B;
  IS          rows, again;
  PetscInt    n;
  PetscBool   same;

  PetscFunctionBegin;
  PetscCall(Create(comm, k, &A));
  PetscCall(HeptaMatGetBalancedRows(A, k.tile, &rows));
  if (k.tile || k.bs > 1) PetscCall(CheckRowsOf(comm, k, k.tile ? k.tile : k.bs, rows));
  PetscCall(MatConvert(A, TestType(), MAT_INITIAL_MATRIX, &B));
  PetscCall(HeptaMatGetBalancedRows(B, k.tile, &again));
  PetscCall(ISEqual(rows, again, &same));
  PetscCheck(same, comm, PETSC_ERR_PLIB, "Other rows for brow than for aij");
  PetscCall(ISGetLocalSize(rows, &n));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&again));
  PetscCall(MatDestroy(&B));
  PetscCall(PetscViewerBinaryOpen(comm, k.file.c_str(), FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscOptionsSetValue(nullptr, "-balance_mat_brow_bs", k.tile ? std::to_string(k.tile).c_str() : "auto"));
  PetscCall(CheckLoad(comm, k, A, n));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refusals(MPI_Comm comm)
{
  Mat A;
  IS  rows;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(comm, PETSC_DECIDE, PETSC_DECIDE, 5, 5, 1, nullptr, 1, nullptr, &A));
  PetscCall(
    ExpectError(PETSC_ERR_ARG_WRONGSTATE, "needs an assembled matrix", [&] { return HeptaMatGetBalancedRows(A, 1, &rows); }));
  PetscCall(Assemble(A));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "The tile size -1", [&] { return HeptaMatGetBalancedRows(A, -1, &rows); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "The tile size 1025", [&] { return HeptaMatGetBalancedRows(A, 1025, &rows); }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file and what its .info file left in the options go after each case */
static PetscErrorCode Each(MPI_Comm comm, const std::vector<Case> &cases)
{
  PetscFunctionBegin;
  for (const Case &k : cases) {
    const PetscErrorCode code = Test(comm, k);
    if (code)
      (void)(*PetscErrorPrintf)("Failed: block size %d, %d x %d blocks, tile size %d\n", (int)k.bs, (int)k.rows, (int)k.cols,
                                (int)k.tile);
    PetscCall(code);
    PetscCallMPI(MPI_Barrier(comm));
    (void)unlink(k.file.c_str());
    (void)unlink((k.file + ".info").c_str());
    PetscCall(PetscOptionsClearValue(nullptr, "-matload_block_size"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  int         pid = (int)getpid();
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Bcast(&pid, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const std::string file = "ex_balance." + std::to_string(pid) + ".petsc";
  PetscCall(PetscOptionsInsertString(nullptr, "-balance_mat_brow_balance"));

  const std::vector<Case> few    = {{1, 3, 200, 200, file}, {3, 2, 70, 70, file}, {1, 9, 3, 3, file}};
  const std::vector<Case> others = {{1, 1, 200, 200, file}, {1, 0, 120, 120, file}, {3, 0, 70, 70, file},
                                    {2, 4, 60, 31, file},   {1, 5, 31, 90, file},   {1, 2, 3, 3, file}};
  PetscCall(Each(PETSC_COMM_WORLD, few));
  if (size < 5) PetscCall(Each(PETSC_COMM_WORLD, others)); /* many ranks on few cores would take long */
  PetscCall(Refusals(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}

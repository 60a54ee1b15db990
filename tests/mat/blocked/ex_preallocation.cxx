static char help[] =
  "Preallocation as for MATAIJ and MATBAIJ, compressed rows among it, and taking it back: MATBDIA compared with these types.\n\n";

#include <petsc/private/matimpl.h>
#include <petscdmcomposite.h>
#include <petscdmda.h>
#include <petscdmredundant.h>

#include "core.h"
#include "failure.h"

/* This rank's rows in compressed form, of entries or of blocks, whose columns are global */
struct Rows {
  std::vector<PetscInt>    i = std::vector<PetscInt>(1, 0), j;
  std::vector<PetscScalar> v;
};

/* The blocks whole, or with bs 1 their entries, a few left out */
static Rows MakeRows(Mat A, const std::vector<Block> &blocks, PetscInt bs, PetscInt block, PetscInt seed)
{
  Rows     rows;
  PetscInt start, end;

  (void)MatGetOwnershipRange(A, &start, &end);
  for (PetscInt i = start / block; i < end / block; i++) {
    for (const Block &b : blocks) {
      if (b.first != i * block / bs) continue;
      for (PetscInt j = b.second * bs / block; j < (b.second + 1) * bs / block; j++) {
        if (block == 1 && PairNumber(i, j, 4711) < -0.9) continue;
        rows.j.push_back(j);
        for (PetscInt k = 0; k < block * block; k++)
          rows.v.push_back(PairNumber(i * block + k / block, j * block + k % block, seed));
      }
    }
    rows.i.push_back((PetscInt)rows.j.size());
  }
  return rows;
}

/* The layouts of the rows are known from the sizes */
static PetscErrorCode SetUpRows(Mat A)
{
  PetscFunctionBegin;
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetCSR(Mat A, const Rows &r, bool values)
{
  const PetscScalar *v = values ? r.v.data() : nullptr;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJSetPreallocationCSR(A, r.i.data(), r.j.data(), v));
  PetscCall(MatMPIAIJSetPreallocationCSR(A, r.i.data(), r.j.data(), v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetBlockCSR(Mat A, PetscInt bs, const Rows &r, bool values)
{
  const PetscScalar *v = values ? r.v.data() : nullptr;

  PetscFunctionBegin;
  PetscCall(MatSeqBAIJSetPreallocationCSR(A, bs, r.i.data(), r.j.data(), v));
  PetscCall(MatMPIBAIJSetPreallocationCSR(A, bs, r.i.data(), r.j.data(), v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of entries: with values and without, and other ones after them */
static PetscErrorCode TestCSR(MPI_Comm comm, const Shape &s)
{
  const std::vector<Block> first = MakeBlocks(s, {-3, 0, 1}, 3), second = MakeBlocks(s, {0, 2}, 5);

  PetscFunctionBegin;
  for (bool values : {true, false}) {
    PetscCall(CheckRecipe(comm, s, "csr_", 0, "compressed rows", [&](Mat A) {
      PetscCall(SetUpRows(A));
      PetscCall(SetCSR(A, MakeRows(A, first, s.bs, 1, 3), values));
      PetscCheck(A->assembled, comm, PETSC_ERR_PLIB, "Not assembled");
      return PETSC_SUCCESS;
    }));
  }
  PetscCall(CheckRecipe(comm, s, "csr_", 0, "compressed rows twice", [&](Mat A) {
    PetscCall(SetUpRows(A));
    PetscCall(SetCSR(A, MakeRows(A, first, s.bs, 1, 3), true));
    PetscCall(SetCSR(A, MakeRows(A, second, s.bs, 1, 4), true));
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of blocks, which stand by rows or by columns, given to a matrix whose block size is not set yet; null values too */
static PetscErrorCode TestBlockCSR(MPI_Comm comm, const Shape &s)
{
  const std::vector<Block> blocks = MakeBlocks(s, {-2, 0, 1}, 4);

  PetscFunctionBegin;
  for (PetscBool by_row : {PETSC_TRUE, PETSC_FALSE}) {
    for (bool values : {true, false}) {
      Mat A[2], B;

      for (int k = 0; k < 2; k++) {
        PetscCall(MatCreate(comm, &A[k]));
        PetscCall(MatSetSizes(A[k], s.bs * ShareOf(comm, s.nbr, s.rows), s.bs * ShareOf(comm, s.nbc, s.cols), s.bs * s.nbr,
                              s.bs * s.nbc));
        PetscCall(MatSetOptionsPrefix(A[k], "csr_"));
        PetscCall(MatSetType(A[k], k ? TestType() : MATBAIJ));
        if (k) PetscCall(MatSetFromOptions(A[k]));
        PetscCall(MatSetOption(A[k], MAT_ROW_ORIENTED, by_row));
        PetscCall(SetUpRows(A[k]));
        PetscCall(SetBlockCSR(A[k], s.bs, MakeRows(A[k], blocks, s.bs, s.bs, 5), values));
      }
      PetscCheck(A[1]->rmap->bs == s.bs && A[1]->cmap->bs == s.bs, comm, PETSC_ERR_PLIB, "The block size is %d instead of %d",
                 (int)A[1]->rmap->bs, (int)s.bs);
      PetscCall(MatConvert(A[0], MATAIJ, MAT_INITIAL_MATRIX, &B));
      PetscCall(CheckSame(B, A[1], 0, ("compressed blocks: " + ShapeName(s)).c_str()));
      PetscCall(MatDestroy(&B));
      for (Mat &M : A) PetscCall(MatDestroy(&M));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatXAIJSetPreallocation() sets up; a second time it and the functions that reset empty the matrix, which then takes other
   entries, new locations included */
static PetscErrorCode TestReset(MPI_Comm comm, const Shape &s)
{
  const std::vector<Block> first = MakeBlocks(s, {-3, 0, 1}, 3), second = MakeBlocks(s, {0, 2}, 5);

  PetscFunctionBegin;
  for (int way = 0; way < 3; way++) {
    PetscCall(CheckRecipe(comm, s, "csr_", 0, "a matrix used again", [&](Mat A) {
      const bool       ours = TestIsOfKind(A);
      PetscObjectState before;
      PetscMPIInt      size;

      if (ours) {
        std::vector<PetscInt> nnz(s.nbr, 1);
        PetscCall(MatXAIJSetPreallocation(A, s.bs, nnz.data(), nnz.data(), nullptr, nullptr));
        PetscCallMPI(MPI_Comm_size(comm, &size));
        /* on one rank DMDA could have made this matrix, and would take it for aij */
        PetscCheck(A->preallocated || size == 1, comm, PETSC_ERR_PLIB, "Not set up");
        PetscCall(FillBlocks(A, s, first, 6));
        PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
        before = A->nonzerostate;
        if (way == 0) PetscCall(MatResetPreallocation(A));
        else if (way == 1) PetscCall(MatResetHash(A));
        else PetscCall(MatXAIJSetPreallocation(A, s.bs, nnz.data(), nnz.data(), nullptr, nullptr));
        PetscCheck(!A->assembled && A->nonzerostate > before, comm, PETSC_ERR_PLIB,
                   "Emptied, but assembled or of the same nonzero state");
      }
      PetscCall(FillBlocks(A, s, second, 7));
      return PETSC_SUCCESS;
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc's programs do before they set values: blocks of several sizes, which need a matrix with layouts. One size given, so
   PETSc splits. */
static PetscErrorCode TestVariableBlocks(MPI_Comm comm)
{
  PetscInt m, sizes[3] = {2, 1, 0};
  Mat      A;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, &A));
  PetscCall(MatSetSizes(A, 5, 5, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetOptionsPrefix(A, "csr_"));
  PetscCall(MatSetType(A, TestType()));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSeqAIJSetPreallocation(A, 3, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(A, 3, nullptr, 3, nullptr));
  PetscCall(MatGetLocalSize(A, &m, nullptr));
  sizes[2] = m - 3;
  PetscCall(MatSetBlockSize(A, 5));
  PetscCall(MatSetVariableBlockSizes(A, 3, sizes));
  PetscCall(MatSetValue(A, A->rmap->rstart, A->rmap->rstart, 1, INSERT_VALUES));
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "The block size must be set before", [&] { return MatSetBlockSize(A, 1); }));
  PetscCall(Assemble(A));
  PetscCheck(A->rmap->bs == 5, comm, PETSC_ERR_PLIB, "The block size is %d instead of 5", (int)A->rmap->bs);
  PetscCall(ExpectError(PETSC_ERR_ARG_WRONGSTATE, "The block size must be set before", [&] { return MatSetBlockSize(A, 1); }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors name the row, on every rank; new locations are refused afterwards */
static PetscErrorCode TestRefusals(MPI_Comm comm)
{
  Shape       s;
  PetscMPIInt rank, size;
  Mat         A;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(NewMat(comm, s, TestType(), "csr_", &A));
  PetscCall(SetUpRows(A));
  const Rows good = MakeRows(A, MakeBlocks(s, {0}, 0), 1, 1, 3);
  Rows       bad  = good;
  if (rank == size - 1 && bad.j.size()) bad.j.back() = s.nbc;
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, rank == size - 1 ? "is not one of the matrix's 17" : "",
                        [&] { return SetCSR(A, bad, true); }));
  bad = good;
  if (rank == size - 1) bad.i[1] = -1;
  PetscCall(
    ExpectError(PETSC_ERR_ARG_OUTOFRANGE, rank == size - 1 ? "and ends at -1" : "", [&] { return SetCSR(A, bad, true); }));
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "must be positive", [&] { return SetBlockCSR(A, 0, good, true); }));
  PetscCall(SetCSR(A, good, true));
  if (A->rmap->n)
    PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "new nonzero",
                          [&] { return MatSetValue(A, A->rmap->rstart, (A->rmap->rstart + 1) % 17, 1, INSERT_VALUES); }));
  PetscCall(Assemble(A));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *id <- the number of the next PETSc object */
static PetscErrorCode NextObject(PetscObjectId *id)
{
  PetscContainer object;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &object));
  PetscCall(PetscObjectGetId((PetscObject)object, id));
  PetscCall(PetscContainerDestroy(&object));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The number of rows alone, which MATORDERINGNATURAL asks for, needs no aij */
static PetscErrorCode TestNumberOfRows(Mat A)
{
  PetscObjectId before, after;
  PetscInt      n    = 0;
  PetscBool     done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(NextObject(&before));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, nullptr, nullptr, &done));
  PetscCheck(done && n == A->rmap->n, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No number of rows");
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, nullptr, nullptr, &done));
  PetscCall(NextObject(&after));
  PetscCheck(after == before + 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The number of rows takes new objects");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows that fit an aij's array are not shown, those for orderings and colorings are; who cannot be told gets an error */
static PetscErrorCode TestRowIJ(MPI_Comm comm)
{
  const PetscInt *ia = nullptr, *ja = nullptr;
  PetscInt        n = 0;
  PetscBool       done;
  Shape           s;
  Mat             A;

  PetscFunctionBegin;
  PetscCall(NewMat(comm, s, TestType(), "csr_", &A));
  PetscCall(FillBlocks(A, s, MakeBlocks(s, {-1, 0, 1}, 0), 3));
  if (A->rmap->size == 1) PetscCall(TestNumberOfRows(A));
  for (PetscInt shift : {0, 1}) {
    PetscCall(MatGetRowIJ(A, shift, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
    PetscCheck(!done && !ia && !ja, comm, PETSC_ERR_PLIB, "Rows for an array that is not there");
    PetscCall(MatRestoreRowIJ(A, shift, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
    PetscCall(MatGetRowIJ(A, shift, PETSC_FALSE, PETSC_TRUE, &n, &ia, &ja, &done));
    PetscCheck(done && n == A->rmap->n, comm, PETSC_ERR_PLIB, "No rows for orderings and colorings");
    PetscCall(MatRestoreRowIJ(A, shift, PETSC_FALSE, PETSC_TRUE, &n, &ia, &ja, &done));
  }
  PetscCall(ExpectError(PETSC_ERR_SUP, "-mpi_linear_solver_server",
                        [&] { return MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, nullptr, &ia, &ja, nullptr); }));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A DMComposite of five unknowns on the first rank and a grid: one rank sets values where others have none */
static PetscErrorCode TestComposite(MPI_Comm comm)
{
  DM  packer, parts[2];
  Mat A[2];

  PetscFunctionBegin;
  PetscCall(DMCompositeCreate(comm, &packer));
  PetscCall(DMRedundantCreate(comm, 0, 5, &parts[0]));
  PetscCall(DMDACreate2d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 6, 7, PETSC_DECIDE, PETSC_DECIDE, 2, 1,
                         nullptr, nullptr, &parts[1]));
  PetscCall(DMSetUp(parts[1]));
  for (DM &part : parts) PetscCall(DMCompositeAddDM(packer, part));
  PetscCall(DMSetUp(packer));
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-mat_bdia_max_offsets 1000 -mat_bdia_max_fill 1000").c_str()));
  for (int k = 0; k < 2; k++) {
    PetscCall(DMSetMatType(packer, k ? TestType() : MATAIJ));
    PetscCall(DMCreateMatrix(packer, &A[k]));
  }
  PetscCall(CheckSame(A[0], A[1], 0, "DMComposite"));
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  for (DM &part : parts) PetscCall(DMDestroy(&part));
  PetscCall(DMDestroy(&packer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"csr_"}));
  for (auto f : {TestCSR, TestBlockCSR, TestReset}) PetscCall(EachShape(PETSC_COMM_WORLD, f));
  for (auto f : {TestVariableBlocks, TestRefusals, TestRowIJ, TestComposite}) PetscCall(f(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}

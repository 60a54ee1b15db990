static char help[] = "Locations that are entries and locations that are not: fills of DMDA's blocks, MAT_STRUCTURE_ONLY, zeroed "
                     "rows under COO; and MatDiagonalScaleLocal().\n\n";

#include <petsc/private/matimpl.h>
#include <petscdmda.h>

#include "core.h"
#include "failure.h"
#include "view.h"

/* The same matrix as MATAIJ and as MATBDIA from a grid of `dof` unknowns per cell */
static PetscErrorCode CreateBoth(DM da, Mat A[2])
{
  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    PetscCall(DMSetMatType(da, k ? TestType() : MATAIJ));
    PetscCall(DMCreateMatrix(da, &A[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateGrid(MPI_Comm comm, PetscInt dim, PetscInt dof, DMBoundaryType side, DM *da)
{
  PetscFunctionBegin;
  PetscCall(DMDACreate(comm, da));
  PetscCall(DMSetDimension(*da, dim));
  PetscCall(DMDASetSizes(*da, 7, dim > 1 ? 6 : 1, dim > 2 ? 5 : 1));
  PetscCall(DMDASetBoundaryType(*da, side, side, side));
  PetscCall(DMDASetDof(*da, dof));
  PetscCall(DMDASetStencilType(*da, DMDA_STENCIL_STAR));
  PetscCall(DMDASetStencilWidth(*da, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyBoth(Mat A[2], DM *da)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&A[0]));
  PetscCall(MatDestroy(&A[1]));
  PetscCall(DMDestroy(da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Three unknowns: diagonal blocks with a part of their entries or whole, the others with an entry or two a row or none */
static PetscErrorCode TestFills(MPI_Comm comm)
{
  const PetscInt full[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, own[9] = {1, 1, 0, 0, 1, 0, 1, 0, 1},
                 others[9] = {1, 0, 0, 0, 0, 0, 0, 1, 1};

  PetscFunctionBegin;
  for (PetscInt dim = 1; dim <= 3; dim++) {
    for (DMBoundaryType side : {DM_BOUNDARY_NONE, DM_BOUNDARY_PERIODIC}) {
      for (const PetscInt *diagonal : {own, full}) {
        const std::string what = "block fills, " + std::to_string(dim) + "-D";
        DM                da;
        Mat               A[2];

        PetscCall(CreateGrid(comm, dim, 3, side, &da));
        PetscCall(DMDASetBlockFills(da, diagonal, others));
        PetscCall(DMSetUp(da));
        PetscCall(CreateBoth(da, A));
        PetscCall(CheckSame(A[0], A[1], 0, what.c_str()));
        PetscCall(DestroyBoth(A, &da));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DMSetMatrixPreallocateOnly(): no entries before some are set */
static PetscErrorCode TestPreallocateOnly(MPI_Comm comm)
{
  DM      da;
  Mat     A[2];
  MatInfo info;

  PetscFunctionBegin;
  PetscCall(CreateGrid(comm, 2, 2, DM_BOUNDARY_NONE, &da));
  PetscCall(DMSetUp(da));
  PetscCall(DMSetMatrixPreallocateOnly(da, PETSC_TRUE));
  PetscCall(CreateBoth(da, A));
  for (Mat M : A) {
    PetscCall(Assemble(M));
    PetscCall(MatShift(M, 2));
    PetscCall(MatGetInfo(M, MAT_GLOBAL_SUM, &info));
    PetscCheck(info.nz_used == 84, comm, PETSC_ERR_PLIB, "%g entries instead of those of the diagonal", info.nz_used);
  }
  PetscCall(DestroyBoth(A, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What MatView() prints of a matrix on one rank */
static PetscErrorCode Print(Mat A, std::string *text)
{
  PetscFunctionBegin;
  PetscCall(TakeView((PetscObject)A, PETSC_VIEWER_DEFAULT, text));
  text->erase(0, text->find('\n') + 1); /* the line with the type */
  if (text->compare(0, 8, "  type: ") == 0) text->erase(0, text->find('\n') + 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MAT_STRUCTURE_ONLY: views and converted matrices have no values */
static PetscErrorCode TestStructureOnly(MPI_Comm comm)
{
  DM          da;
  Mat         A[2], B;
  std::string text[2];
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(CreateGrid(comm, 2, 2, DM_BOUNDARY_NONE, &da));
  PetscCall(DMSetUp(da));
  PetscCall(DMSetMatrixStructureOnly(da, PETSC_TRUE));
  PetscCall(CreateBoth(da, A));
  if (size == 1) { /* aij of several ranks has no such view */
    for (int k = 0; k < 2; k++) PetscCall(Print(A[k], &text[k]));
    PetscCheck(text[0] == text[1] && text[0].find("(0) ") != std::string::npos, comm, PETSC_ERR_PLIB, "The views differ:\n%s\n%s",
               text[0].c_str(), text[1].c_str());
  }
  PetscCall(MatConvert(A[1], MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCheck(B->structure_only, comm, PETSC_ERR_PLIB, "The converted matrix has values");
  PetscCall(MatDestroy(&B));
  PetscCall(MatDuplicate(A[1], MAT_DO_NOT_COPY_VALUES, &B));
  PetscCheck(B->structure_only, comm, PETSC_ERR_PLIB, "The duplicate has values");
  PetscCall(MatDestroy(&B));
  PetscCall(DestroyBoth(A, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number at each entry */
static PetscErrorCode FillPattern(Mat A)
{
  PetscInt                 n;
  const PetscInt          *cols;
  std::vector<PetscInt>    start(1, 0), j;
  std::vector<PetscScalar> v;

  PetscFunctionBegin;
  for (PetscInt i = A->rmap->rstart; i < A->rmap->rend; i++) {
    PetscCall(MatGetRow(A, i, &n, &cols, nullptr));
    for (PetscInt k = 0; k < n; k++) v.push_back(PairNumber(i, cols[k], 9));
    j.insert(j.end(), cols, cols + n);
    start.push_back((PetscInt)j.size());
    PetscCall(MatRestoreRow(A, i, &n, &cols, nullptr));
  }
  for (PetscInt r = 0; r < A->rmap->n; r++) {
    const PetscInt i = A->rmap->rstart + r;
    PetscCall(MatSetValues(A, 1, &i, start[r + 1] - start[r], j.data() + start[r], v.data() + start[r], INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns scaled by numbers that a rank has for its own columns and for the ghost ones */
static PetscErrorCode TestScaleLocal(MPI_Comm comm)
{
  DM          da;
  Mat         A[2];
  Vec         global, local;
  PetscRandom random;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(CreateGrid(comm, 2, 2, DM_BOUNDARY_NONE, &da));
  PetscCall(DMSetUp(da));
  PetscCall(CreateBoth(da, A));
  for (Mat M : A) PetscCall(FillPattern(M));
  PetscCall(DMCreateGlobalVector(da, &global));
  PetscCall(DMCreateLocalVector(da, &local));
  PetscCall(PetscRandomCreate(comm, &random));
  PetscCall(VecSetRandom(global, random));
  PetscCall(DMGlobalToLocal(da, global, INSERT_VALUES, local));
  for (Mat M : A) PetscCall(MatDiagonalScaleLocal(M, local));
  PetscCall(CheckSame(A[0], A[1], 1e-14, "MatDiagonalScaleLocal"));
  if (size > 1) {
    PetscCall(ExpectError(PETSC_ERR_ARG_SIZ, "the mapping of the columns", [&] { return MatDiagonalScaleLocal(A[1], global); }));
    PetscCall(CheckSame(A[0], A[1], 1e-14, "a refused MatDiagonalScaleLocal"));
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(VecDestroy(&global));
  PetscCall(VecDestroy(&local));
  PetscCall(DestroyBoth(A, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* COO values after MatZeroRows(): the structure is whole again. Some locations are given twice, some by other ranks. */
static PetscErrorCode TestCOO(MPI_Comm comm)
{
  Shape                    s;
  Mat                      A[2];
  PetscMPIInt              rank, size;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;

  PetscFunctionBegin;
  s.bs = 2;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (const Block &b : MakeBlocks(s, {-1, 0, 1, 6}, 0)) {
    for (PetscInt k = 0; k < 4; k++) {
      const PetscInt row = 2 * b.first + k / 2, col = 2 * b.second + k % 2;
      if (SetterOf(row, col, 1, size) != rank) continue;
      for (PetscInt times = 0; times < 1 + (row + col) % 2; times++) {
        i.push_back(row);
        j.push_back(col);
        v.push_back(PairNumber(row, col, times));
      }
    }
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(NewMat(comm, s, k ? TestType() : MATAIJ, "structure_", &A[k]));
    std::vector<PetscInt> rows = i, cols = j;
    PetscCall(MatSetPreallocationCOO(A[k], (PetscCount)rows.size(), rows.data(), cols.data()));
    PetscCall(MatSetValuesCOO(A[k], v.data(), INSERT_VALUES));
  }
  for (int k = 0; k < 2; k++) {
    const PetscInt         rows[3] = {0, 3, 2 * s.nbr - 1};
    const PetscObjectState state   = A[1]->nonzerostate;
    PetscCall(MatZeroRows(A[1], rank ? 0 : 3, rows, k ? 0 : 3, nullptr, nullptr));
    PetscCall(MatSetValuesCOO(A[1], v.data(), INSERT_VALUES));
    PetscCall(CheckSame(A[0], A[1], 1e-14, "COO values after MatZeroRows()"));
    PetscCheck(A[1]->nonzerostate >= state + 2, comm, PETSC_ERR_PLIB, "Entries went and came under the same nonzero state");
  }
  for (Mat &M : A) PetscCall(MatDestroy(&M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slots that were within the limit of empty ones stay so when MatZeroRows() empties some: a later assembly is no error */
static PetscErrorCode TestFillLimit(MPI_Comm comm)
{
  Shape                 s;
  Mat                   A;
  std::vector<PetscInt> rows;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(nullptr, TestOptions("-limit_mat_bdia_max_fill 1.3").c_str()));
  PetscCall(NewMat(comm, s, TestType(), "limit_", &A));
  PetscCall(FillBlocks(A, s, MakeBlocks(s, {-1, 0, 1}, 0), 3));
  for (PetscInt i = A->rmap->rstart; i < A->rmap->rend; i++) {
    if (i % 4) rows.push_back(i);
  }
  PetscCall(MatZeroRows(A, (PetscInt)rows.size(), rows.data(), 0, nullptr, nullptr));
  for (PetscInt i : rows) PetscCall(MatSetValue(A, i, i, 3, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(NoLimits({"", "structure_"}));
  for (auto f : {TestFills, TestPreallocateOnly, TestStructureOnly, TestScaleLocal, TestCOO, TestFillLimit})
    PetscCall(f(PETSC_COMM_WORLD));
  PetscCall(PetscFinalize());
  return 0;
}

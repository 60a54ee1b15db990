static char help[] =
  "Submatrices of unknowns, as PCFIELDSPLIT takes them: of the matrix's own format, with the entries of MATAIJ's.\n\n";

#include "testmat.h"
#include <petscdmda.h>

using List = std::vector<PetscInt>;

/* These unknowns of each of the rank's blocks, with a block size of the index set */
static PetscErrorCode NewIS(Mat A, PetscInt bs, const List &fields, PetscInt block_size, IS *is)
{
  PetscInt start, end;
  List     index;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  for (PetscInt m = start / bs; m < end / bs; m++)
    for (PetscInt f : fields) index.push_back(m * bs + f);
  PetscCall(ISCreateGeneral(PetscObjectComm((PetscObject)A), (PetscInt)index.size(), index.data(), PETSC_COPY_VALUES, is));
  PetscCall(ISSetBlockSize(*is, block_size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix is a bdia or brow, if own */
static PetscErrorCode CheckType(Mat B, bool own)
{
  PetscBool is;
  MatType   type;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)B, &is, MATSEQBDIA, MATMPIBDIA, MATSEQBROW, MATMPIBROW, MATSEQBDIACUDA,
                                      MATMPIBDIACUDA, MATSEQBROWCUDA, MATMPIBROWCUDA, ""));
  PetscCall(MatGetType(B, &type));
  PetscCheck(is == own, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "The submatrix is a %s", type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One submatrix; with other values; with a new entry in each matrix */
static PetscErrorCode OnePart(const TestCase &c, const List &rows, const List &cols)
{
  const PetscInt bs   = c.spec.bs;
  const bool     own  = bs > 1 && !c.storage.symmetric;
  PairSpec       more = c.spec;
  Pair           p, q;
  IS             row, col;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(c.comm, c.spec, &p));
  PetscCall(NewIS(p.aij, bs, rows, (PetscInt)rows.size(), &row));
  PetscCall(NewIS(p.aij, bs, cols, (PetscInt)cols.size(), &col));
  PetscCall(MatCreateSubMatrix(p.aij, row, col, MAT_INITIAL_MATRIX, &q.aij));
  PetscCall(MatCreateSubMatrix(p.bdia, row, col, MAT_INITIAL_MATRIX, &q.bdia));
  PetscCall(CheckType(q.bdia, own));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "Submatrix"));
  for (Mat A : {p.aij, p.bdia}) PetscCall(PairFill(A, c.spec, c.spec.seed + 1));
  PetscCall(MatCreateSubMatrix(p.aij, row, col, MAT_REUSE_MATRIX, &q.aij));
  PetscCall(MatCreateSubMatrix(p.bdia, row, col, MAT_REUSE_MATRIX, &q.bdia));
  PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "Submatrix with other values"));
  if (own) { /* aij cannot reuse a submatrix for another structure */
    more.off.push_back(more.off.back() < 3 ? 3 : 1 - more.nb / 2);
    for (Mat A : {p.aij, p.bdia}) PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (Mat A : {p.aij, p.bdia}) PetscCall(PairFill(A, more, c.spec.seed + 2));
    PetscCall(MatDestroy(&q.aij));
    PetscCall(MatCreateSubMatrix(p.aij, row, col, MAT_INITIAL_MATRIX, &q.aij));
    PetscCall(MatCreateSubMatrix(p.bdia, row, col, MAT_REUSE_MATRIX, &q.bdia));
    PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "Submatrix with more entries"));
  }
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCall(PairDestroy(&q));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One unknown, two in the other order, all, and rows of other unknowns than columns */
static PetscErrorCode Parts(const TestCase &c)
{
  const PetscInt last = c.spec.bs - 1;
  List           all;

  PetscFunctionBeginUser;
  for (PetscInt f = 0; f <= last; f++) all.push_back(f);
  PetscCall(OnePart(c, {last}, {last}));
  if (!last) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OnePart(c, {last, 0}, {last, 0}));
  PetscCall(OnePart(c, all, all));
  PetscCall(OnePart(c, {0}, {last}));
  PetscCall(OnePart(c, all, {0}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other index sets give an aij: all blocks but the first, unknowns that differ between blocks or ranks, and the first two
   without a block size */
static PetscErrorCode Others(const TestCase &c)
{
  Pair        p, q;
  IS          is;
  PetscInt    start, end;
  PetscMPIInt rank, size;

  PetscFunctionBeginUser;
  if (c.spec.bs < 2 || c.storage.symmetric) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(c.comm, &rank));
  PetscCallMPI(MPI_Comm_size(c.comm, &size));
  PetscCall(PairCreate(c.comm, c.spec, &p));
  PetscCall(MatGetOwnershipRange(p.aij, &start, &end));
  for (int kind = 0; kind < 4; kind++) {
    PetscInt bs[2];
    if (kind == 3) PetscCall(NewIS(p.aij, c.spec.bs, {0, 1}, 1, &is));
    else if (kind == 0) PetscCall(ISCreateStride(c.comm, PetscMax(end - start - 1, 0), start, 1, &is));
    else if (kind == 1 || size == 1) PetscCall(ISCreateStride(c.comm, (end - start) / c.spec.bs, end - 1, -1, &is));
    else PetscCall(NewIS(p.aij, c.spec.bs, {rank == size - 1}, 1, &is));
    PetscCall(MatCreateSubMatrix(p.aij, is, is, MAT_INITIAL_MATRIX, &q.aij));
    PetscCall(MatCreateSubMatrix(p.bdia, is, is, MAT_INITIAL_MATRIX, &q.bdia));
    PetscCall(CheckType(q.bdia, false));
    PetscCall(CheckMat(q.aij, q.bdia, c.storage.tol, "Submatrix of other rows"));
    PetscCall(MatGetBlockSize(q.aij, &bs[0]));
    PetscCall(MatGetBlockSize(q.bdia, &bs[1]));
    PetscCheck(bs[0] == bs[1], c.comm, PETSC_ERR_PLIB, "block size %" PetscInt_FMT " instead of %" PetscInt_FMT, bs[1], bs[0]);
    PetscCall(PairDestroy(&q));
    PetscCall(ISDestroy(&is));
  }
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -Laplace of the first unknown of each point, and the second, which the first acts on */
static PetscErrorCode FillGrid(DM da, Mat A)
{
  const PetscScalar four = 4, minus = -1, one = 1, little = 0.1;
  DMDALocalInfo     info;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(da, &info));
  for (PetscInt y = info.ys; y < info.ys + info.ym; y++) {
    for (PetscInt x = info.xs; x < info.xs + info.xm; x++) {
      const MatStencil first{0, y, x, 0}, second{0, y, x, 1};

      for (const MatStencil &next : {MatStencil{0, y, x - 1, 0}, {0, y, x + 1, 0}, {0, y - 1, x, 0}, {0, y + 1, x, 0}}) {
        if (next.i < 0 || next.i == info.mx || next.j < 0 || next.j == info.my) continue;
        PetscCall(MatSetValuesStencil(A, 1, &first, 1, &next, &minus, INSERT_VALUES));
      }
      PetscCall(MatSetValuesStencil(A, 1, &first, 1, &first, &four, INSERT_VALUES));
      PetscCall(MatSetValuesStencil(A, 1, &second, 1, &second, &one, INSERT_VALUES));
      PetscCall(MatSetValuesStencil(A, 1, &second, 1, &first, &little, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* gridmg for one unknown of a DMDA, then jacobi for both, by options alone: gridmg finds the grid */
static PetscErrorCode Grid()
{
  const char options[] = "-ksp_type gmres -ksp_rtol 1e-8 -pc_type fieldsplit -pc_fieldsplit_type multiplicative "
                         "-pc_fieldsplit_0_fields 0 -pc_fieldsplit_1_fields 0,1 -fieldsplit_ksp_type preonly "
                         "-fieldsplit_0_pc_type gridmg -fieldsplit_1_pc_type jacobi";
  DM         da;
  Mat        A;
  Vec        x, b;
  KSP        ksp;
  PetscInt   its;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 24, 20, 1, PETSC_DECIDE, 2, 1,
                         nullptr, nullptr, &da));
  PetscCall(DMSetMatType(da, TestType()));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(FillGrid(da, A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(PetscOptionsInsertString(nullptr, options));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  for (int solve = 0; solve < 2; solve++) {
    PetscCall(MatScale(A, 1.5));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCheck(its > 0 && its <= 16, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "fieldsplit with gridmg: %" PetscInt_FMT " iterations",
               its);
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(TestInitialize(&argc, &argv, help, TestOnDevice()));
  PetscCall(TestEach(PETSC_COMM_WORLD, Parts));
  PetscCall(TestEach(PETSC_COMM_WORLD, Others));
  PetscCall(Grid());
  PetscCall(PetscFinalize());
  return PETSC_SUCCESS;
}

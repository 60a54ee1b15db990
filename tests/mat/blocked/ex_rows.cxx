static char help[] = "Operations on chosen rows and columns of a MATBDIA matrix, compared with MATAIJ's.\n\n";

#include <petsc/private/matimpl.h>
#include "core.h"
#include "failure.h"

static PetscErrorCode GetRows(const TestCase &c, const Pair &p)
{
  PetscInt           start, end, na, nb;
  const PetscInt    *ja, *jb;
  const PetscScalar *va, *vb;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(p.bdia, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatGetRow(p.aij, i, &na, &ja, &va));
    PetscCall(MatGetRow(p.bdia, i, &nb, &jb, &vb));
    PetscCheck(na == nb && std::equal(ja, ja + na, jb), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Row %d has other columns", (int)i);
    for (PetscInt k = 0; k < na; k++)
      PetscCheck(PetscAbsScalar(va[k] - vb[k]) <= c.storage.tol * PetscAbsScalar(va[k]), PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "Row %d has %g instead of %g", (int)i, (double)PetscRealPart(vb[k]), (double)PetscRealPart(va[k]));
    if (nb) TestFails(PETSC_ERR_ARG_WRONGSTATE, MatGetRow(p.bdia, i, &nb, &jb, &vb));
    PetscCall(MatRestoreRow(p.aij, i, &na, &ja, &va));
    PetscCall(MatRestoreRow(p.bdia, i, &nb, &jb, &vb));
    PetscCall(MatGetRow(p.bdia, i, nullptr, nullptr, nullptr));
    PetscCall(MatRestoreRow(p.bdia, i, nullptr, nullptr, nullptr));
  }
  TestFails(PETSC_ERR_ARG_WRONGSTATE, MatGetRow(p.bdia, end, &nb, &jb, &vb));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All local rows against all columns, set or not, with a negative index in between */
static PetscErrorCode GetValues(const TestCase &c, const Pair &p)
{
  PetscInt                 start, end, M, row = 0;
  std::vector<PetscInt>    rows(1, -1), cols(1, -3);
  std::vector<PetscScalar> va, vb;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(p.bdia, &start, &end));
  PetscCall(MatGetSize(p.bdia, &M, nullptr));
  for (PetscInt i = start; i < end; i++) rows.push_back(i);
  for (PetscInt j = M - 1; j >= 0; j--) cols.push_back(j);
  for (PetscBool by_row : {PETSC_FALSE, PETSC_TRUE}) {
    va.assign(rows.size() * cols.size(), 17);
    vb = va;
    PetscCall(MatSetOption(p.aij, MAT_ROW_ORIENTED, by_row));
    PetscCall(MatSetOption(p.bdia, MAT_ROW_ORIENTED, by_row));
    PetscCall(MatGetValues(p.aij, (PetscInt)rows.size(), rows.data(), (PetscInt)cols.size(), cols.data(), va.data()));
    PetscCall(MatGetValues(p.bdia, (PetscInt)rows.size(), rows.data(), (PetscInt)cols.size(), cols.data(), vb.data()));
    for (size_t k = 0; k < va.size(); k++)
      PetscCheck(PetscAbsScalar(va[k] - vb[k]) <= c.storage.tol * PetscAbsScalar(va[k]), PETSC_COMM_SELF, PETSC_ERR_PLIB,
                 "MatGetValues: %g instead of %g", (double)PetscRealPart(vb[k]), (double)PetscRealPart(va[k]));
  }
  row = M;
  TestFails(PETSC_ERR_ARG_OUTOFRANGE, MatGetValues(p.bdia, 1, &row, 1, &start, vb.data()));
  if (end > start) TestFails(PETSC_ERR_ARG_OUTOFRANGE, MatGetValues(p.bdia, 1, &start, 1, &M, vb.data()));
  row = end < M ? end : start - 1;
  if (row >= 0 && start < end) TestFails(PETSC_ERR_SUP, MatGetValues(p.bdia, 1, &row, 1, &start, vb.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of any rank, some named twice */
static std::vector<PetscInt> ChooseRows(MPI_Comm comm, PetscInt M)
{
  std::vector<PetscInt> rows;
  PetscMPIInt           rank;

  (void)MPI_Comm_rank(comm, &rank);
  for (PetscInt k = 0; k < M / 6; k++) rows.push_back((PetscInt)(PetscAbsReal(PairNumber(k, rank, 3)) * (M - 1)));
  return rows;
}

static PetscErrorCode Zero(Mat A, bool columns, const std::vector<PetscInt> &rows, PetscScalar diag, Vec x, Vec b)
{
  PetscFunctionBeginUser;
  if (columns) PetscCall(MatZeroRowsColumns(A, (PetscInt)rows.size(), rows.data(), diag, x, b));
  else PetscCall(MatZeroRows(A, (PetscInt)rows.size(), rows.data(), diag, x, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries that have gone are new locations: refused where those are, else all entries come back as in p */
static PetscErrorCode SetAgain(const TestCase &c, const Pair &p, const Pair &q)
{
  PetscInt              n;
  const PetscInt       *cols;
  const PetscScalar    *vals;
  std::vector<PetscInt> left;

  PetscFunctionBeginUser;
  for (PetscInt i = p.aij->rmap->rstart; i < p.aij->rmap->rend; i++) {
    PetscCall(MatGetRow(q.bdia, i, &n, nullptr, nullptr));
    left.push_back(n);
    PetscCall(MatRestoreRow(q.bdia, i, &n, nullptr, nullptr));
  }
  PetscCall(MatSetOption(q.bdia, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  for (PetscInt i = p.aij->rmap->rstart; i < p.aij->rmap->rend; i++) {
    PetscCall(MatGetRow(p.aij, i, &n, &cols, &vals));
    if (left[i - p.aij->rmap->rstart] < n)
      PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, "new nonzero",
                            [&] { return MatSetValues(q.bdia, 1, &i, n, cols, vals, INSERT_VALUES); }));
    PetscCall(MatRestoreRow(p.aij, i, &n, &cols, &vals));
  }
  PetscCall(MatSetOption(q.bdia, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = p.aij->rmap->rstart; i < p.aij->rmap->rend; i++) {
    PetscCall(MatGetRow(p.aij, i, &n, &cols, &vals));
    PetscCall(MatSetValues(q.bdia, 1, &i, n, cols, vals, INSERT_VALUES));
    PetscCall(MatRestoreRow(p.aij, i, &n, &cols, &vals));
  }
  PetscCall(Assemble(q.bdia));
  PetscCall(CheckSame(p.aij, q.bdia, c.storage.tol, "entries set again"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZeroRows(const TestCase &c, const Pair &p, bool columns, PetscScalar diag, bool vectors, bool keep)
{
  const char           *what = columns ? "MatZeroRowsColumns" : "MatZeroRows";
  Pair                  q;
  Vec                   x, xa, ba, bb;
  PetscInt              M;
  PetscObjectState      state;
  std::vector<PetscInt> rows;

  PetscFunctionBeginUser;
  PetscCall(TestCopy(p, &q));
  PetscCall(MatGetSize(q.aij, &M, nullptr));
  rows = ChooseRows(c.comm, M);
  PetscCall(TestRandomVecs(p.bdia, 8, &x, &bb));
  PetscCall(MatCreateVecs(q.aij, &xa, &ba)); /* on the host: the oracle is PETSc's usual way */
  PetscCall(VecCopy(x, xa));
  PetscCall(VecCopy(bb, ba));
  for (Mat A : {q.aij, q.bdia}) PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, keep ? PETSC_TRUE : PETSC_FALSE));
  state = q.bdia->nonzerostate;
  PetscCall(Zero(q.aij, columns, rows, diag, vectors ? xa : nullptr, vectors ? ba : nullptr));
  rows.push_back(-1);
  PetscCall(Zero(q.bdia, columns, rows, diag, vectors ? x : nullptr, vectors ? bb : nullptr));
  /* the entries, too: MatZeroRows() drops them unless it is to keep the pattern */
  PetscCall(CheckSame(q.aij, q.bdia, c.storage.tol, what));
  PetscCall(CheckVec(ba, bb, 10 * c.storage.tol, what));
  PetscCheck((q.bdia->nonzerostate > state) == (!columns && !keep), c.comm, PETSC_ERR_PLIB,
             "%s: the nonzero state does not say whether entries have gone", what);
  if (!columns && !keep) PetscCall(SetAgain(c, p, q));
  for (Vec *v : {&x, &xa, &ba, &bb}) PetscCall(VecDestroy(v));
  PetscCall(PairDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows without diagonal entry get one, or are refused when the pattern is to be kept */
static PetscErrorCode ZeroRowsWithoutDiagonal(const TestCase &c, bool columns)
{
  TestCase              n = c;
  Pair                  p, q;
  PetscInt              M;
  std::vector<PetscInt> rows;

  PetscFunctionBeginUser;
  n.spec.off.erase(std::find(n.spec.off.begin(), n.spec.off.end(), 0));
  PetscCall(PairCreate(c.comm, n.spec, &p));
  PetscCall(MatGetSize(p.aij, &M, nullptr));
  rows = ChooseRows(c.comm, M);
  PetscCall(TestCopy(p, &q));
  PetscCall(MatSetOption(q.aij, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  /* MatZeroRows() of aij goes wrong on rows without any entry */
  for (PetscScalar alpha : {1., -1.}) PetscCall(MatShift(q.aij, alpha));
  /* the second time these rows have their entries, others still have none */
  for (PetscScalar diag : {2.5, 7.}) {
    for (Mat A : {q.aij, q.bdia}) PetscCall(Zero(A, columns, rows, diag, nullptr, nullptr));
    PetscCall(TestSame(q.aij, q.bdia, c.storage.tol, "zeroed rows without diagonal", false)); /* aij has been shifted */
  }
  PetscCall(MatSetOption(p.bdia, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  TestFails(PETSC_ERR_ARG_WRONGSTATE, Zero(p.bdia, columns, rows, 2.5, nullptr, nullptr));
  PetscCall(PairDestroy(&q));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRows(const TestCase &c)
{
  Pair     p;
  PetscInt row = 0;

  PetscFunctionBeginUser;
  PetscCall(PairCreate(c.comm, c.spec, &p));
  PetscCall(GetRows(c, p));
  PetscCall(GetValues(c, p));
  for (PetscScalar diag : {0., 2.5}) {
    for (bool vectors : {false, true}) {
      for (bool keep : {false, true}) {
        if (!c.storage.symmetric) PetscCall(ZeroRows(c, p, false, diag, vectors, keep));
        PetscCall(ZeroRows(c, p, true, diag, vectors, keep));
      }
    }
  }
  if (c.storage.symmetric) TestFails(PETSC_ERR_SUP, MatZeroRows(p.bdia, 1, &row, 1, nullptr, nullptr));
  else PetscCall(ZeroRowsWithoutDiagonal(c, false));
  PetscCall(ZeroRowsWithoutDiagonal(c, true));
  PetscCall(PairDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return TestProgram(argc, argv, help, {TestRows});
}

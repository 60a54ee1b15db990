/* Changes of values, most of which keep the structure */
#include "sequence.h"

#include <algorithm>

static PetscErrorCode Entries(Sequence &s)
{
  const PetscInt   count = s.Random(20);
  const InsertMode mode  = s.Maybe(2) ? ADD_VALUES : INSERT_VALUES;

  PetscFunctionBegin;
  PetscCall(SetEntries(s, s.A, s.B, count, mode, s.Maybe(2), false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows are named by any rank, and some twice; the right-hand sides agree too */
static PetscErrorCode ZeroRows(Sequence &s, bool columns)
{
  const Mat             mat[2] = {s.A, s.B};
  const PetscInt        count  = s.M ? s.Random(4) : 0;
  const PetscReal       diag   = s.square && !s.Maybe(3) ? 2 + s.Value() : 0;
  const bool            sides = s.square && s.Maybe(2), keep = s.Maybe(2);
  std::vector<PetscInt> rows;
  Vec                   x[2], b[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt row = s.Random(s.M), rank = s.Random(s.size);
    if (rank == s.rank) rows.push_back(row);
  }
  PetscCall(RandomVectors(s, s.A, s.B, false, x));
  PetscCall(RandomVectors(s, s.A, s.B, true, b));
  for (int k = 0; k < 2; k++) {
    /* MATAIJ forgets it when its arrays are exchanged */
    PetscCall(MatSetOption(mat[k], MAT_KEEP_NONZERO_PATTERN, keep ? PETSC_TRUE : PETSC_FALSE));
    /* MATAIJ wants the diagonal to be there */
    if (diag != 0) PetscCall(MatShift(mat[k], 0.5));
    PetscCall((columns ? MatZeroRowsColumns : MatZeroRows)(mat[k], (PetscInt)rows.size(), rows.data(), diag,
                                                           sides ? x[k] : nullptr, sides ? b[k] : nullptr));
  }
  PetscCall(CompareVectors(s, b[0], b[1], s.tol,
                           columns ? "right-hand side of MatZeroRowsColumns()" : "right-hand side of MatZeroRows()"));
  PetscCall(DestroyVectors(x));
  PetscCall(DestroyVectors(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rows(Sequence &s)
{
  PetscFunctionBegin;
  PetscCall(ZeroRows(s, s.half)); /* half storage must stay symmetric */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowsColumns(Sequence &s)
{
  PetscFunctionBegin;
  if (s.square) PetscCall(ZeroRows(s, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Scale(Sequence &s)
{
  const PetscReal by = s.Maybe(5) ? 2 : s.Value() + 1.5;

  PetscFunctionBegin;
  for (Mat X : {s.A, s.B}) PetscCall(MatScale(X, by));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shift(Sequence &s)
{
  const PetscReal by = s.Value();

  PetscFunctionBegin;
  for (Mat X : {s.A, s.B}) {
    if (s.square) PetscCall(MatShift(X, by));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DiagonalScale(Sequence &s)
{
  const Mat  mat[2] = {s.A, s.B};
  const bool left = s.half || s.Maybe(2), right = s.half || s.Maybe(2);
  Vec        l[2], r[2];

  PetscFunctionBegin;
  PetscCall(RandomVectors(s, s.A, s.B, true, l));
  PetscCall(RandomVectors(s, s.A, s.B, false, r));
  for (int k = 0; k < 2; k++) PetscCall(MatDiagonalScale(mat[k], left ? l[k] : nullptr, s.half ? l[k] : right ? r[k] : nullptr));
  PetscCall(DestroyVectors(l));
  PetscCall(DestroyVectors(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DiagonalSet(Sequence &s)
{
  const Mat        mat[2] = {s.A, s.B};
  const InsertMode mode   = s.Maybe(2) ? ADD_VALUES : INSERT_VALUES;
  Vec              d[2];

  PetscFunctionBegin;
  if (!s.square) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RandomVectors(s, s.A, s.B, true, d));
  for (int k = 0; k < 2; k++) PetscCall(MatDiagonalSet(mat[k], d[k], mode));
  PetscCall(DestroyVectors(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZeroEntries(Sequence &s)
{
  const bool now = s.Maybe(3);

  PetscFunctionBegin;
  for (Mat X : {s.A, s.B}) {
    if (now) PetscCall(MatZeroEntries(X));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of one local row, asked for in any order and twice */
static PetscErrorCode GetValues(Sequence &s)
{
  PetscInt                 start, end;
  const PetscInt           count = s.N ? s.Random(10) : 0, which = s.Random(100);
  std::vector<PetscInt>    cols;
  std::vector<PetscScalar> a(count), b(count);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < count; k++) cols.push_back(s.Random(s.N));
  PetscCall(MatGetOwnershipRange(s.A, &start, &end));
  if (start == end || !count) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt i = start + which % (end - start);
  PetscCall(MatGetValues(s.A, 1, &i, count, cols.data(), a.data()));
  PetscCall(MatGetValues(s.B, 1, &i, count, cols.data(), b.data()));
  for (PetscInt k = 0; k < count; k++) {
    if (!(PetscAbsScalar(a[k] - b[k]) <= s.tol * (1 + PetscAbsScalar(a[k]))))
      s.Differs("MatGetValues(): row %d, column %d is %g instead of %g", (int)i, (int)cols[k], (double)PetscRealPart(b[k]),
                (double)PetscRealPart(a[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New locations from lists on all ranks, with entries repeated, of others' rows, and (negative) left out; values set twice */
static PetscErrorCode COO(Sequence &s)
{
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> v;
  const PetscInt           count   = s.M && s.N ? s.Random(40) : 0;
  const bool               now     = s.Maybe(3);
  const InsertMode         mode[2] = {s.Maybe(2) ? ADD_VALUES : INSERT_VALUES, s.Maybe(2) ? ADD_VALUES : INSERT_VALUES};

  PetscFunctionBegin;
  if (!now) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ForgetKeptOfPETSc(s));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt  a = s.Maybe(20) ? -1 : s.Random(s.M), b = s.Random(s.N);
    const PetscReal x = s.Value();
    for (int mirror = 0; mirror <= (s.half && a >= 0 && a != b); mirror++) {
      if (k % s.size != s.rank) continue;
      i.push_back(mirror ? b : a);
      j.push_back(mirror ? a : b);
      v.push_back(x);
    }
  }
  for (Mat X : {s.A, s.B}) {
    std::vector<PetscInt> mine = i, columns = j; /* PETSc overwrites them */
    PetscCall(MatSetPreallocationCOO(X, (PetscCount)mine.size(), mine.data(), columns.data()));
    for (InsertMode m : mode) PetscCall(MatSetValuesCOO(X, v.data(), m));
    PetscCall(AllowNewEntries(X));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const std::vector<Change> value_changes = {{"entries", 1, Entries},
                                           {"zerorows", 1, Rows},
                                           {"zerorowscolumns", 1, RowsColumns},
                                           {"scale", 1, Scale},
                                           {"shift", 1, Shift},
                                           {"diagonalscale", 1, DiagonalScale},
                                           {"diagonalset", 1, DiagonalSet},
                                           {"zeroentries", 1, ZeroEntries},
                                           {"getvalues", 1, GetValues},
                                           {"coo", 1, COO}};

/* Operations that read or clear chosen rows and columns */
#include "blocked.h"

using namespace hepta::blocked;

static PetscErrorCode MatGetRow_Blocked(Mat A, PetscInt i, PetscInt *n, PetscInt **cols, PetscScalar **vals)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  PetscCheck(a->row_cols.empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "A row of this matrix is out already: call MatRestoreRow() before the next MatGetRow()");
  PetscCheck(i >= A->rmap->rstart && i < A->rmap->rend, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Row %" PetscInt_FMT " is not one of this rank's rows [%" PetscInt_FMT ", %" PetscInt_FMT ")", i, A->rmap->rstart,
             A->rmap->rend);
  PetscCall(MatBlockedRow(A, i - A->rmap->rstart, a->row_cols, a->row_vals));
  if (n) *n = (PetscInt)a->row_cols.size();
  if (cols) *cols = a->row_cols.empty() ? nullptr : a->row_cols.data();
  if (vals) *vals = a->row_cols.empty() ? nullptr : a->row_vals.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatRestoreRow_Blocked(Mat A, PetscInt, PetscInt *, PetscInt **, PetscScalar **)
{
  PetscFunctionBegin;
  MatBlocked(A)->row_cols.clear();
  MatBlocked(A)->row_vals.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a_ij; values: of the local part, on the host */
static PetscScalar ValueAt(Mat A, const void *values, PetscInt i, PetscInt j)
{
  const Mat_Blocked *a  = MatBlocked(A);
  size_t             at = 0;

  if (j < A->cmap->rstart || j >= A->cmap->rend) return a->ghost.FindSlot(i - A->rmap->rstart, j, &at) ? a->ghost.Value(at) : 0;
  if (!a->local->FindSlot(i - A->rmap->rstart, j - A->cmap->rstart, &at)) return 0;
  return a->local->single ? (PetscScalar)((const float *)values)[at] : ((const PetscScalar *)values)[at];
}

static PetscErrorCode MatGetValues_Blocked(Mat A, PetscInt m, const PetscInt rows[], PetscInt n, const PetscInt cols[],
                                           PetscScalar v[])
{
  Mat_Blocked *a      = MatBlocked(A);
  const bool   by_row = a->set.row_oriented;
  void        *values;

  PetscFunctionBegin;
  PetscCall(a->local->StructureToHost());
  PetscCall(a->local->values.Access(HeptaSpace(), HeptaAccess::read, &values));
  PetscCall(a->ghost.Look());
  for (PetscInt k = 0; k < m; k++) {
    if (rows[k] < 0) continue;
    PetscCheck(rows[k] < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Row %" PetscInt_FMT " is past the last row %" PetscInt_FMT, rows[k], A->rmap->N - 1);
    PetscCheck(rows[k] >= A->rmap->rstart && rows[k] < A->rmap->rend, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Row %" PetscInt_FMT " is another rank's: only values of the local rows [%" PetscInt_FMT ", %" PetscInt_FMT
               ") can be read",
               rows[k], A->rmap->rstart, A->rmap->rend);
    for (PetscInt l = 0; l < n; l++) {
      if (cols[l] < 0) continue;
      PetscCheck(cols[l] < A->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
                 "Column %" PetscInt_FMT " is past the last column %" PetscInt_FMT, cols[l], A->cmap->N - 1);
      v[by_row ? (size_t)k * n + l : (size_t)l * m + k] = ValueAt(A, values, rows[k], cols[l]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flags this rank's rows among the global rows that any rank names; negative rows are ignored. Collective. */
static PetscErrorCode FlagRows(Mat A, PetscInt n, const PetscInt rows[], HeptaFlags &flag)
{
  std::vector<HeptaEntry> out, in;
  std::string             why;

  PetscFunctionBegin;
  flag.assign(A->rmap->n, 0);
  for (PetscInt k = 0; k < n; k++) {
    const PetscInt i = rows[k];

    if (i < 0) continue;
    if (i >= A->rmap->rstart && i < A->rmap->rend) flag[i - A->rmap->rstart] = 1;
    else if (i >= A->rmap->N) why = HeptaFormat("Row %" PetscInt_FMT " is past the last row %" PetscInt_FMT, i, A->rmap->N - 1);
    else if (A->nooffproczerorows)
      why = HeptaFormat("Row %" PetscInt_FMT " is another rank's although MAT_NO_OFF_PROC_ZERO_ROWS is set", i);
    else out.push_back({i, 0, 0, INSERT_VALUES});
  }
  PetscCall(HeptaAgreeOnError(PetscObjectComm((PetscObject)A), why.empty() ? PETSC_SUCCESS : PETSC_ERR_ARG_OUTOFRANGE, why));
  if (A->rmap->size > 1 && !A->nooffproczerorows) {
    PetscCall(HeptaExchangeEntries(A->rmap, out, in));
    for (const HeptaEntry &e : in) flag[e.i - A->rmap->rstart] = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b_i <- diag x_i for the flagged rows */
static PetscErrorCode FixRightHandSide(Mat A, const HeptaFlags &row, PetscScalar diag, Vec x, Vec b)
{
  const PetscScalar *xa;
  PetscScalar       *ba;
  PetscBool          congruent;

  PetscFunctionBegin;
  if (!x || !b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatHasCongruentLayouts(A, &congruent));
  PetscCheck(congruent || A->rmap->size == 1, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "x and b need rows and columns split over the ranks in the same way");
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArray(b, &ba));
  for (PetscInt i = 0; i < PetscMin(A->rmap->n, A->cmap->n); i++) {
    if (row[i]) ba[i] = diag * xa[i];
  }
  PetscCall(VecRestoreArray(b, &ba));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeroes the flagged rows, and the flagged columns and ghost columns if given */
static PetscErrorCode ZeroFlagged(Mat_Blocked *a, const HeptaFlags &row, const unsigned char *col, const unsigned char *ghost_col)
{
  PetscFunctionBegin;
  PetscCall(a->local->ZeroRows(row.data(), col));
  PetscCall(HeptaVisitHost(a->ghost, HeptaAccess::read_write, zero_rows, row.data(), ghost_col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Removes the zeroed entries of the flagged rows from the structure, but with `diagonal` not the main-diagonal entries, which are
   to get a value; the slots remain, with value zero. Collective.
*/
static PetscErrorCode DropFlagged(Mat A, const HeptaFlags &row, bool diagonal)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < A->rmap->n; i++) {
    if (!row[i]) continue;
    PetscCall(HeptaForSetInRow(A, i, [&](bool ghost, PetscInt j, size_t at) {
      uint32_t *set = ghost ? a->ghost.set.data() : a->local->set;
      if (!diagonal || j != A->rmap->rstart + i) set[at >> 5] &= ~(1u << (at & 31));
    }));
  }
  PetscCall(a->local->Count());
  a->ghost.CountEntries();
  a->dropped = a->coo != nullptr;
  A->nonzerostate++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Unless MAT_KEEP_NONZERO_PATTERN is set the zeroed entries leave the structure, as with aij; a row without a diagonal entry gets
   one with a diagonal value
*/
static PetscErrorCode MatZeroRows_Blocked(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  Mat_Blocked *a = MatBlocked(A);
  HeptaFlags   row;

  PetscFunctionBegin;
  PetscCheck(!a->local->half, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "Half storage must stay symmetric: use MatZeroRowsColumns(), or convert the matrix to MATAIJ first");
  PetscCall(FlagRows(A, n, rows, row));
  PetscCall(FixRightHandSide(A, row, diag, x, b));
  PetscCall(ZeroFlagged(a, row, nullptr, nullptr));
  if (!a->set.keep_pattern) PetscCall(DropFlagged(A, row, diag != (PetscScalar)0));
  if (diag != (PetscScalar)0) PetscCall(MatBlockedSetDiagonalRows(A, row, diag, a->set.keep_pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ghost <- the flags of the ghost columns, from the flags of their owners' rows */
static PetscErrorCode FlagGhostColumns(Mat A, const HeptaFlags &row, HeptaFlags &ghost)
{
  Mat_Blocked             *a = MatBlocked(A);
  std::vector<PetscScalar> own(row.begin(), row.end()), g(a->ghost.garray.size() * a->ghost.bs);

  PetscFunctionBegin;
  ghost.resize(g.size());
  if (a->halo) PetscCall(a->halo.Bring({HeptaSpace(), own.data(), g.data()}));
  for (size_t k = 0; k < ghost.size(); k++) ghost[k] = g[k] != (PetscScalar)0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b <- b - (the columns to be zeroed) x, in the rows that are not zeroed */
static PetscErrorCode SubtractColumns(Mat A, const HeptaFlags &row, const HeptaFlags &ghost, Vec x, Vec b)
{
  Mat_Blocked       *a = MatBlocked(A);
  const PetscScalar *xa;
  PetscScalar       *ba;

  PetscFunctionBegin;
  if (a->halo) PetscCall(MatBlockedHaloBegin(A, x));
  PetscCall(VecGetArray(b, &ba));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(a->local->SubtractColumns(row.data(), row.data(), xa, ba));
  PetscCall(VecRestoreArrayRead(x, &xa));
  if (a->halo) {
    PetscCall(MatBlockedHaloEnd(A, x));
    PetscCall(VecGetArrayRead(a->lvec, &xa));
    PetscCall(HeptaVisitHost(a->ghost, HeptaAccess::read, subtract_columns, row.data(), ghost.data(), xa, ba));
    PetscCall(VecRestoreArrayRead(a->lvec, &xa));
  }
  PetscCall(VecRestoreArray(b, &ba));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The structure stays, as with aij, whatever MAT_KEEP_NONZERO_PATTERN says */
static PetscErrorCode MatZeroRowsColumns_Blocked(Mat A, PetscInt n, const PetscInt rows[], PetscScalar diag, Vec x, Vec b)
{
  HeptaFlags row, ghost;
  PetscBool  congruent;

  PetscFunctionBegin;
  PetscCall(MatHasCongruentLayouts(A, &congruent));
  PetscCheck(congruent, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "MatZeroRowsColumns() needs a square matrix with rows and columns split over the ranks in the same way");
  PetscCall(FlagRows(A, n, rows, row));
  PetscCall(FlagGhostColumns(A, row, ghost));
  if (x && b) PetscCall(SubtractColumns(A, row, ghost, x, b));
  PetscCall(FixRightHandSide(A, row, diag, x, b));
  PetscCall(ZeroFlagged(MatBlocked(A), row, row.data(), ghost.data()));
  if (diag != (PetscScalar)0) PetscCall(MatBlockedSetDiagonalRows(A, row, diag, MatBlocked(A)->set.keep_pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBlockedSetOps_Rows(Mat A)
{
  PetscFunctionBegin;
  A->ops->getrow          = HeptaNoThrow<MatGetRow_Blocked>;
  A->ops->restorerow      = HeptaNoThrow<MatRestoreRow_Blocked>;
  A->ops->getvalues       = HeptaNoThrow<MatGetValues_Blocked>;
  A->ops->zerorows        = HeptaNoThrow<MatZeroRows_Blocked>;
  A->ops->zerorowscolumns = HeptaNoThrow<MatZeroRowsColumns_Blocked>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

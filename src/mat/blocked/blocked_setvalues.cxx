/*
   Setting values. Entries of this rank's rows and columns go straight to the local part, which makes slots for new entries;
   entries in other ranks' columns go to the ghost part, entries of other ranks' rows to the stash.
*/
#include "typed_storage.h"

using namespace hepta::blocked;

PetscErrorCode MatBlockedPutGhost(const Target &t, PetscInt i, PetscInt j, PetscScalar value)
{
  Ghost &g   = t.a->ghost;
  size_t at  = 0;
  bool   add = true;

  PetscFunctionBegin;
  const bool found = g.FindSlot(i - t.rstart, j, &at);
  if (!found || !g.IsSet(at)) PetscCall(NewLocation(t, i, j, !found, &add));
  if (!add) PetscFunctionReturn(PETSC_SUCCESS);
  if (found) g.Put(at, value, t.mode);
  else g.pending.push_back({i - t.rstart, j, value, t.mode});
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps entries of a row that another rank owns, for assembly to send */
static PetscErrorCode Stash(Mat A, PetscInt i, PetscInt n, const PetscInt cols[], const PetscScalar v[], PetscInt stride,
                            InsertMode mode)
{
  PetscFunctionBegin;
  PetscCheck(!A->nooffprocentries, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "Setting row %" PetscInt_FMT " of another rank although MAT_NO_OFF_PROC_ENTRIES is set", i);
  for (PetscInt k = 0; k < n; k++) {
    if (cols[k] < 0) continue;
    PetscCheck(cols[k] < A->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Column %" PetscInt_FMT " of row %" PetscInt_FMT " is past the last column %" PetscInt_FMT, cols[k], i,
               A->cmap->N - 1);
    MatBlocked(A)->stash.push_back({i, cols[k], v ? v[(size_t)k * stride] : 0, mode});
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Begins a call that sets values */
static PetscErrorCode Open(Mat A, InsertMode mode, size_t row_stride, size_t col_stride, Target *t)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  *t = {A, a, A->rmap->rstart, A->cmap->rstart, A->cmap->rend, mode, row_stride, col_stride};
  if (a->set.half) PetscCall(a->local->OpenHalf(A));
  PetscCall(a->local->Edit());
  PetscCall(a->ghost.Edit());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValues_Blocked(Mat A, PetscInt m, const PetscInt im[], PetscInt n, const PetscInt in[],
                                    const PetscScalar v[], InsertMode mode)
{
  Mat_Blocked   *a      = MatBlocked(A);
  const bool     by_row = a->set.row_oriented;
  const PetscInt stride = by_row ? 1 : m;
  Target         t;

  PetscFunctionBegin;
  PetscCall(Open(A, mode, 0, (size_t)stride, &t));
  for (PetscInt k = 0; k < m; k++) {
    const PetscInt     i   = im[k];
    const PetscScalar *row = v ? v + (by_row ? (size_t)k * n : (size_t)k) : nullptr;

    if (i < 0) continue;
    PetscCheck(i < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Row %" PetscInt_FMT " is past the last row %" PetscInt_FMT, i, A->rmap->N - 1);
    if (i >= A->rmap->rstart && i < A->rmap->rend) PetscCall(a->local->PutRow(t, i, n, in, row));
    else if (!a->set.ignore_off_rank) PetscCall(Stash(A, i, n, in, row, stride, mode));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Sets a block row by row: a block in other ranks' rows or columns, a block that is none of the storage's, or a block whose
   entries must be checked one by one; cols and row are work space
*/
static PetscErrorCode SetBlockByRows(Mat A, PetscInt bi, PetscInt bj, const PetscScalar v[], size_t row_stride, size_t col_stride,
                                     InsertMode mode, std::vector<PetscInt> &cols, std::vector<PetscScalar> &row)
{
  const PetscInt rbs = HeptaBlockSize(A->rmap), cbs = HeptaBlockSize(A->cmap);

  PetscFunctionBegin;
  cols.resize(cbs);
  row.resize(cbs);
  for (PetscInt s = 0; s < cbs; s++) cols[s] = bj * cbs + s;
  for (PetscInt r = 0; r < rbs; r++) {
    const PetscInt i = bi * rbs + r;
    for (PetscInt s = 0; s < cbs && v; s++) row[s] = v[r * row_stride + s * col_stride];
    PetscCall(MatSetValues_Blocked(A, 1, &i, cbs, cols.data(), v ? row.data() : nullptr, mode));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesBlocked_Blocked(Mat A, PetscInt m, const PetscInt im[], PetscInt n, const PetscInt in[],
                                           const PetscScalar v[], InsertMode mode)
{
  Mat_Blocked   *a   = MatBlocked(A);
  const PetscInt rbs = HeptaBlockSize(A->rmap), cbs = HeptaBlockSize(A->cmap), rows = A->rmap->N / rbs, cols = A->cmap->N / cbs,
                 first_row = A->rmap->rstart / rbs, first_col = A->cmap->rstart / cbs;
  /* the Mat's blocks are the storage's blocks */
  const bool whole = a->local->bs == rbs && a->local->bs == cbs && !a->set.ignore_zero;
  /* distances between neighbors in a block's row and column, in the caller's array */
  const size_t row_stride = a->set.row_oriented ? (size_t)n * cbs : 1, col_stride = a->set.row_oriented ? 1 : (size_t)m * rbs;
  std::vector<PetscInt>    block_cols;
  std::vector<PetscScalar> block_row;
  Target                   t;

  PetscFunctionBegin;
  PetscCall(Open(A, mode, row_stride, col_stride, &t));
  for (PetscInt k = 0; k < m; k++) {
    if (im[k] < 0) continue;
    PetscCheck(im[k] < rows, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Block row %" PetscInt_FMT " is past the last block row %" PetscInt_FMT, im[k], rows - 1);
    for (PetscInt l = 0; l < n; l++) {
      const PetscScalar *block = v ? v + k * rbs * row_stride + l * cbs * col_stride : nullptr;

      if (in[l] < 0) continue;
      PetscCheck(in[l] < cols, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
                 "Block column %" PetscInt_FMT " of block row %" PetscInt_FMT " is past the last block column %" PetscInt_FMT,
                 in[l], im[k], cols - 1);
      const PetscInt i = im[k] * rbs, j = in[l] * cbs;
      const bool     here = i >= A->rmap->rstart && i < A->rmap->rend && j >= t.cstart && j < t.cend;
      if (here && whole) PetscCall(a->local->PutBlock(t, im[k] - first_row, in[l] - first_col, block));
      else PetscCall(SetBlockByRows(A, im[k], in[l], block, row_stride, col_stride, mode, block_cols, block_row));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error on this rank as soon as an entry exceeds a limit: a program may set values for minutes before assembly */
static PetscErrorCode CheckBeyond(Mat A)
{
  const Mat_Blocked *a = MatBlocked(A);

  return PetscLikely(a->local->beyond[0] < 0 || a->set.limits_at_assembly) ? PETSC_SUCCESS : a->local->ReportBeyond();
}

PetscErrorCode MatSetValuesChecked_Blocked(Mat A, PetscInt m, const PetscInt im[], PetscInt n, const PetscInt in[],
                                           const PetscScalar v[], InsertMode mode)
{
  PetscFunctionBegin;
  PetscCall(MatSetValues_Blocked(A, m, im, n, in, v, mode));
  PetscCall(CheckBeyond(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesBlockedChecked_Blocked(Mat A, PetscInt m, const PetscInt im[], PetscInt n, const PetscInt in[],
                                                  const PetscScalar v[], InsertMode mode)
{
  PetscFunctionBegin;
  PetscCall(MatSetValuesBlocked_Blocked(A, m, im, n, in, v, mode));
  PetscCall(CheckBeyond(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetOption_Blocked(Mat A, MatOption op, PetscBool flag)
{
  Settings &s = MatBlocked(A)->set;

  PetscFunctionBegin;
  switch (op) {
  case MAT_ROW_ORIENTED: s.row_oriented = flag; break;
  case MAT_NEW_NONZERO_LOCATIONS: s.new_entry = flag ? 0 : 1; break;
  case MAT_NEW_NONZERO_LOCATION_ERR: s.new_entry = flag ? -1 : 0; break;
  case MAT_NEW_NONZERO_ALLOCATION_ERR: s.new_entry = flag ? -2 : 0; break;
  case MAT_IGNORE_ZERO_ENTRIES: s.ignore_zero = flag; break;
  case MAT_IGNORE_OFF_PROC_ENTRIES: s.ignore_off_rank = flag; break;
  case MAT_KEEP_NONZERO_PATTERN: s.keep_pattern = flag; break;
  default: break; /* other options are stored by MatSetOption() itself or are hints without effect here */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

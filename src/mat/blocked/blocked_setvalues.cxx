/*
   Setting values. Entries of this rank's rows and columns go straight to the local part, which makes places for new ones;
   entries in other ranks' columns go to the ghost part, entries of other ranks' rows to the stash.
*/
#include "blocked.h"

using namespace hepta::blocked;

/* Where entries of this call go: the local index ranges and how a location not yet set is treated */
struct Target {
  Mat          A;
  Mat_Blocked *a;
  PetscInt     rstart, cstart, cend;
  InsertMode   mode;
};

/* May entry (i, j), at a location not yet set, be added? Also marks the structure as changed. */
static PetscErrorCode NewLocation(const Target &t, PetscInt i, PetscInt j, bool needs_place, bool *add)
{
  const int policy = t.a->set.new_entry;

  PetscFunctionBegin;
  *add         = !(t.a->ready && policy == 1);
  t.a->changed = t.a->changed || *add;
  if (!t.a->ready || policy >= 0 || (policy == -2 && !needs_place)) PetscFunctionReturn(PETSC_SUCCESS);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Inserting a new nonzero at global row %" PetscInt_FMT ", column %" PetscInt_FMT "%s%s; use MatSetOption(A, %s, PETSC_FALSE) to allow it", i, j, needs_place ? ", " : "",
          needs_place ? t.a->kind->no_place : "", policy == -1 ? "MAT_NEW_NONZERO_LOCATION_ERR" : "MAT_NEW_NONZERO_ALLOCATION_ERR");
}

/* A place for local entry (i, j), which has none; none either when it is not to be added or is beyond the limit (assembly reports that) */
template <class D, class V> static PetscErrorCode AddPlace(const Target &t, D &local, PetscInt i, PetscInt j, Place<V> *p)
{
  bool add;

  PetscFunctionBegin;
  *p = {};
  PetscCall(NewLocation(t, t.rstart + i, t.cstart + j, true, &add));
  if (add) PetscCall(local.Add(t.a->set, i, j, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> static inline PetscErrorCode PutAt(const Target &t, const Place<V> &p, PetscInt i, PetscInt j, PetscScalar value)
{
  V *v = p.v + p.at;

  PetscFunctionBegin;
  if (PetscUnlikely(!p.IsSet())) {
    bool add;
    PetscCall(NewLocation(t, i, j, false, &add));
    if (!add) PetscFunctionReturn(PETSC_SUCCESS);
    p.set[p.at >> 5] |= 1u << (p.at & 31);
  }
  *v = t.mode == ADD_VALUES ? (V)(*v + value) : (V)value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry in another rank's column */
static PetscErrorCode PutGhost(const Target &t, PetscInt i, PetscInt j, PetscScalar value)
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

/* Half storage asks at assembly whether the lower half was set too */
static void NoteLower(const Target &t, PetscInt i, PetscInt j)
{
  const PetscInt bs = t.a->local->bs;

  (j / bs == i / bs ? t.a->set_lower_in_block : t.a->set_lower) = true;
}

/* Was local row, global column j set before? */
template <class V, class D> static bool IsSet(const Target &t, D &local, PetscInt row, PetscInt j)
{
  Place<V> p;
  size_t   at = 0;

  if (j < t.cstart || j >= t.cend) return t.a->ghost.FindSlot(row, j, &at) && t.a->ghost.IsSet(at);
  return local.Find(row, j - t.cstart, &p) && p.IsSet();
}

/* Entries of one row of this rank; the k-th value stands at v[k*stride], v may be null (zeros). A function of its own: inlined, its loop would lack registers. */
template <class V, class D> [[gnu::noinline]] static PetscErrorCode PutRow(const Target &t, D &local, PetscInt i, PetscInt n, const PetscInt cols[], const PetscScalar v[], PetscInt stride)
{
  const PetscInt row = i - t.rstart, last = t.A->cmap->N - 1;
  const bool     skip_zeros = t.a->set.ignore_zero, half = t.a->set.half;

  PetscFunctionBegin;
  for (PetscInt k = skip_zeros || half ? 0 : local.template PutKnown<V>(row, n, cols, t.cstart, v, stride, t.mode); k < n; k++) {
    const PetscInt    j     = cols[k];
    const PetscScalar value = v ? v[(size_t)k * stride] : 0;
    Place<V>          p;

    if (j < 0) continue;
    PetscCheck(j <= last, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Column %" PetscInt_FMT " of row %" PetscInt_FMT " is past the last column %" PetscInt_FMT, j, i, last);
    if (skip_zeros && value == (PetscScalar)0 && i != j && (t.mode == ADD_VALUES || !IsSet<V>(t, local, row, j))) continue;
    if (half && j < i) NoteLower(t, i, j);
    if (j < t.cstart || j >= t.cend) {
      PetscCall(PutGhost(t, i, j, value));
      continue;
    }
    if (PetscUnlikely(!local.Find(row, j - t.cstart, &p))) PetscCall(AddPlace(t, local, row, j - t.cstart, &p));
    if (p.v) PetscCall(PutAt(t, p, i, j, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Keeps entries of a row that another rank owns; assembly sends them */
static PetscErrorCode Stash(Mat A, PetscInt i, PetscInt n, const PetscInt cols[], const PetscScalar v[], PetscInt stride, InsertMode mode)
{
  PetscFunctionBegin;
  PetscCheck(!A->nooffprocentries, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "Setting row %" PetscInt_FMT " of another rank although MAT_NO_OFF_PROC_ENTRIES is set", i);
  for (PetscInt k = 0; k < n; k++) {
    if (cols[k] < 0) continue;
    PetscCheck(cols[k] < A->cmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Column %" PetscInt_FMT " of row %" PetscInt_FMT " is past the last column %" PetscInt_FMT, cols[k], i, A->cmap->N - 1);
    MatBlocked(A)->stash.push_back({i, cols[k], v ? v[(size_t)k * stride] : 0, mode});
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A call that sets values begins */
static PetscErrorCode Open(Mat A, InsertMode mode, Target *t)
{
  Mat_Blocked *a = MatBlocked(A);

  PetscFunctionBegin;
  *t = {A, a, A->rmap->rstart, A->cmap->rstart, A->cmap->rend, mode};
  if (a->set.half) PetscCall(a->kind->half_open(A));
  PetscCall(a->local->Edit());
  PetscCall(a->ghost.Edit());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValues_Blocked(Mat A, PetscInt m, const PetscInt im[], PetscInt n, const PetscInt in[], const PetscScalar v[], InsertMode mode)
{
  Mat_Blocked   *a      = MatBlocked(A);
  const bool     by_row = a->set.row_oriented;
  const PetscInt stride = by_row ? 1 : m;
  Target         t;

  PetscFunctionBegin;
  PetscCall(Open(A, mode, &t));
  PetscCall(HeptaWithStored(*a->local, [&](auto &local, auto type) {
    for (PetscInt k = 0; k < m; k++) {
      const PetscInt     i   = im[k];
      const PetscScalar *row = v ? v + (by_row ? (size_t)k * n : (size_t)k) : nullptr;

      if (i < 0) continue;
      PetscCheck(i < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " is past the last row %" PetscInt_FMT, i, A->rmap->N - 1);
      if (i >= A->rmap->rstart && i < A->rmap->rend) PetscCall(PutRow<decltype(type)>(t, local, i, n, in, row, stride));
      else if (!a->set.ignore_off_rank) PetscCall(Stash(A, i, n, in, row, stride, mode));
    }
    return PETSC_SUCCESS;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Block (m, c) of this rank, which is a block of the storage: value (r, s) at v[r*row_stride + s*col_stride]; a function of its own as above */
template <class V, class D> [[gnu::noinline]] static PetscErrorCode PutBlock(const Target &t, D &local, PetscInt m, PetscInt c, const PetscScalar v[], size_t row_stride, size_t col_stride)
{
  const PetscInt bs = local.bs, i = t.rstart + m * bs, j = t.cstart + c * bs;
  Place<V>       p;

  PetscFunctionBegin;
  if (j <= i && t.a->set.half) NoteLower(t, i + bs - 1, j);
  if (!local.FindBlock(m, c, &p)) PetscCall(AddPlace(t, local, m * bs, c * bs, &p));
  if (!p.v) PetscFunctionReturn(PETSC_SUCCESS);
  const Place<V> block = p; /* a copy: the compiler cannot know that no store changes p */
  for (PetscInt s = 0; s < bs; s++) {
    for (PetscInt r = 0; r < bs; r++) {
      PetscCall(PutAt<V>(t, {block.v, block.set, block.at + (size_t)s * block.ld + r, block.ld}, i + r, j + s, v ? v[r * row_stride + s * col_stride] : 0));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block that touches other ranks, is none of the storage's, or is to be looked at entry by entry; cols and row are work space */
static PetscErrorCode SetBlockByRows(Mat A, PetscInt bi, PetscInt bj, const PetscScalar v[], size_t row_stride, size_t col_stride, InsertMode mode, std::vector<PetscInt> &cols, std::vector<PetscScalar> &row)
{
  const PetscInt rbs = A->rmap->bs, cbs = A->cmap->bs;

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

PetscErrorCode MatSetValuesBlocked_Blocked(Mat A, PetscInt m, const PetscInt im[], PetscInt n, const PetscInt in[], const PetscScalar v[], InsertMode mode)
{
  Mat_Blocked   *a   = MatBlocked(A);
  const PetscInt rbs = A->rmap->bs, cbs = A->cmap->bs, rows = A->rmap->N / rbs, cols = A->cmap->N / cbs, first_row = A->rmap->rstart / rbs, first_col = A->cmap->rstart / cbs;
  const bool     whole = a->local->bs == rbs && a->local->bs == cbs && !a->set.ignore_zero; /* the Mat's blocks are the storage's */
  /* distances between neighbors in a block's row and column, in what the caller passes */
  const size_t             row_stride = a->set.row_oriented ? (size_t)n * cbs : 1, col_stride = a->set.row_oriented ? 1 : (size_t)m * rbs;
  std::vector<PetscInt>    block_cols;
  std::vector<PetscScalar> block_row;
  Target                   t;

  PetscFunctionBegin;
  PetscCall(Open(A, mode, &t));
  PetscCall(HeptaWithStored(*a->local, [&](auto &local, auto type) {
    for (PetscInt k = 0; k < m; k++) {
      if (im[k] < 0) continue;
      PetscCheck(im[k] < rows, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Block row %" PetscInt_FMT " is past the last block row %" PetscInt_FMT, im[k], rows - 1);
      for (PetscInt l = 0; l < n; l++) {
        const PetscScalar *block = v ? v + k * rbs * row_stride + l * cbs * col_stride : nullptr;

        if (in[l] < 0) continue;
        PetscCheck(in[l] < cols, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Block column %" PetscInt_FMT " of block row %" PetscInt_FMT " is past the last block column %" PetscInt_FMT, in[l], im[k], cols - 1);
        const PetscInt i = im[k] * rbs, j = in[l] * cbs;
        const bool     here = i >= A->rmap->rstart && i < A->rmap->rend && j >= t.cstart && j < t.cend;
        if (here && whole) PetscCall(PutBlock<decltype(type)>(t, local, im[k] - first_row, in[l] - first_col, block, row_stride, col_stride));
        else PetscCall(SetBlockByRows(A, im[k], in[l], block, row_stride, col_stride, mode, block_cols, block_row));
      }
    }
    return PETSC_SUCCESS;
  }));
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
  default: break; /* the rest is kept by MatSetOption() itself or is a hint that does not concern us */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Setting values. Entries of this rank's diagonal block go straight to their diagonal, a new block offset allocating one;
   entries in other ranks' columns go to the ghost part, entries of other ranks' rows to the stash.
*/
#include "blocked.h"

using namespace hepta::bdia;
using namespace hepta::blocked;

/* Where entries of this call go: the local index ranges and how a location not yet set is treated */
struct Target {
  Mat          A;
  Mat_Blocked *a;
  PetscInt     rstart, cstart, cend, bs;
  InsertMode   mode;
};

/* May entry (i, j), at a location not yet set, be added? Also marks the structure as changed. */
static PetscErrorCode NewLocation(const Target &t, PetscInt i, PetscInt j, bool needs_diagonal, bool *add)
{
  const int policy = t.a->set.new_entry;

  PetscFunctionBegin;
  *add         = !(t.a->ready && policy == 1);
  t.a->changed = t.a->changed || *add;
  if (!t.a->ready || policy >= 0 || (policy == -2 && !needs_diagonal)) PetscFunctionReturn(PETSC_SUCCESS);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Inserting a new nonzero at global row %" PetscInt_FMT ", column %" PetscInt_FMT "%s; use MatSetOption(A, %s, PETSC_FALSE) to allow it", i, j,
          needs_diagonal ? ", on a block offset that is not stored" : "", policy == -1 ? "MAT_NEW_NONZERO_LOCATION_ERR" : "MAT_NEW_NONZERO_ALLOCATION_ERR");
}

/* The stored diagonal of a block offset, or null */
static inline Diagonal *Lookup(Diagonals &D, PetscInt offset)
{
  const PetscInt d = HeptaFindNear(D.off.data(), (PetscInt)D.off.size(), offset, &D.hint);

  return d < 0 ? nullptr : &D.diag[d];
}

/* A diagonal for a new block offset; null when it is not to be added or is beyond the limit (assembly reports that) */
static PetscErrorCode AddDiagonal(const Target &t, PetscInt offset, PetscInt i, PetscInt j, Diagonal **d)
{
  Diagonals     &D = *t.a->diag;
  const PetscInt n = (PetscInt)D.diag.size();
  bool           add;

  PetscFunctionBegin;
  *d = nullptr;
  PetscCall(NewLocation(t, i, j, true, &add));
  if (!add) PetscFunctionReturn(PETSC_SUCCESS);
  if (n >= (t.a->set.half ? 2 : 1) * t.a->set.max_offsets) D.refused.insert(offset);
  else {
    PetscCall(D.Add(offset));
    D.hint = n;
    *d     = &D.diag[n];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> static inline PetscErrorCode PutSlot(const Target &t, Diagonal *d, size_t at, PetscInt i, PetscInt j, PetscScalar value)
{
  uint32_t      *word = &d->set[at >> 5];
  const uint32_t bit  = 1u << (at & 31);
  V             *v    = (V *)d->v + at;

  PetscFunctionBegin;
  if (PetscUnlikely(!(*word & bit))) {
    bool add;
    PetscCall(NewLocation(t, i, j, false, &add));
    if (!add) PetscFunctionReturn(PETSC_SUCCESS);
    *word |= bit;
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
  (j / t.bs == i / t.bs ? t.a->set_lower_in_block : t.a->set_lower) = true;
}

/* Was local row, global column j set before? */
static bool IsSet(const Target &t, PetscInt row, PetscInt j)
{
  const Diagonals &D  = *t.a->diag;
  const PetscInt   c  = (j - t.cstart) / t.bs;
  size_t           at = 0;

  if (j < t.cstart || j >= t.cend) return t.a->ghost.FindSlot(row, j, &at) && t.a->ghost.IsSet(at);
  const int d = D.Find(c - row / t.bs);
  at          = (size_t)(j - t.cstart - c * t.bs) * D.ld + row;
  return d >= 0 && (D.diag[d].set[at >> 5] >> (at & 31) & 1);
}

/*
   The usual entries of a row: columns of this rank at locations set before, which need nothing but the store. Returns how many
   it took from the front; the rest takes the general way.
*/
template <class V> static inline PetscInt PutKnown(const Target &t, PetscInt row, PetscInt n, const PetscInt cols[], const PetscScalar v[], PetscInt stride)
{
  Diagonals            &D    = *t.a->diag;
  const Diagonal *const diag = D.diag.data(); /* copies: the compiler cannot know that no store changes the originals */
  const PetscInt *const off  = D.off.data();
  const PetscInt        nd = (PetscInt)D.off.size(), bs = t.bs, m = row / bs;
  const size_t          ld  = D.ld;
  const bool            add = t.mode == ADD_VALUES;
  PetscInt              k, hint = D.hint;

  for (k = 0; k < n && cols[k] >= t.cstart && cols[k] < t.cend; k++) {
    const PetscInt j = cols[k] - t.cstart, c = bs == 1 ? j : j / bs, d = HeptaFindNear(off, nd, c - m, &hint);

    if (d < 0) break;
    const size_t at = (size_t)(j - c * bs) * ld + row;
    if (!(diag[d].set[at >> 5] >> (at & 31) & 1)) break;
    V                &w     = ((V *)diag[d].v)[at];
    const PetscScalar value = v ? v[(size_t)k * stride] : 0;
    w                       = add ? (V)(w + value) : (V)value;
  }
  D.hint = hint;
  return k;
}

/* Entries of one row of this rank; the k-th value stands at v[k*stride], v may be null (zeros) */
template <class V> static PetscErrorCode PutRow(const Target &t, PetscInt i, PetscInt n, const PetscInt cols[], const PetscScalar v[], PetscInt stride)
{
  Diagonals     &D   = *t.a->diag;
  const PetscInt row = i - t.rstart, m = row / t.bs, bs = t.bs, last = t.A->cmap->N - 1;
  const bool     skip_zeros = t.a->set.ignore_zero, half = t.a->set.half;

  PetscFunctionBegin;
  for (PetscInt k = skip_zeros || half ? 0 : PutKnown<V>(t, row, n, cols, v, stride); k < n; k++) {
    const PetscInt    j     = cols[k];
    const PetscScalar value = v ? v[(size_t)k * stride] : 0;

    if (j < 0) continue;
    PetscCheck(j <= last, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Column %" PetscInt_FMT " of row %" PetscInt_FMT " is past the last column %" PetscInt_FMT, j, i, last);
    if (skip_zeros && value == (PetscScalar)0 && i != j && (t.mode == ADD_VALUES || !IsSet(t, row, j))) continue;
    if (half && j < i) NoteLower(t, i, j);
    if (j < t.cstart || j >= t.cend) {
      PetscCall(PutGhost(t, i, j, value));
      continue;
    }
    const PetscInt c = bs == 1 ? j - t.cstart : (j - t.cstart) / bs;
    Diagonal      *d = Lookup(D, c - m);
    if (PetscUnlikely(!d)) PetscCall(AddDiagonal(t, c - m, i, j, &d));
    if (d) PetscCall(PutSlot<V>(t, d, (size_t)(j - t.cstart - c * bs) * D.ld + row, i, j, value));
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

static Target MakeTarget(Mat A, InsertMode mode)
{
  return {A, MatBlocked(A), A->rmap->rstart, A->cmap->rstart, A->cmap->rend, MatBlocked(A)->diag->bs, mode};
}

PetscErrorCode MatSetValues_Blocked(Mat A, PetscInt m, const PetscInt im[], PetscInt n, const PetscInt in[], const PetscScalar v[], InsertMode mode)
{
  Mat_Blocked   *a      = MatBlocked(A);
  const Target   t      = MakeTarget(A, mode);
  const bool     by_row = a->set.row_oriented;
  const PetscInt stride = by_row ? 1 : m;
  auto           put    = a->diag->single ? PutRow<float> : PutRow<PetscScalar>;

  PetscFunctionBegin;
  PetscCall(MatBDIAHalfOpen(A));
  PetscCall(a->diag->Edit());
  PetscCall(a->ghost.Edit());
  for (PetscInt k = 0; k < m; k++) {
    const PetscInt     i   = im[k];
    const PetscScalar *row = v ? v + (by_row ? (size_t)k * n : (size_t)k) : nullptr;

    if (i < 0) continue;
    PetscCheck(i < A->rmap->N, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Row %" PetscInt_FMT " is past the last row %" PetscInt_FMT, i, A->rmap->N - 1);
    if (i >= A->rmap->rstart && i < A->rmap->rend) PetscCall(put(t, i, n, in, row, stride));
    else if (!a->set.ignore_off_rank) PetscCall(Stash(A, i, n, in, row, stride, mode));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One block of this rank's rows and columns: value (r, s) at v[r*row_stride + s*col_stride] */
template <class V> static PetscErrorCode PutBlock(const Target &t, PetscInt bi, PetscInt bj, const PetscScalar v[], size_t row_stride, size_t col_stride)
{
  const PetscInt m = bi - t.rstart / t.bs, c = bj - t.cstart / t.bs;
  Diagonal      *d;

  PetscFunctionBegin;
  if (bj <= bi && t.a->set.half) NoteLower(t, bi * t.bs + t.bs - 1, bj * t.bs);
  d = Lookup(*t.a->diag, c - m);
  if (!d) PetscCall(AddDiagonal(t, c - m, bi * t.bs, bj * t.bs, &d));
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt s = 0; s < t.bs; s++) {
    for (PetscInt r = 0; r < t.bs; r++) {
      const PetscScalar value = v ? v[r * row_stride + s * col_stride] : 0;
      PetscCall(PutSlot<V>(t, d, (size_t)s * t.a->diag->ld + (size_t)m * t.bs + r, bi * t.bs + r, bj * t.bs + s, value));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block that touches other ranks, or is to be looked at entry by entry */
static PetscErrorCode SetBlockByEntries(Mat A, PetscInt bi, PetscInt bj, const PetscScalar v[], size_t row_stride, size_t col_stride, InsertMode mode)
{
  const PetscInt bs = MatBlocked(A)->diag->bs;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < bs; r++) {
    for (PetscInt s = 0; s < bs; s++) {
      const PetscInt i = bi * bs + r, j = bj * bs + s;
      PetscCall(MatSetValues_Blocked(A, 1, &i, 1, &j, v ? v + r * row_stride + s * col_stride : nullptr, mode));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesBlocked_Blocked(Mat A, PetscInt m, const PetscInt im[], PetscInt n, const PetscInt in[], const PetscScalar v[], InsertMode mode)
{
  Mat_Blocked   *a  = MatBlocked(A);
  const Target   t  = MakeTarget(A, mode);
  const PetscInt bs = t.bs;
  /* distances between neighbors in a block's row and column, in what the caller passes */
  const size_t row_stride = a->set.row_oriented ? (size_t)n * bs : 1, col_stride = a->set.row_oriented ? 1 : (size_t)m * bs;
  auto         put = a->diag->single ? PutBlock<float> : PutBlock<PetscScalar>;

  PetscFunctionBegin;
  PetscCall(MatBDIAHalfOpen(A));
  PetscCall(a->diag->Edit());
  PetscCall(a->ghost.Edit());
  for (PetscInt k = 0; k < m; k++) {
    if (im[k] < 0) continue;
    PetscCheck(im[k] < A->rmap->N / bs, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Block row %" PetscInt_FMT " is past the last block row %" PetscInt_FMT, im[k], A->rmap->N / bs - 1);
    for (PetscInt l = 0; l < n; l++) {
      const PetscScalar *block = v ? v + k * bs * row_stride + l * bs * col_stride : nullptr;

      if (in[l] < 0) continue;
      PetscCheck(in[l] < A->cmap->N / bs, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Block column %" PetscInt_FMT " of block row %" PetscInt_FMT " is past the last block column %" PetscInt_FMT, in[l], im[k], A->cmap->N / bs - 1);
      const PetscInt i = im[k] * bs, j = in[l] * bs;
      const bool     local = i >= A->rmap->rstart && i < A->rmap->rend && j >= t.cstart && j < t.cend;
      if (local && !a->set.ignore_zero) PetscCall(put(t, im[k], in[l], block, row_stride, col_stride));
      else PetscCall(SetBlockByEntries(A, im[k], in[l], block, row_stride, col_stride, mode));
    }
  }
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
  default: break; /* the rest is kept by MatSetOption() itself or is a hint that does not concern block diagonals */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shared code of the storages of all formats: launchers on views, and loops over values of the stored type */
#pragma once

#include "../../shared/group.hxx"
#include "blocked.h"

namespace hepta::blocked
{

/* May entry (i, j), at a location not yet set, be added? Also marks the structure as changed. */
inline PetscErrorCode NewLocation(const Target &t, PetscInt i, PetscInt j, bool needs_memory, bool *add)
{
  const int policy = t.a->set.new_entry;

  PetscFunctionBegin;
  *add         = !(t.a->ready && policy == 1);
  t.a->changed = t.a->changed || *add;
  if (!t.a->ready || policy >= 0 || (policy == -2 && !needs_memory)) PetscFunctionReturn(PETSC_SUCCESS);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "Inserting a new nonzero at global row %" PetscInt_FMT ", column %" PetscInt_FMT
          "%s%s; use MatSetOption(A, %s, PETSC_FALSE) to allow it",
          i, j, needs_memory ? ", " : "", needs_memory ? t.a->format->unstored : "",
          policy == -1 ? "MAT_NEW_NONZERO_LOCATION_ERR" : "MAT_NEW_NONZERO_ALLOCATION_ERR");
}

/* *p <- the slot of entry (i, j); false if the entry has no slot */
template <class D, class V> inline bool Find(D &local, PetscInt i, PetscInt j, EntrySlot<V> *p)
{
  const PetscInt bs = local.bs, m = bs == 1 ? i : i / bs, c = bs == 1 ? j : j / bs;

  if (PetscUnlikely(!local.FindBlock(m, c, p))) return false;
  p->at += (size_t)(j - c * bs) * p->ld + (i - m * bs);
  return true;
}

/*
   *p <- a new slot for local entry (i, j), which has none. p->v is null for an entry that is not to be added, or would exceed a
   limit. The first entry beyond a limit becomes the storage's `beyond`, unless all ranks get the error at the assembly.
*/
template <class D, class V> PetscErrorCode AddSlot(const Target &t, D &local, PetscInt i, PetscInt j, EntrySlot<V> *p)
{
  bool add;

  PetscFunctionBegin;
  *p = {};
  PetscCall(NewLocation(t, t.rstart + i, t.cstart + j, true, &add));
  if (!add) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(local.AddBlock(t.a->set, i / local.bs, j / local.bs));
  if (Find(local, i, j, p) || local.beyond[0] >= 0 || t.a->set.limits_at_assembly) PetscFunctionReturn(PETSC_SUCCESS);
  local.beyond[0] = t.rstart + i;
  local.beyond[1] = t.cstart + j;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts the first value into a slot. Not inlined, because the loops over entries would then run out of registers. */
template <class V>
[[gnu::noinline]] PetscErrorCode PutFirst(const Target &t, V *v, uint32_t *set, size_t at, PetscInt i, PetscInt j,
                                          PetscScalar value)
{
  bool add;

  PetscFunctionBegin;
  PetscCall(NewLocation(t, i, j, false, &add));
  if (!add) PetscFunctionReturn(PETSC_SUCCESS);
  set[at >> 5] |= 1u << (at & 31);
  v[at] = t.mode == ADD_VALUES ? (V)(v[at] + value) : (V)value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class V> inline PetscErrorCode PutAt(const Target &t, const EntrySlot<V> &p, PetscInt i, PetscInt j, PetscScalar value)
{
  V *v = p.v + p.at;

  if (PetscUnlikely(!p.IsSet())) return PutFirst(t, p.v, p.set, p.at, i, j, value);
  *v = t.mode == ADD_VALUES ? (V)(*v + value) : (V)value;
  return PETSC_SUCCESS;
}

/* Half storage asks at assembly whether the lower half was set too */
inline void NoteLower(const Target &t, PetscInt i, PetscInt j)
{
  const PetscInt bs = t.a->local->bs;

  (j / bs == i / bs ? t.a->set_lower_in_block : t.a->set_lower) = true;
}

/* Was local row, global column j set before? */
template <class V, class D> bool IsSet(const Target &t, D &local, PetscInt row, PetscInt j)
{
  EntrySlot<V> p;
  size_t       at = 0;

  if (j < t.cstart || j >= t.cend) return t.a->ghost.FindSlot(row, j, &at) && t.a->ghost.IsSet(at);
  return Find(local, row, j - t.cstart, &p) && p.IsSet();
}

/* Not inlined, because the loop would then run out of registers. */
template <class V, class D>
[[gnu::noinline]] PetscErrorCode PutRow(D &local, const Target &t, PetscInt i, PetscInt n, const PetscInt cols[],
                                        const PetscScalar v[])
{
  const PetscInt row = i - t.rstart, last = t.A->cmap->N - 1, stride = (PetscInt)t.col_stride;
  const bool     skip_zeros = t.a->set.ignore_zero, half = t.a->set.half;

  PetscFunctionBegin;
  for (PetscInt k = skip_zeros || half ? 0 : local.template PutKnown<V>(row, n, cols, t.cstart, v, stride, t.mode); k < n; k++) {
    const PetscInt    j     = cols[k];
    const PetscScalar value = v ? v[(size_t)k * stride] : 0;
    EntrySlot<V>      p;

    if (j < 0) continue;
    PetscCheck(j <= last, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Column %" PetscInt_FMT " of row %" PetscInt_FMT " is past the last column %" PetscInt_FMT, j, i, last);
    if (skip_zeros && value == (PetscScalar)0 && i != j && (t.mode == ADD_VALUES || !IsSet<V>(t, local, row, j))) continue;
    if (half && j < i) NoteLower(t, i, j);
    if (j < t.cstart || j >= t.cend) {
      PetscCall(MatBlockedPutGhost(t, i, j, value));
      continue;
    }
    if (PetscUnlikely(!Find(local, row, j - t.cstart, &p))) PetscCall(AddSlot(t, local, row, j - t.cstart, &p));
    if (p.v) PetscCall(PutAt(t, p, i, j, value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not inlined, because the loop would then run out of registers. */
template <class V, class D>
[[gnu::noinline]] PetscErrorCode PutBlock(D &local, const Target &t, PetscInt m, PetscInt c, const PetscScalar v[])
{
  const size_t   row_stride = t.row_stride, col_stride = t.col_stride;
  const PetscInt bs = local.bs, i = t.rstart + m * bs, j = t.cstart + c * bs;
  EntrySlot<V>   p;

  PetscFunctionBegin;
  if (j <= i && t.a->set.half) NoteLower(t, i + bs - 1, j);
  if (!local.FindBlock(m, c, &p)) PetscCall(AddSlot(t, local, m * bs, c * bs, &p));
  if (!p.v) PetscFunctionReturn(PETSC_SUCCESS);
  const EntrySlot<V> block = p; /* a copy: for the compiler, stores might change p */
  for (PetscInt s = 0; s < bs; s++) {
    for (PetscInt r = 0; r < bs; r++) {
      PetscCall(PutAt<V>(t, {block.v, block.set, block.at + (size_t)s * block.ld + r, block.ld}, i + r, j + s,
                         v ? v[r * row_stride + s * col_stride] : 0));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::blocked

/*
   The operations of a storage D, by launchers on its view, whose template argument is the type of the stored values, PetscScalar
   or float. A source file of the format instantiates this class. A packed D must have:

     D::ViewOf<V>                        the view that D's launchers take; .v are its values, Product() sets .beside; see also
                                         blocked_row.hxx
     D::Typed(space, access, view)       that view, in the given space
     D::ForRow(i, f)                     calls f(j, slot) for the stored slots of row i, columns ascending
     D::Finder(D)(m, c, &at, &ld)        finds block (m, c); blocks mostly come row by row. Entry (r, s) has slot at + s*ld + r;
                                         false if block (m, c) is not stored; without half storage

   and while values are set, after Edit(), for an EntrySlot<V> *p:

     D::FindBlock(m, c, p)               *p <- the slot of entry (0, 0) of block (m, c) of the storage; false without a slot
     D::AddBlock(settings, m, c)         stores block (m, c), unless that would exceed a limit
     D::PutKnown<V>(i, n, columns, cstart, v, stride, mode)
                                         a fast path for rows of which most entries were set before: stores the leading entries,
                                         up to the first that is new or in another rank's column, and returns their number
*/
template <class D> struct HeptaTypedStorage : HeptaStorage {
  D &Derived() { return static_cast<D &>(*this); }

  PetscErrorCode Bring(const HeptaSpace &space) override
  {
    return HeptaVisit(Derived(), space, HeptaAccess::read, [](auto) { return PETSC_SUCCESS; });
  }

  PetscErrorCode Product(const HeptaSpace &space, const PetscScalar *x, const PetscScalar *z, PetscScalar *y) override
  {
    return HeptaVisit(Derived(), space, HeptaAccess::read, [&](auto view) {
      view.beside = space.beside;
      HeptaLaunch(space, spmv, view, x, z, y);
      return PETSC_SUCCESS;
    });
  }

  PetscErrorCode ProductColumns(const HeptaSpace &space, PetscInt n, const PetscScalar *x, size_t ldx, PetscScalar *y,
                                size_t ldy) override
  {
    return HeptaVisitLaunch(Derived(), space, HeptaAccess::read, spmm, n, x, ldx, y, ldy);
  }

  PetscErrorCode GetDiagonal(const HeptaSpace &space, PetscScalar *d) override
  {
    return HeptaVisitLaunchEach(Derived(), space, HeptaAccess::read, hepta::blocked::get_diagonal, d);
  }

  PetscErrorCode SetDiagonal(const HeptaSpace &space, PetscScalar beta, PetscScalar alpha, const PetscScalar *d) override
  {
    return HeptaVisitLaunchEach(Derived(), space, HeptaAccess::read_write, hepta::blocked::set_diagonal, beta, alpha, d);
  }

  PetscErrorCode ScaleRowsAndColumns(const HeptaSpace &space, const PetscScalar *l, const PetscScalar *r) override
  {
    return HeptaVisitLaunchEach(Derived(), space, HeptaAccess::read_write, hepta::blocked::diagonal_scale, l, r);
  }

  PetscErrorCode PutCOO(const HeptaSpace &space, bool add, const uint32_t *source, const PetscScalar *w) override
  {
    return HeptaVisitLaunchEach(Derived(), space, add ? HeptaAccess::read_write : HeptaAccess::write, coo, add, source, w);
  }

  PetscErrorCode ZeroRows(const unsigned char *row, const unsigned char *col) override
  {
    return HeptaVisitHost(Derived(), HeptaAccess::read_write, hepta::blocked::zero_rows, row, col);
  }

  PetscErrorCode SubtractColumns(const unsigned char *row, const unsigned char *col, const PetscScalar *x,
                                 PetscScalar *b) override
  {
    return HeptaVisitHost(Derived(), HeptaAccess::read, hepta::blocked::subtract_columns, row, col, x, b);
  }

  PetscErrorCode SetDiagonalRows(const unsigned char *row, PetscScalar alpha) override
  {
    return HeptaVisit(Derived(), HeptaSpace(), HeptaAccess::read_write, [&](auto view) {
      size_t at = 0;

      for (PetscInt i = 0; i < PetscMin(rows, cols); i++) {
        if (!row[i]) continue;
        PetscCheck(Derived().FindSlot(i, i, &at), PETSC_COMM_SELF, PETSC_ERR_PLIB,
                   "The diagonal entry of local row %" PetscInt_FMT " has no slot in the matrix", i);
        view.v[at] = (std::remove_pointer_t<decltype(view.v)>)alpha;
      }
      return PETSC_SUCCESS;
    });
  }

  PetscErrorCode DiagonalBlocks(PetscInt size, PetscScalar *blocks) override
  {
    return HeptaVisit(Derived(), HeptaSpace(), HeptaAccess::read, [&](auto view) {
      size_t at = 0;

      for (PetscInt i = 0; i < rows; i++) {
        for (PetscInt j = i / size * size; j < i / size * size + size; j++)
          blocks[(size_t)j * size + i % size] = j < cols && Derived().FindSlot(i, j, &at) ? (PetscScalar)view.v[at] : 0;
      }
      return PETSC_SUCCESS;
    });
  }

  size_t Row(PetscInt i, PetscInt cstart, std::vector<hepta::blocked::RowSlot> &row, size_t n) const override
  {
    hepta::blocked::RowSlot *p = row.data(), *end = p + row.size();

    static_cast<const D &>(*this).ForRow(i, [&](hepta::Index j, size_t at) {
      if (p + n == end) {
        row.resize(2 * n + 64);
        p   = row.data();
        end = p + row.size();
      }
      p[n] = {cstart + j, false, at};
      n += IsSet(at);
    });
    return n;
  }

  PetscErrorCode ListEntries(const HeptaSpace &space, hepta::blocked::EntryList &list) override
  {
    const uint32_t *bits;
    HeptaValues     copy;
    size_t         *first, *slot;
    hepta::Index   *column;

    PetscFunctionBegin;
    PetscCall(SetBits(space, copy, &bits));
    PetscCall(list.first.Resize(((size_t)rows + 1) * sizeof(size_t)));
    PetscCall(list.first.Access(space, HeptaAccess::read_write, &first)); /* the last one is zero */
    PetscCall(HeptaVisit(Derived(), space, HeptaAccess::read, [&](auto view) {
      HeptaLaunchEach(space, hepta::blocked::list_set, view, bits, first, (hepta::Index *)nullptr, (size_t *)nullptr);
      HeptaLaunchEach(space, hepta::running_sums, (size_t)rows + 1, first);
      HeptaLaunchEach(space, hepta::fetch, (const size_t *)first + rows, &list.n);
      PetscCall(list.column.Make(space, list.n, &column));
      PetscCall(list.slot.Make(space, list.n, &slot));
      HeptaLaunchEach(space, hepta::blocked::list_set, view, bits, first, column, slot);
      list.listed = true;
      return PETSC_SUCCESS;
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void FindSlots(const hepta::blocked::OwnEntries::List &list, const hepta::blocked::OwnRange &own, size_t slot[]) const override
  {
    using hepta::blocked::no_slot;
    hepta::blocked::with_block_size((int)bs, [&](auto size) {
      typename D::Finder find(static_cast<const D &>(*this));
      size_t             at = 0, ld = 0;
      bool               found = false;

      const auto block = [&](PetscInt m, PetscInt c) { found = find(m, c, &at, &ld); };
      const auto entry = [&](size_t k, PetscInt r, PetscInt s) { slot[k] = found ? at + (size_t)s * ld + r : no_slot; };
      hepta::blocked::for_entries<decltype(size)::value>(list, own, bs, block, entry, [&](size_t k) { slot[k] = no_slot; });
    });
  }

  PetscErrorCode PutRow(const hepta::blocked::Target &t, PetscInt i, PetscInt n, const PetscInt cols[],
                        const PetscScalar v[]) override
  {
    return single ? hepta::blocked::PutRow<float>(Derived(), t, i, n, cols, v)
                  : hepta::blocked::PutRow<PetscScalar>(Derived(), t, i, n, cols, v);
  }

  PetscErrorCode PutBlock(const hepta::blocked::Target &t, PetscInt m, PetscInt c, const PetscScalar v[]) override
  {
    return single ? hepta::blocked::PutBlock<float>(Derived(), t, m, c, v)
                  : hepta::blocked::PutBlock<PetscScalar>(Derived(), t, m, c, v);
  }
};

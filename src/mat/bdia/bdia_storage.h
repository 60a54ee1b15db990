/* Where a bdia matrix keeps its entries: a rank's block diagonals and ghost part, and plans of how values come to their slots */
#pragma once

#include <array>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../shared/exchange.h"
#include "../../shared/space.h"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

/*
   The index of offset o among n, -1 if it is not there. Entries of a row mostly come in column order: the offset after the one
   found last, *at, is tried first, then that one.
*/
static inline PetscInt HeptaFindNear(const PetscInt off[], PetscInt n, PetscInt o, PetscInt *at)
{
  const PetscInt next = *at + 1 < n ? *at + 1 : 0;

  if (PetscLikely(*at < n)) {
    if (off[next] == o) return *at = next;
    if (off[*at] == o) return *at;
  }
  for (PetscInt d = 0; d < n; d++) {
    if (off[d] == o) return *at = d;
  }
  return -1;
}

/* One block diagonal: values v[s*ld + i] and, one bit each in the same order, which of them were set */
struct Diagonal {
  PetscInt  off;
  void     *v; /* on the host, after Diagonals::Edit() */
  uint32_t *set;
  bool      own; /* allocated by itself during assembly, not yet part of the packed array */
};

/*
   A rank's block diagonals. New offsets arrive as diagonals of their own; Pack() sorts all into one array, whose values may
   then live on the device; what was set is kept on the host.
*/
struct Diagonals {
  PetscInt                     bs = 1, nbr = 0, nbc = 0; /* block size, block rows, block columns */
  size_t                       ld     = 0;
  bool                         single = false, half = false;
  std::vector<Diagonal>        diag;
  std::vector<Index>           off;               /* offsets in the order of diag, for the views */
  HeptaTable<Index>            off_table;         /* the same on the device */
  HeptaValues                  values;            /* packed values */
  uint32_t                    *set     = nullptr; /* packed bits */
  bool                         pointed = false;   /* diag[].v point to the packed values on the host */
  std::unordered_set<PetscInt> refused;           /* offsets beyond the limit, counted for the message */
  PetscInt                     hint    = 0;       /* diagonal of the last entry set: the next one is close */
  PetscCount                   entries = 0;       /* entries set, counted at assembly (with half storage the mirrored ones too) */
  PetscCount                   slots   = 0;       /* value slots whose block lies inside the matrix, likewise */
  PetscCount                   main    = 0;       /* main-diagonal entries set, counted at assembly */

  ~Diagonals();
  size_t         ValueSize() const { return single ? sizeof(float) : sizeof(PetscScalar); }
  size_t         DiagonalSize() const { return (size_t)bs * ld; } /* values of one diagonal */
  size_t         Size() const { return diag.size() * DiagonalSize(); }
  PetscErrorCode Shape(PetscInt bs, PetscInt nbr, PetscInt nbc, bool single);
  PetscErrorCode Add(PetscInt offset);                                                                          /* a zero diagonal of its own */
  PetscErrorCode Preset(const std::vector<PetscInt> &offsets);                                                  /* packed at once, zero */
  PetscErrorCode Edit() { return PetscLikely(pointed && values.IsOnlyOnHost()) ? PETSC_SUCCESS : BringHome(); } /* to write the values through diag[].v */
  PetscErrorCode Forget();                                                                                      /* the packed values become zeros, and their memory goes */
  PetscErrorCode Pack();
  PetscErrorCode Copy(Diagonals &from, bool values);
  void           Count();
  int            Find(PetscInt offset) const;                          /* index in diag, -1 if absent */
  bool           FindSlot(PetscInt i, PetscInt j, size_t *slot) const; /* of local entry (i, j); with half storage (j, i) may stand for it */
  bool           IsSet(size_t slot) const { return set[slot >> 5] >> (slot & 31) & 1; }
  void           Free();

  /* a view without values, for what concerns places only; the diagonals must be packed */
  View<PetscScalar> Shape() const { return {nbr, nbc, (int)bs, (int)diag.size(), ld, off.data(), nullptr, half, off.data()}; }
  /* the view for a launcher; the diagonals must be packed */
  template <class V> PetscErrorCode Typed(const HeptaSpace &space, HeptaAccess access, View<V> *view)
  {
    const Index *table;
    void        *v;

    PetscFunctionBegin;
    PetscCall(values.Access(space, access, &v));
    PetscCall(off_table.Get(space, off, &table));
    *view = {nbr, nbc, (int)bs, (int)diag.size(), ld, table, (V *)v, half, off.data()};
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscErrorCode BringHome();
};

/* The ghost part; entries that find no slot wait in `pending` for the next assembly */
struct Ghost {
  PetscInt                bs = 1, nbr = 0, width = 0;
  size_t                  ld     = 0;
  bool                    single = false;
  std::vector<PetscInt>   garray;       /* global block column of each ghost block column, ascending */
  std::vector<Index>      row, col;     /* as in GhostView */
  std::vector<Index>      first, place; /* likewise */
  HeptaTable<Index>       tables[4];    /* row, col, first, place on the device */
  std::vector<PetscInt>   border;       /* block row -> border block row or -1; empty without border rows */
  HeptaValues             values;
  void                   *v       = nullptr; /* the values on the host, after Edit() or Look() */
  uint32_t               *set     = nullptr;
  bool                    pointed = false;        /* v does */
  std::vector<HeptaEntry> pending;                /* i local row, j global column */
  PetscCount              entries = 0, slots = 0; /* entries set, value slots of the blocks stored */

  ~Ghost();
  size_t         Size() const { return (size_t)width * bs * ld; }
  size_t         Slot(PetscInt k, PetscInt b, PetscInt r, PetscInt s) const { return ((size_t)k * bs + s) * ld + (size_t)b * bs + r; }
  bool           FindSlot(PetscInt i, PetscInt j, size_t *slot) const;
  bool           IsSet(size_t slot) const { return set[slot >> 5] >> (slot & 31) & 1; }
  PetscScalar    Value(size_t slot) const { return single ? (PetscScalar)((float *)v)[slot] : ((PetscScalar *)v)[slot]; }
  void           Put(size_t slot, PetscScalar value, InsertMode mode);
  PetscErrorCode Edit() { return PetscLikely(pointed && values.IsOnlyOnHost()) ? PETSC_SUCCESS : BringHome(); }                       /* to write the values through v */
  PetscErrorCode Look() { return pointed && values.IsOnHost() ? PETSC_SUCCESS : values.Access(HeptaSpace(), HeptaAccess::read, &v); } /* to read them through v */
  PetscErrorCode Entries(std::vector<HeptaEntry> &out);                                                                               /* what is set, by row and column */
  PetscErrorCode Build(std::vector<HeptaEntry> &entries);                                                                             /* from entries in order of arrival */
  PetscErrorCode Copy(Ghost &from, bool values);
  PetscErrorCode Forget();
  void           CountEntries();
  void           Free();

  template <class V> PetscErrorCode Typed(const HeptaSpace &space, HeptaAccess access, GhostView<V> *view)
  {
    const Index *table[4];
    void        *at;

    PetscFunctionBegin;
    PetscCall(values.Access(space, access, &at));
    for (int k = 0; k < 4; k++) PetscCall(tables[k].Get(space, *std::array<std::vector<Index> *, 4>{&row, &col, &first, &place}[k], &table[k]));
    *view = {(Index)row.size(), (Index)garray.size(), (int)bs, (int)width, ld, table[0], table[1], (V *)at, table[2], table[3]};
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  PetscErrorCode BringHome();
};

/* Values by slot: each slot's run in slot and perm, where it begins and the end; and all three on the device */
struct COORuns {
  std::vector<size_t> slot, perm, first;
  HeptaTable<size_t>  tables[3];
};

/*
   Where each COO value goes (MatSetPreallocationCOO()). Value k is the k-th given one for k < n, and the (k - n)-th that
   arrives from other ranks otherwise.
*/
struct COOPlan {
  std::vector<uint32_t> source;           /* for each slot of the block diagonals, 1 + the first given value that goes there, or 0 */
  COORuns               runs, ghost_runs; /* further values for the block diagonals, and those for the ghost part */
  std::vector<size_t>   order;            /* given values that other ranks own, in sending order */
  std::vector<PetscInt> i, j;             /* half storage: the places themselves, */
  std::vector<size_t>   perm;             /* and the value for each */
  PetscCount            n        = 0;     /* entries given here */
  PetscInt              received = 0;     /* entries that arrive */
  PetscSF               sf       = nullptr;
  HeptaTable<uint32_t>  source_table;
  HeptaTable<size_t>    order_table;
  HeptaValues           away, arrived; /* buffers of the exchange */
  ~COOPlan() { (void)PetscSFDestroy(&sf); }
};

/* The slots of the set entries in the order of an aij's compressed rows; the aijcusparse last converted from or to has the same entries */
struct CSRPlan {
  PetscObjectState    nonzerostate = -1, partner_nonzerostate = -1;
  PetscObjectId       partner = -1;
  std::vector<size_t> slot, ghost_slot; /* of the diagonal block and of the ghost part */
  HeptaTable<size_t>  tables[2];
};

} // namespace hepta::bdia

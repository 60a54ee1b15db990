/* Where a blocked matrix keeps a rank's couplings to columns of other ranks */
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "../../shared/exchange.h"
#include "../../shared/space.h"
#include "blocked_kernels.hxx"
#include "blocked_row.hxx"

namespace hepta::blocked
{

/* The parts of a ghost part that a copy has at once */
struct GhostStructure {
  /* block size: the Mat's, or 1 if rows and columns have different block sizes */
  PetscInt              bs = 1, nbr = 0, width = 0;
  size_t                ld     = 0;
  bool                  single = false;
  std::vector<PetscInt> garray;                                  /* global block column of each ghost block column, ascending */
  std::vector<Index>    row, start, line, col, first, by_column; /* as in GhostView */
  /* block row -> border block row or -1; empty without border rows */
  std::vector<PetscInt> border;
  std::vector<uint32_t> set;                    /* a bit for each slot: was its entry set? */
  PetscCount            entries = 0, slots = 0; /* entries set, value slots of the blocks stored */
};

/* The ghost part; entries without a slot are kept in `pending` until the next assembly */
struct Ghost : GhostStructure {
  HeptaTable<Index>       tables[6]; /* the arrays of GhostView on the device */
  std::vector<uint32_t>   bits;      /* a bit for each row, set in border block rows; made by the first call of BorderBits() */
  HeptaTable<uint32_t>    bits_table;
  HeptaValues             values;
  void                   *v              = nullptr; /* the values on the host, after Edit() or Look() */
  bool                    pointers_valid = false;   /* v points to the present values */
  std::vector<HeptaEntry> pending;                  /* i local row, j global column */

  size_t   Size() const { return (size_t)bs * ld; }
  size_t   IndexBytes() const; /* of `tables` */
  PetscInt BorderRow(PetscInt m) const { return border.empty() ? -1 : border[m]; }
  PetscInt Length(PetscInt b) const; /* blocks of border block row b, none for -1 */
  PetscInt Block(PetscInt k, PetscInt b) const { return start[k] + b; }
  size_t   Slot(PetscInt q, PetscInt r, PetscInt s) const { return (size_t)s * ld + (size_t)q * bs + r; }
  PetscInt Column(PetscInt j) const
  {
    return (PetscInt)(std::lower_bound(garray.begin(), garray.end(), j / bs) - garray.begin()) * bs + j % bs;
  } /* the position of global column j among the ghost columns */
  bool           FindSlot(PetscInt i, PetscInt j, size_t *slot) const;
  bool           IsSet(size_t slot) const { return set[slot >> 5] >> (slot & 31) & 1; }
  PetscScalar    Value(size_t slot) const { return single ? (PetscScalar)((float *)v)[slot] : ((PetscScalar *)v)[slot]; }
  void           Put(size_t slot, PetscScalar value, InsertMode mode);
  PetscErrorCode Edit()
  {
    return PetscLikely(pointers_valid && values.IsOnlyOnHost()) ? PETSC_SUCCESS : BringHome();
  } /* to write the values through v */
  PetscErrorCode Look()
  {
    return pointers_valid && values.IsOnHost() ? PETSC_SUCCESS : values.Access(HeptaSpace(), HeptaAccess::read, &v);
  } /* to read the values through v */
  /* the entries that are set, row by row */
  PetscErrorCode Entries(std::vector<HeptaEntry> &out);
  /* from entries in order of arrival */
  PetscErrorCode Build(std::vector<HeptaEntry> &entries);
  PetscErrorCode Copy(Ghost &from, bool values);
  PetscErrorCode Forget();
  /* a bit for each row, 32 in a number: is the row a border row? Null without border rows */
  PetscErrorCode BorderBits(const HeptaSpace &, const uint32_t **);
  void           CountEntries();
  void           Free();

  template <class V> using ViewOf = GhostView<V>;
  template <class V> PetscErrorCode Typed(const HeptaSpace &space, HeptaAccess access, GhostView<V> *view)
  {
    const Index *table[6];
    V           *at;

    PetscFunctionBegin;
    PetscCall(values.Access(space, access, &at));
    for (int k = 0; k < 6; k++) PetscCall(tables[k].Get(space, this->*lists[k], &table[k]));
    *view = {(Index)row.size(),
             (Index)garray.size(),
             (int)bs,
             (Index)width,
             (Index)col.size(),
             ld,
             table[0],
             table[1],
             table[2],
             table[3],
             at,
             table[4],
             table[5]};
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  static constexpr std::vector<Index> Ghost::*lists[6] = {&Ghost::row, &Ghost::start, &Ghost::line,
                                                          &Ghost::col, &Ghost::first, &Ghost::by_column};

  PetscErrorCode BringHome();
  void           FindBorder(const std::vector<std::pair<PetscInt, PetscInt>> &blocks);
};

} // namespace hepta::blocked

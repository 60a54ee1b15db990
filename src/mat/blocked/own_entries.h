/* COO entries on the host, in the order given: which entries are in a rank's own rows and columns, and in which blocks */
#pragma once

#include <petscmat.h>
#include <type_traits>

#include "blocked_view.hxx"

namespace hepta::blocked
{

/* This rank's own rows and columns, each as its first global number and its number of rows or columns */
struct OwnRange {
  PetscInt rstart, rows, cstart, cols;
};

/* Entries in global numbers, given entries first, then arrived entries. Only entries in the rank's own rows and columns count. */
struct OwnEntries {
  struct List {
    size_t          n = 0;
    const PetscInt *i = nullptr, *j = nullptr;
  };
  List     lists[2];
  OwnRange own;
};

/* Without a sign a negative number, or one before the first row, is beyond the last row: one comparison finds all */
using Unsigned = std::make_unsigned_t<PetscInt>;

/* Is entry (i, j) in own rows and columns? */
static inline bool IsOwn(const OwnRange &own, PetscInt i, PetscInt j)
{
  return ((Unsigned)i - (Unsigned)own.rstart < (Unsigned)own.rows) & ((Unsigned)j - (Unsigned)own.cstart < (Unsigned)own.cols);
}

/*
   Calls block(m, c) for local block row m and block column c of an own entry, unless the own entry before was in the same row and
   block; then entry(k, r, s) for entry k of the list, in row r and column s of that block. Calls other(k) for an entry that is
   not own. BS is the block size bs, or 0 for any.
*/
template <int BS, class Block, class Entry, class Other>
inline void for_entries(const OwnEntries::List &list, const OwnRange &own, PetscInt bs, const Block &block, const Entry &entry,
                        const Other &other)
{
  const Unsigned size   = BS ? BS : (Unsigned)bs;
  const Unsigned rstart = own.rstart, rows = own.rows, cstart = own.cstart, cols = own.cols;
  Unsigned       row = ~(Unsigned)0, m = 0, first = 0; /* row and first column of the last own entry's block; at first no row */

  for (size_t k = 0; k < list.n; k++) {
    const Unsigned i = (Unsigned)list.i[k] - rstart, j = (Unsigned)list.j[k] - cstart;

    if (PetscUnlikely(i >= rows || j >= cols)) {
      other(k);
      continue;
    }
    if (i != row || j - first >= size) {
      if (i != row) m = (row = i) / size;
      const Unsigned c = j / size;
      first            = c * size;
      block((PetscInt)m, (PetscInt)c);
    }
    entry(k, (PetscInt)(i - m * size), (PetscInt)(j - first));
  }
}

} // namespace hepta::blocked

/*
   COO entries by rows: a program that assembles blocks gives the rows of a block row with the same columns in the same order, and
   only the first of these rows needs an analysis
*/
#pragma once

#include <algorithm>

#include "own_entries.h"

namespace hepta::blocked
{

/*
   Are the entries [k, k + n) in row i, with the columns of [like, like + n)? Without a branch, so that compilers vectorize the
   loop
*/
static inline bool IsRowLike(const OwnEntries::List &list, size_t k, size_t n, PetscInt i, size_t like)
{
  const PetscInt *const rows = list.i + k, *const a = list.j + k, *const b = list.j + like;
  Unsigned other = 0;

  for (size_t t = 0; t < n; t++) other |= (Unsigned)(rows[t] ^ i) | (Unsigned)(a[t] ^ b[t]);
  return !other;
}

/*
   Calls group(k, n, same, i) for the entries of the list, in their order: n entries from k on are in own row i (from 0), and n
   entries with the same columns follow in each of the rows i + 1 ... i + same - 1 of that block row. Entries in rows that are not
   own are left out.
*/
template <class Group>
inline void for_row_groups(const OwnEntries::List &list, const OwnRange &own, PetscInt bs, const Group &group)
{
  for (size_t k = 0, n, same = 1; k < list.n; k += n * same) {
    const PetscInt row = list.i[k];
    const Unsigned i   = (Unsigned)row - (Unsigned)own.rstart;

    n = same = 1;
    while (k + n < list.n && list.i[k + n] == row) n++;
    if (i >= (Unsigned)own.rows) continue;
    if (bs > 1) {
      const size_t most = std::min<size_t>({(size_t)bs - i % (Unsigned)bs, (size_t)own.rows - i, (list.n - k) / n});
      while (same < most && IsRowLike(list, k + same * n, n, row + (PetscInt)same, k)) same++;
    }
    group(k, n, same, (PetscInt)i);
  }
}

/*
   Calls f(m, c) for the local blocks of all own entries, more than once for some blocks; row by row if the entries are. The loop
   over a group is the loop of for_entries() without its slow tests of the row.
*/
template <class F> inline void for_own_blocks(const OwnEntries &entries, PetscInt bs, const F &f)
{
  with_block_size((int)bs, [&](auto bs_constant) {
    constexpr int  BS   = decltype(bs_constant)::value;
    const Unsigned size = BS ? BS : (Unsigned)bs, cstart = entries.own.cstart, cols = entries.own.cols;

    for (const OwnEntries::List &list : entries.lists) {
      for_row_groups(list, entries.own, (PetscInt)size, [&](size_t k, size_t n, size_t, PetscInt i) {
        const PetscInt m     = (PetscInt)((Unsigned)i / size);
        Unsigned       first = cols; /* the first column of the block before; at first one that no own column follows */

        for (size_t t = k; t < k + n; t++) {
          const Unsigned j = (Unsigned)list.j[t] - cstart;
          if (j >= cols || j - first < size) continue;
          const Unsigned c = j / size;
          first            = c * size;
          f(m, (PetscInt)c);
        }
      });
    }
  });
}

} // namespace hepta::blocked

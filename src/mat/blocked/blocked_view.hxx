/* Views of the parts of a blocked matrix but the local one, for launchers and row functions: pointers and sizes, without PETSc */
#pragma once

#include <type_traits>
#include <vector>

#include "../../shared/hepta_hd.hxx"

namespace hepta::blocked
{

/*
   A rank's couplings to columns of other ranks, as jagged diagonals. Only border block rows are kept, sorted by their number of
   blocks, the largest first: border block row b is block row row[b], and its k-th block is block q = start[k] + b, as long as
   b < start[k + 1] - start[k]. Block q is in block row line[q] and ghost block column col[q], and

     a = v[s*ld + q*bs + r],   ghost column col*bs + s

   so neighboring border rows read neighboring values, and nothing is padded. By columns: the blocks of ghost block column c are
   the blocks q = by_column[first[c] ... first[c + 1] - 1].
*/
template <class V> struct GhostView {
  Index        nb;                  /* border block rows */
  Index        ng;                  /* ghost block columns */
  int          bs;                  /* block size */
  Index        width;               /* the largest number of blocks of a border block row */
  Index        blocks;              /* in all */
  std::size_t  ld;                  /* leading dimension of v: blocks*bs rounded up to 32 */
  const Index *row;                 /* block row of each border block row */
  const Index *start;               /* of each jagged diagonal, and their end */
  const Index *line;                /* block rows */
  const Index *col;                 /* ghost block columns */
  V           *v;                   /* values */
  const Index *first     = nullptr; /* the blocks by columns, as above */
  const Index *by_column = nullptr;

  HEPTA_HD Index all_rows() const { return nb * bs; }
  HEPTA_HD Index all_columns() const { return ng * bs; }
  HEPTA_HD Index row_of(Index k) const { return row[k / bs] * bs + k % bs; }
};

/* border rows with more blocks get a warp each: all other threads would wait for a single thread with such a row */
constexpr Index long_ghosts = 64;

/* first and by_column of a GhostView, from its col: the blocks of each ghost block column in storage order */
inline void index_ghost_columns(Index ng, const std::vector<Index> &col, std::vector<Index> &first, std::vector<Index> &by_column)
{
  first.assign(std::size_t(ng) + 1, 0);
  for (Index c : col) first[c + 1]++;
  for (Index c = 0; c < ng; c++) first[c + 1] += first[c];
  by_column.resize(first[ng]);
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (std::size_t q = 0; q < col.size(); q++) by_column[next[col[q]]++] = Index(q);
}

/* Compressed rows: entries [i[m], i[m+1]) of row m have columns j[] and values a[] (null where only the structure is read) */
struct CSRView {
  Index         rows, cols;
  const Index  *i, *j;
  const Scalar *a;
};

/* n blocks of `high` rows and `wide` columns, by their block rows and columns, in a matrix of rows x cols */
struct CooBlocks {
  std::size_t  n;
  Index        high, wide, rows, cols;
  const Index *i, *j;
};

constexpr std::size_t no_slot = ~std::size_t(0);

/* The norms that sums of entries serve */
enum class Norm {
  one,
  infinity,
  frobenius
};

/* Calls f with the block size as a type, std::integral_constant<int, bs>; 0 for block sizes without separate code */
template <class F> auto with_block_size(int bs, const F &f)
{
  switch (bs) {
  case 1: return f(std::integral_constant<int, 1>());
  case 2: return f(std::integral_constant<int, 2>());
  case 3: return f(std::integral_constant<int, 3>());
  case 4: return f(std::integral_constant<int, 4>());
  case 5: return f(std::integral_constant<int, 5>());
  case 6: return f(std::integral_constant<int, 6>());
  case 7: return f(std::integral_constant<int, 7>());
  case 8: return f(std::integral_constant<int, 8>());
  default: return f(std::integral_constant<int, 0>());
  }
}

/* Rows rounded up to 32, so that every column of values starts at a boundary for coalesced reads */
inline std::size_t leading_dimension(std::size_t rows)
{
  return (rows + 31) / 32 * 32;
}

} // namespace hepta::blocked

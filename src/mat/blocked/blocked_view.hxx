/* What the launchers and row functions see of a blocked matrix besides its local part: pointers and sizes, no PETSc. */
#pragma once

#include <vector>

#include "../../shared/hepta_hd.hxx"

namespace hepta::blocked
{

/*
   A rank's couplings to columns of other ranks, as jagged diagonals. Only border block rows are kept, those with the most blocks first: border block
   row b is block row row[b], and its k-th block is block q = start[k] + b, as long as b < start[k + 1] - start[k]. Block q stands in block row
   line[q] and ghost block column col[q], and

     a = v[s*ld + q*bs + r],   ghost column col*bs + s

   so neighboring border rows read what stands side by side, and nothing is padded. By columns: the blocks of ghost block column c are those with
   q = place[first[c] ... first[c + 1] - 1].
*/
template <class V> struct GhostView {
  Index        nb;              /* border block rows */
  Index        ng;              /* ghost block columns */
  int          bs;              /* block size */
  Index        width;           /* the most blocks of a border block row */
  Index        blocks;          /* in all */
  std::size_t  ld;              /* leading dimension of v: blocks*bs rounded up to 32 */
  const Index *row;             /* block row of each border block row */
  const Index *start;           /* of each jagged diagonal, and their end */
  const Index *line;            /* block rows */
  const Index *col;             /* ghost block columns */
  V           *v;               /* values */
  const Index *first = nullptr; /* the blocks by columns, as above */
  const Index *place = nullptr;
};

constexpr Index long_ghosts = 64; /* border rows of more blocks are for warps: all would wait for a thread that multiplies one */

/* first and place of a GhostView, from its col: the blocks of each ghost block column in storage order */
inline void index_ghost_columns(Index ng, const std::vector<Index> &col, std::vector<Index> &first, std::vector<Index> &place)
{
  first.assign(std::size_t(ng) + 1, 0);
  for (Index c : col) first[c + 1]++;
  for (Index c = 0; c < ng; c++) first[c + 1] += first[c];
  place.resize(first[ng]);
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (std::size_t q = 0; q < col.size(); q++) place[next[col[q]]++] = Index(q);
}

/* Compressed rows: entries [i[m], i[m+1]) of row m stand in columns j[] with values a[] (null where only the structure is read) */
struct CSRView {
  Index         rows, cols;
  const Index  *i, *j;
  const Scalar *a;
};

/* Which norm a sum of entries is for */
enum class Norm {
  one,
  infinity,
  frobenius
};

/* Rows rounded up to 32: every value column starts on a boundary of a warp's reads */
inline std::size_t leading_dimension(std::size_t rows)
{
  return (rows + 31) / 32 * 32;
}

} // namespace hepta::blocked

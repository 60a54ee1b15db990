/* What the launchers and row functions see of a blocked matrix besides its local part: pointers and sizes, no PETSc. */
#pragma once

#include <vector>

#include "../../shared/hepta_hd.hxx"

namespace hepta::blocked
{

/*
   A rank's couplings to columns of other ranks. Only border block rows are kept, each with up to `width` blocks:
   border block row b is block row row[b], its k-th block stands in ghost block column col[k*nb + b] (-1: none), and

     a = v[(k*bs + s)*ld + b*bs + r],   ghost column col*bs + s

   By columns: the blocks of ghost block column c are those with k*nb + b = place[first[c] ... first[c + 1] - 1].
*/
template <class V> struct GhostView {
  Index        nb;              /* border block rows */
  Index        ng;              /* ghost block columns */
  int          bs;              /* block size */
  int          width;           /* the most blocks of a border block row */
  std::size_t  ld;              /* leading dimension of v: nb*bs rounded up to 32 */
  const Index *row;             /* block row of each border block row */
  const Index *col;             /* ghost block columns */
  V           *v;               /* values */
  const Index *first = nullptr; /* the blocks by columns, as above */
  const Index *place = nullptr;
};

/* first and place of a GhostView, from its col: the blocks of each ghost block column in storage order */
inline void index_ghost_columns(Index ng, const std::vector<Index> &col, std::vector<Index> &first, std::vector<Index> &place)
{
  first.assign(std::size_t(ng) + 1, 0);
  for (Index c : col) {
    if (c >= 0) first[c + 1]++;
  }
  for (Index c = 0; c < ng; c++) first[c + 1] += first[c];
  place.resize(first[ng]);
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (std::size_t k = 0; k < col.size(); k++) {
    if (col[k] >= 0) place[next[col[k]]++] = Index(k);
  }
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

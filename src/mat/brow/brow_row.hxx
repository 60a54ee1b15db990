/*
   The slots of a brow matrix, for host and device. Products loop over slices and over rows that stand alone in brow_host.cxx,
   brow_slices.cuh, brow_alone_cuda.cu.
*/
#pragma once

#include "../blocked/blocked_row.hxx"
#include "brow_view.hxx"

namespace hepta::brow
{

using blocked::no_slot;
using blocked::norm_term;

/* Where the blocks of a block row are */
struct Line {
  Index        length; /* blocks */
  int          height; /* of the slice, 1 for a block row that stands alone */
  const Index *col;    /* block column of block k: col[k*height] */
  std::size_t  slot;   /* the slot of row 0, column 0 of block 0 */
};

template <class V> HEPTA_HD Line line_at(const View<V> &A, Index position)
{
  const Index       alone = position - A.nslices * A.height;
  const Index       g     = alone >= 0 ? A.nslices + alone : position / A.height;
  const int         h = alone >= 0 ? 1 : A.height, b = alone >= 0 ? 0 : int(position % A.height);
  const std::size_t first = A.first[g];

  return {A.length[position], h, A.col + first + b, first * A.bs * A.bs + std::size_t(b) * A.bs};
}

template <class V> HEPTA_HD Line line(const View<V> &A, Index m)
{
  return line_at(A, A.position[m]);
}

HEPTA_HD Index block_column(const Line &l, Index k)
{
  return l.col[std::size_t(k) * l.height];
}

/* The slot of row r, column s of block k */
template <class V> HEPTA_HD std::size_t slot(const View<V> &A, const Line &l, Index k, Index r, Index s)
{
  return l.slot + (std::size_t(k) * A.bs + s) * l.height * A.bs + r;
}

/* The first block whose column is not below c */
HEPTA_HD Index lower_block(const Line &l, Index c)
{
  return first_above(l.length, [&](Index k) { return block_column(l, k) >= c; });
}

/* The block of block column c, -1 without a stored block */
HEPTA_HD Index find_block(const Line &l, Index c)
{
  const Index k = lower_block(l, c);
  return k < l.length && block_column(l, k) == c ? k : -1;
}

/* The slot of entry (i, j), no_slot if no stored block contains it */
template <class V> HEPTA_HD std::size_t find_slot(const View<V> &A, Index i, Index j)
{
  const Line  l = line(A, i / A.bs);
  const Index k = find_block(l, j / A.bs);
  return k < 0 ? no_slot : slot(A, l, k, i % A.bs, j % A.bs);
}

/* Columns of block column c that lie inside the matrix */
template <class V> HEPTA_HD int width_of(const View<V> &A, Index c)
{
  const Index left = A.cols - c * A.bs;
  return left < A.bs ? int(left) : A.bs;
}

/* Functions as in blocked_row.hxx */

template <class V> int main_diagonal(const View<V> &A)
{
  return A.missing < 0 ? 0 : -1;
}

template <class V> HEPTA_HD std::size_t main_slot(const View<V> &A, int, Index i)
{
  return i < A.cols ? find_slot(A, i, i) : no_slot;
}

template <class V, class F> HEPTA_HD void for_row(const View<V> &A, Index i, F f)
{
  const Line  l = line(A, i / A.bs);
  const Index r = i % A.bs;

  for (Index k = 0; k < l.length; k++) {
    const Index c     = block_column(l, k);
    const int   width = width_of(A, c);

    for (int s = 0; s < width; s++) f(c * A.bs + s, slot(A, l, k, r, s));
  }
}

} // namespace hepta::brow

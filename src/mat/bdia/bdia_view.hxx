/* What the launchers and row functions see of a bdia matrix: pointers and sizes, no PETSc. */
#pragma once

#include "../../shared/hepta_hd.hxx"

namespace hepta::bdia
{

/*
   The block diagonals of one rank. Block row m, block column m + off[d]; row i = m*bs + r, column j = (m + off[d])*bs + s:

     a_ij = v[(d*bs + s)*ld + i]

   Slots whose block lies outside the matrix are never read. With half storage off[] holds offsets >= 0 only and
   a_ji = a_ij stands for the other half.
*/
template <class V> struct View {
  Index        nbr;  /* block rows */
  Index        nbc;  /* block columns */
  int          bs;   /* block size */
  int          nd;   /* number of block offsets */
  std::size_t  ld;   /* leading dimension of v: rows rounded up to 32 */
  const Index *off;  /* block offsets, ascending */
  V           *v;    /* values */
  bool         half; /* the diagonal and the upper half only */
};

/*
   A rank's couplings to columns of other ranks. Only border block rows are kept, each with up to `width` blocks:
   border block row b is block row row[b], its k-th block stands in ghost block column col[k*nb + b] (-1: none), and

     a = v[(k*bs + s)*ld + b*bs + r],   ghost column col*bs + s
*/
template <class V> struct GhostView {
  Index        nb;    /* border block rows */
  Index        ng;    /* ghost block columns */
  int          bs;    /* block size */
  int          width; /* the most blocks of a border block row */
  std::size_t  ld;    /* leading dimension of v: nb*bs rounded up to 32 */
  const Index *row;   /* block row of each border block row */
  const Index *col;   /* ghost block columns */
  V           *v;     /* values */
};

/* Rows rounded up to 32: every value column starts on a boundary of a warp's reads */
inline std::size_t leading_dimension(std::size_t rows)
{
  return (rows + 31) / 32 * 32;
}

} // namespace hepta::bdia

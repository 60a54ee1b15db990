/* The view of a bdia matrix for launchers and row functions: pointers and sizes, without PETSc. */
#pragma once

#include "../blocked/blocked_view.hxx"

namespace hepta::bdia
{

using blocked::leading_dimension;
using blocked::no_slot;
using blocked::with_block_size;

/*
   The block diagonals of one rank. Block row m, block column m + off[d]; row i = m*bs + r, column j = (m + off[d])*bs + s:

     a_ij = v[(d*bs + s)*ld + i]

   Slots whose block lies outside the matrix are never read. With half storage all off[d] >= 0, and a_ji = a_ij gives the other
   half.
*/
template <class V> struct View {
  Index        nbr;                /* block rows */
  Index        nbc;                /* block columns */
  int          bs;                 /* block size */
  int          nd;                 /* number of block offsets */
  std::size_t  ld;                 /* leading dimension of v: rows rounded up to 32 */
  const Index *off;                /* block offsets, ascending, in the memory of v */
  V           *v;                  /* values */
  bool         half;               /* the diagonal and the upper half only */
  const Index *host_off = nullptr; /* block offsets on the host, for a view of device memory */
  bool         beside   = false;   /* a product may overlap the preceding kernel, and ends after that kernel */

  HEPTA_HD Index all_rows() const { return nbr * bs; }
  HEPTA_HD Index all_columns() const { return nbc * bs; }
  HEPTA_HD Index row_of(Index k) const { return k; }
};

constexpr int max_arguments = 32; /* the most offsets that are kernel arguments; a product reads more offsets from memory */

/* The index of offset 0, -1 if offset 0 is not stored; on the host */
template <class V> int main_diagonal(const View<V> &A)
{
  const Index *off = A.host_off ? A.host_off : A.off;

  for (int d = 0; d < A.nd; d++) {
    if (off[d] == 0) return d;
  }
  return -1;
}

/* A view of the same matrix with constant values */
template <class V> View<const V> constant(const View<V> &A)
{
  return {A.nbr, A.nbc, A.bs, A.nd, A.ld, A.off, A.v, A.half, A.host_off, A.beside};
}

} // namespace hepta::bdia

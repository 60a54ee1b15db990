/* The arithmetic of red-black multigrid, once, for host and device */
#pragma once

#include "gridmg_cell.hxx"
#include "gridmg_kernels.hxx"

namespace hepta::gridmg
{

enum Color {
  RED,
  BLACK
};

/* The color of a cell */
HEPTA_HD int color(const Grid &g, Index i, Index j, Index k)
{
  return int((i + j + k + g.odd) & 1);
}

/* e (r - sum a z) in cell m; z is a function of the index of a neighbor, the axis and the side */
template <int D, class T, class U, class F> HEPTA_HD T relaxed(const Level<T, U> &L, T r, Index m, const F &z)
{
  return L.e[m] * (r - over_neighbors<D>(L, m, z));
}

/* The box along axis a of cell c of L, a slab if SLAB */
template <int D, bool SLAB, class T, class U> HEPTA_HD Index box_along(const Level<T, U> &L, const Level<T, U> &C, int a, Index c)
{
  const bool  two = L.g.box[a] == 2; /* no division by a variable */
  const Index own = c - (a + 1 == D ? L.g.below : 0);

  if (a + 1 == D && SLAB) return box_of_plane(L, C, a, c);
  return two ? (own >> 1 < C.g.n[a] ? own >> 1 : C.g.n[a] - 1) : box_of(L, C, a, own);
}

/* The index in C's arrays of the box around a cell of L */
template <int D, bool SLAB, class T, class U>
HEPTA_HD Index box_index(const Level<T, U> &L, const Level<T, U> &C, Index i, Index j, Index k)
{
  const Index c[3] = {i, j, k};
  Index       at   = 0;

  HEPTA_DEVICE_UNROLL
  for (int a = 0; a < D; a++) at += C.g.stride[a] * box_along<D, SLAB>(L, C, a, c[a]);
  return at;
}

/* Where boxes begin along axis a of L, and where they end */
template <class T, class U> HEPTA_HD Index box_begin(const Level<T, U> &L, const Level<T, U> &C, int D, int a, Index I)
{
  const Index below = a + 1 == D ? L.g.below : 0, above = a + 1 == D ? L.g.above : 0;

  return I < C.g.n[a] ? below + I * L.g.box[a] : L.g.n[a] - above;
}

} // namespace hepta::gridmg

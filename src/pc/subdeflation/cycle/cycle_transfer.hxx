/*
   The arithmetic of transfers between a level and the next, once, for host and device. Boxes of two cells a side are taken in pairs of cells: for 200^3 cells an H200 takes 68 us for the sums over boxes where it takes 88 for
   single cells, and 99 in place of 138 for the corrections.
*/
#pragma once

#include "cycle_row.hxx"

namespace hepta::cycle
{

/* The box of cell c along axis a */
template <int B, class T, class U> HEPTA_HD Index box_of(const Level<T, U> &L, const Level<T, U> &C, int a, Index c)
{
  const Index I = c / (B ? B : L.g.box[a]);

  return I < C.g.n[a] ? I : C.g.n[a] - 1;
}

/* The same along the last axis, where c may also be beyond the ends of a grid, whose couplings are zero, or with SLAB be a plane of a neighbor. The boxes of the slab above begin with its first plane, the last box of the slab below ends with its last plane. */
template <int B, bool SLAB, class T, class U> HEPTA_HD Index box_of_plane(const Level<T, U> &L, const Level<T, U> &C, int a, Index c)
{
  if (!SLAB) return c < 0 ? -1 : c == L.g.n[a] ? C.g.n[a] : box_of<B>(L, C, a, c);
  const Index own = c - L.g.below, planes = L.g.n[a] - L.g.below - L.g.above, side = B ? B : L.g.box[a];

  if (own >= planes) {
    const Index I = (own - planes) / side;
    return C.g.n[a] + (I < L.g.boxes_above ? I : L.g.boxes_above - 1);
  }
  if (own >= 0) return box_of<B>(L, C, a, own);
  return own + L.g.last_below >= 0 ? -1 : -2 - (-1 - own - L.g.last_below) / side;
}

/* Two cells next to each other that are loaded and stored at once; the first one's index is even */
template <class T> struct alignas(2 * sizeof(T)) Pair {
  T v[2];
};

template <class T> HEPTA_HD Pair<T> pair_at(const T *p)
{
  return *reinterpret_cast<const Pair<T> *>(p);
}

/* r - A z in the cells m and m + 1 */
template <int D, class T> HEPTA_HD Pair<T> residuals(const Level<T> &L, Index m)
{
  const Pair<T> here = pair_at(L.z + m), e = pair_at(L.e + m), s = pair_at(L.s + m), row_sum = pair_at(L.row_sum + m), along = pair_at(L.a[0] + m);
  T             change[2] = {along.v[0] * (here.v[1] - here.v[0]) + L.a[0][m - 1] * (L.z[m - 1] - here.v[0]), along.v[1] * (L.z[m + 2] - here.v[1]) + along.v[0] * (here.v[0] - here.v[1])};

  HEPTA_DEVICE_UNROLL
  for (int a = 1; a < D; a++) {
    const Index   n     = L.g.stride[a];
    const Pair<T> upper = pair_at(L.z + m + n), lower = pair_at(L.z + m - n), up = pair_at(L.a[a] + m), down = pair_at(L.a[a] + m - n);
    for (int q = 0; q < 2; q++) change[q] += up.v[q] * (upper.v[q] - here.v[q]) + down.v[q] * (lower.v[q] - here.v[q]);
  }
  return {
    {reciprocal(e.v[0]) * s.v[0] - row_sum.v[0] * here.v[0] - change[0], reciprocal(e.v[1]) * s.v[1] - row_sum.v[1] * here.v[1] - change[1]}
  };
}

/* The cells of box (I, J, K) of level L: n[a] along axis a, from cell `first` on */
struct Box {
  Index n[3], first;
};

template <int D, class T> HEPTA_HD Box box_at(const Level<T> &L, const Level<T> &C, Index I, Index J, Index K)
{
  return {
    {box_cells(L, C, 0, I), D < 2 ? 1 : box_cells(L, C, 1, J), D < 3 ? 1 : box_cells(L, C, 2, K)},
    cell_index(L.g, I * L.g.box[0], J * L.g.box[1], K * L.g.box[2])
  };
}

/* The residual's sum over box (I, J, K) */
template <int D, int B, class T> HEPTA_HD void restrict_cell(const Level<T> &L, const Level<T> &C, Index I, Index J, Index K)
{
  constexpr Index b[3] = {B, D < 2 ? 1 : B, D < 3 ? 1 : B};
  const Box       box  = box_at<D>(L, C, I, J, K);
  const Index     at   = cell_index(C.g, I, J, K);
  T               sum  = 0;

  if (B && box.n[0] == b[0] && box.n[1] == b[1] && box.n[2] == b[2]) {
    HEPTA_DEVICE_UNROLL
    for (Index q = 0; q < b[1] * b[2]; q++) {
      const Pair<T> r = residuals<D>(L, box.first + cell_index(L.g, 0, q % b[1], q / b[1]));
      sum += r.v[0];
      sum += r.v[1];
    }
  } else {
    for (Index k = 0; k < box.n[2]; k++) {
      for (Index j = 0; j < box.n[1]; j++) {
        for (Index i = 0; i < box.n[0]; i++) sum += residual<D>(L, box.first + cell_index(L.g, i, j, k));
      }
    }
  }
  C.s[at] = C.e[at] * sum;
}

/* t <- z + weight times the box's solution, and s <- e (r - A t), in cell (i, j, k) */
template <int D, int B, bool SLAB, class T> HEPTA_HD void correct_cell(T weight, const Level<T> &L, const Level<T> &C, Index i, Index j, Index k)
{
  const Index m = cell_index(L.g, i, j, k), c[3] = {i, j, k};
  Index       box[3];
  Index       own = 0;

  HEPTA_DEVICE_UNROLL
  for (int a = 0; a < 3; a++) {
    box[a] = a >= D ? 0 : a + 1 == D ? box_of_plane<B, SLAB>(L, C, a, c[a]) : box_of<B>(L, C, a, c[a]);
    own += box[a] * C.g.stride[a];
  }
  const T *z = L.z, *y = C.z;
  const T  here   = z[m] + weight * y[own];
  const T  change = over_neighbors<D>(L, m, [&](Index q, int a, int side) {
    const Index x = c[a] + side, other = a + 1 == D ? box_of_plane<B, SLAB>(L, C, a, x) : x < 0 ? box[a] : box_of<B>(L, C, a, x); /* couplings beyond the ends of the grid are zero */
    return z[q] + weight * y[own + (other - box[a]) * C.g.stride[a]] - here;
  });
  L.t[m]          = here;
  L.s[m] -= L.e[m] * (L.row_sum[m] * here + change);
}

/* The same as correct_cell in the cells (2 p, j, k) and (2 p + 1, j, k) of boxes of two cells, which are in the same box; D > 1 */
template <int D, bool SLAB, class T> HEPTA_HD void correct_pair(T weight, const Level<T> &L, const Level<T> &C, Index p, Index j, Index k)
{
  const Index m = cell_index(L.g, 2 * p, j, k), c[3] = {p, j, k}, boxes = C.g.n[0];
  const T    *y       = C.z;
  const auto  in_line = [=](Index I) { return I < 0 ? 0 : I < boxes ? I : boxes - 1; };
  Index       box[3] = {in_line(p)}, own = box[0];

  HEPTA_DEVICE_UNROLL
  for (int a = 1; a < D; a++) {
    box[a] = a + 1 == D ? box_of_plane<2, SLAB>(L, C, a, c[a]) : box_of<2>(L, C, a, c[a]);
    own += box[a] * C.g.stride[a];
  }
  const T *z = L.z, correction = weight * y[own], before = z[m - 1] + weight * y[own + in_line(p - 1) - box[0]], after = z[m + 2] + weight * y[own + in_line(p + 1) - box[0]];
  Pair<T>  here = pair_at(z + m), s = pair_at(L.s + m);
  for (T &v : here.v) v += correction;
  const Pair<T> along     = pair_at(L.a[0] + m);
  T             change[2] = {along.v[0] * (here.v[1] - here.v[0]) + L.a[0][m - 1] * (before - here.v[0]), along.v[1] * (after - here.v[1]) + along.v[0] * (here.v[0] - here.v[1])};
  HEPTA_DEVICE_UNROLL
  for (int a = 1; a < D; a++) {
    const Index n = L.g.stride[a];
    T           t[2];
    HEPTA_DEVICE_UNROLL
    for (int side = 0; side < 2; side++) {
      const Index x = c[a] + (side ? -1 : 1), other = a + 1 == D ? box_of_plane<2, SLAB>(L, C, a, x) : x < 0 ? box[a] : box_of<2>(L, C, a, x);
      t[side] = weight * y[own + (other - box[a]) * C.g.stride[a]];
    }
    const Pair<T> upper = pair_at(z + m + n), lower = pair_at(z + m - n), up = pair_at(L.a[a] + m), down = pair_at(L.a[a] + m - n);
    for (int q = 0; q < 2; q++) change[q] += up.v[q] * (upper.v[q] + t[0] - here.v[q]) + down.v[q] * (lower.v[q] + t[1] - here.v[q]);
  }
  const Pair<T> e = pair_at(L.e + m), row_sum = pair_at(L.row_sum + m);
  for (int q = 0; q < 2; q++) s.v[q] -= e.v[q] * (row_sum.v[q] * here.v[q] + change[q]);
  if (2 * p + 1 == L.g.n[0]) { /* the second one is no cell */
    L.t[m] = here.v[0];
    L.s[m] = s.v[0];
    return;
  }
  *reinterpret_cast<Pair<T> *>(L.t + m) = here;
  *reinterpret_cast<Pair<T> *>(L.s + m) = s;
}

} // namespace hepta::cycle

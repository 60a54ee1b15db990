/* The arithmetic of the cycle over nested boxes, once, for host and device; D axes, boxes of B cells along each side (0: the sizes of the grid) */
#pragma once

#include <cmath>
#include <cstring>

#include "../../../shared/each.hxx"
#include "../../../shared/unroll.hxx"
#include "cycle_kernels.hxx"

namespace hepta::cycle
{

/* The bits of |a|, of which those of NaN are the largest */
HEPTA_HD std::uint64_t magnitude_bits(double a)
{
  std::uint64_t bits;

  memcpy(&bits, &a, sizeof(bits));
  return bits & 0x7fffffffffffffffULL;
}

/* The largest |e x| of this application, at least 1e-290 so that its reciprocal is finite; 0 if x is zero */
HEPTA_HD double largest_now(const Scales *s)
{
  double d;

  memcpy(&d, &s->largest, sizeof(d));
  return d > 0 && d < 1e-290 ? 1e-290 : d;
}

/* The factor of the right-hand side */
HEPTA_HD double input_factor(const Scales *s)
{
  const double largest = largest_now(s);

  return largest == 0 ? 0 : 1 / largest;
}

HEPTA_HD void take_largest(Scales *s)
{
  s->output  = largest_now(s) / s->diagonal;
  s->largest = 0;
}

/* Where a cell is in the arrays of a level, and its row in the matrix */
HEPTA_HD Index cell_index(const Grid &g, Index i, Index j, Index k)
{
  return i + g.stride[1] * j + g.stride[2] * k;
}

HEPTA_HD Index row(const Grid &g, Index i, Index j, Index k)
{
  return i + g.n[0] * (j + g.n[1] * k);
}

/* The index of a cell in a level's arrays by its row */
HEPTA_HD Index cell_index(const Grid &g, Index row)
{
  return cell_index(g, row % g.n[0], row / g.n[0] % g.n[1], row / g.n[0] / g.n[1]);
}

/* The sum of a_mq f(q) over the neighbors of cell m; f gets the axis and the side as well */
template <int D, class T, class F> HEPTA_HD T over_neighbors(const Level<T> &L, Index m, const F &f)
{
  T sum = 0;

  HEPTA_DEVICE_UNROLL
  for (int a = 0; a < D; a++) {
    const Index n = L.g.stride[a];
    sum += L.a[a][m] * f(m + n, a, 1) + L.a[a][m - n] * f(m - n, a, -1);
  }
  return sum;
}

/* 1/a, or zero if the cell has no unknown */
template <class T> HEPTA_HD T reciprocal(T a)
{
  const T y = 1 / (a > 0 ? a : T(1)); /* a division that compilers may execute for all cells, so that the loop can be vectorized */

  return a > 0 ? y : T(0);
}

/* (M r)_m; s is a function of the index of a cell, the axis and the side */
template <int D, class T, class F> HEPTA_HD T smooth_with(const Level<T> &L, Index m, T here, const F &s)
{
  T upper = 0;

  HEPTA_DEVICE_UNROLL
  for (int a = 0; a < D; a++) upper += L.a[a][m] * (L.a[a][m] * L.e[m + L.g.stride[a]]); /* the square of a coupling may be out of range */
  return here + L.e[m] * (upper * here - over_neighbors<D>(L, m, s));
}

template <int D, class T> HEPTA_HD T smooth(const Level<T> &L, Index m)
{
  const T *s = L.s;

  return smooth_with<D>(L, m, s[m], [=](Index q, int, int) { return s[q]; });
}

/* factor e x; 1 / e is in the range of T, so x factor is too, as |factor e x| <= 1. The one product in double is with a number that all cells have, as those and conversions are what a GPU has few units for. */
template <class T> HEPTA_HD T scaled_input(double factor, T e, Scalar x)
{
  return T(double(x) * factor) * e;
}

/* s <- factor e x, z <- M r in cell (i, j, k) of the first level, where s of the neighbors may not be computed yet */
template <int D, class T> HEPTA_HD void smooth_input_cell(const Level<T> &L, const Scalar *x, double factor, Index i, Index j, Index k)
{
  const Index m = cell_index(L.g, i, j, k), at = row(L.g, i, j, k), c[3] = {i, j, k}, step[3] = {1, L.g.n[0], L.g.n[0] * L.g.n[1]};
  const auto  s    = [&](Index q, Index r) { return scaled_input(factor, L.e[q], x[r]); };
  const T     here = s(m, at);

  L.s[m] = here;
  L.z[m] = smooth_with<D>(L, m, here, [&](Index q, int a, int side) { return c[a] + side < 0 || c[a] + side >= L.g.n[a] ? T(0) : s(q, at + side * step[a]); });
}

/* The number of cells of box I along axis a of level L. The last box also has the remaining cells, because corrections of smaller boxes would be too large. */
template <class T> HEPTA_HD Index box_cells(const Level<T> &L, const Level<T> &C, int a, Index I)
{
  return I + 1 < C.g.n[a] ? L.g.box[a] : L.g.n[a] - I * L.g.box[a];
}

/* The box of cell c along axis a */
template <int B, class T> HEPTA_HD Index box_of(const Level<T> &L, const Level<T> &C, int a, Index c)
{
  const Index I = c / (B ? B : L.g.box[a]);

  return I < C.g.n[a] ? I : C.g.n[a] - 1;
}

/* The same along the last axis, where c may also be beyond the ends of a grid, whose couplings are zero, or with SLAB be a plane of a neighbor. The boxes of the slab above begin with its first plane, the last box of the slab below ends with its last plane. */
template <int B, bool SLAB, class T> HEPTA_HD Index box_of_plane(const Level<T> &L, const Level<T> &C, int a, Index c)
{
  const Index own = SLAB ? c - L.g.below : c, planes = SLAB ? L.g.n[a] - L.g.below - L.g.above : L.g.n[a], side = B ? B : L.g.box[a];

  if (!SLAB) return own < 0 ? -1 : own == planes ? C.g.n[a] : box_of<B>(L, C, a, own);
  if (own >= planes) return C.g.n[a] + (own - planes) / side;
  if (own >= 0) return box_of<B>(L, C, a, own);
  return own + L.g.last_below >= 0 ? -1 : -2 - (-1 - own - L.g.last_below) / side;
}

/* r in a row of the matrix */
template <class T> HEPTA_HD double right_hand_side(const Level<T> &L, Index row)
{
  const Index m = cell_index(L.g, row);

  return double(L.s[m]) * reciprocal(L.e[m]);
}

/* Row e of the product with the last level's dense inverse, in entries f = first, first + step, ... */
template <class T> HEPTA_HD double dense_row(const Level<T> &L, std::size_t n, const double *inverse, std::size_t e, std::size_t first, std::size_t step)
{
  double sum = 0;

  for (std::size_t f = first; f < n; f += step) sum += inverse[e * n + f] * right_hand_side(L, Index(f));
  return sum;
}

/* r - A z in cell m */
template <int D, class T> HEPTA_HD T residual(const Level<T> &L, Index m)
{
  const T *z = L.z, here = z[m];

  return reciprocal(L.e[m]) * L.s[m] - L.row_sum[m] * here - over_neighbors<D>(L, m, [=](Index q, int, int) { return z[q] - here; });
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

/* The residual's sum over box (I, J, K) */
template <int D, int B, class T> HEPTA_HD void restrict_cell(const Level<T> &L, const Level<T> &C, Index I, Index J, Index K)
{
  constexpr Index b[3] = {B, D < 2 ? 1 : B, D < 3 ? 1 : B};
  const Index     n[3] = {box_cells(L, C, 0, I), D < 2 ? 1 : box_cells(L, C, 1, J), D < 3 ? 1 : box_cells(L, C, 2, K)};

  const Index m = cell_index(L.g, I * L.g.box[0], J * L.g.box[1], K * L.g.box[2]), at = cell_index(C.g, I, J, K);
  T           sum = 0;

  if (B && n[0] == b[0] && n[1] == b[1] && n[2] == b[2]) {
    HEPTA_DEVICE_UNROLL
    for (Index q = 0; q < b[1] * b[2]; q++) {
      const Pair<T> r = residuals<D>(L, m + cell_index(L.g, 0, q % b[1], q / b[1]));
      sum += r.v[0];
      sum += r.v[1];
    }
  } else {
    for (Index k = 0; k < n[2]; k++) {
      for (Index j = 0; j < n[1]; j++) {
        for (Index i = 0; i < n[0]; i++) sum += residual<D>(L, m + cell_index(L.g, i, j, k));
      }
    }
  }
  C.s[at] = C.e[at] * sum;
}

/* u <- 0 or u + t if asked for, z <- damping s, in cell m */
template <class T> HEPTA_HD void damp_cell(T damping, bool start, bool corrected, const Level<T> &L, Index m)
{
  const T kept = start ? T(0) : L.u[m];

  L.u[m] = corrected ? kept + L.t[m] : kept;
  L.z[m] = damping * L.s[m];
}

/* (A v)_m */
template <int D, class T> HEPTA_HD T product(const Level<T> &L, const T *v, Index m)
{
  const T here = v[m];

  return L.row_sum[m] * here + over_neighbors<D>(L, m, [=](Index q, int, int) { return v[q] - here; });
}

/* u <- u + z and s <- s - e A z in cell m */
template <int D, class T> HEPTA_HD void absorb_cell(const Level<T> &L, Index m)
{
  L.u[m] += L.z[m];
  L.s[m] -= L.e[m] * product<D>(L, L.z, m);
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

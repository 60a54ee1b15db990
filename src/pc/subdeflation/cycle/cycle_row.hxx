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

/* The power of two below the largest |e x| of this application, so that results do not depend on whether that was found or guessed, but at least 2^-964, so that its reciprocal is finite; 0 if x is zero, infinite if it is not finite */
HEPTA_HD double largest_now(const Scales *s)
{
  const std::uint64_t bits = s->largest & 0x7ff0000000000000ULL;
  double              d;

  memcpy(&d, &bits, sizeof(d));
  return s->largest && d < 0x1p-964 ? 0x1p-964 : d;
}

/* The factor of the right-hand side */
HEPTA_HD double input_factor(const Scales *s)
{
  const double largest = largest_now(s);

  return largest == 0 ? 0 : 1 / largest;
}

/*
   The largest |e x| from the product (x, y) of an earlier application to a similar x, such as a residual some iterations before. With r = e x / largest and the scaled matrix A, whose diagonal is one,
   (x, y) = largest^2 / diagonal (r, A^-1 r) nearly, and (r, A^-1 r) is between (r, r)/lambda_max and (r, r)/lambda_min. So the result differs from the largest |e x|, but by far less than the range of a float.
*/
HEPTA_HD void guess_largest(Scales *s, Scalar product)
{
  s->largest = magnitude_bits(std::sqrt(double(product < 0 ? -product : product)) * std::sqrt(s->diagonal));
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
template <int D, class T, class U, class F> HEPTA_HD T over_neighbors(const Level<T, U> &L, Index m, const F &f)
{
  T sum = 0;

  HEPTA_DEVICE_UNROLL
  for (int a = 0; a < D; a++) {
    const Index n = L.g.stride[a];
    sum += T(L.a[a][m]) * f(m + n, a, 1) + T(L.a[a][m - n]) * f(m - n, a, -1);
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

/* factor e x; e and 1 / e are far within the range of T, so factor x is in it too, as |factor e x| < 2, or not much larger where the factor is a guess. The one product in double is with a number that all cells have, as those and conversions are what a GPU has few units for. */
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
template <class T, class U> HEPTA_HD Index box_cells(const Level<T, U> &L, const Level<T, U> &C, int a, Index I)
{
  return I + 1 < C.g.n[a] ? L.g.box[a] : L.g.n[a] - I * L.g.box[a];
}

/* r in a row of the matrix */
template <class T, class U> HEPTA_HD double right_hand_side(const Level<T, U> &L, Index row)
{
  const Index m = cell_index(L.g, row);

  return double(L.s[m]) * reciprocal(L.e[m]);
}

/* Row e of the product with the last level's dense inverse, in entries f = first, first + step, ... */
template <class T, class U> HEPTA_HD double dense_row(const Level<T, U> &L, std::size_t n, const double *inverse, std::size_t e, std::size_t first, std::size_t step)
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

} // namespace hepta::cycle

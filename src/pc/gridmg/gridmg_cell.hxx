/*
   The cells of the levels of multigrid on boxes, for host and device: scales, places of cells and boxes, sums over neighbors; D
   axes
*/
#pragma once

#include <cmath>
#include <cstring>

#include "../../shared/each.hxx"
#include "../../shared/unroll.hxx"
#include "gridmg_level.hxx"

namespace hepta::gridmg
{

/*
   The power of two below the largest |e x| of this application: results do not depend on a found or guessed largest |e x|. At
   least 2^-964, for a finite reciprocal; 0 for x = 0; infinite for an x that is not finite
*/
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
   The largest |e x| from the product (x, y) of an earlier application to a similar x, such as a residual some iterations before.
   With r = e x / largest and the scaled matrix A, of unit diagonal, (x, y) = largest^2 / diagonal (r, A^-1 r) nearly, and (r,
   A^-1 r) is between (r, r)/lambda_max and (r, r)/lambda_min. The result differs from the largest |e x| by far less than the
   range of a float.
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
  const T y = 1 / (a > 0 ? a : T(1)); /* a division in all cells, so that compilers can vectorize the loop */

  return a > 0 ? y : T(0);
}

/*
   factor x, within the range of T: e and 1 / e are far within the range, and |factor e x| < 2, or not much larger for a guessed
   factor
*/
template <class T> HEPTA_HD T scaled_input(double factor, Scalar x)
{
  return T(double(x) * factor);
}

/* The number of cells of box I along axis a of level L. The last box also has the remaining cells, because corrections of smaller
   boxes would be too large. */
template <class T, class U> HEPTA_HD Index box_cells(const Level<T, U> &L, const Level<T, U> &C, int a, Index I)
{
  return I + 1 < C.g.n[a] ? L.g.box[a] : L.g.n[a] - I * L.g.box[a];
}

/* The box of cell c along axis a */
template <class T, class U> HEPTA_HD Index box_of(const Level<T, U> &L, const Level<T, U> &C, int a, Index c)
{
  const Index I = c / L.g.box[a];

  return I < C.g.n[a] ? I : C.g.n[a] - 1;
}

/*
   The box of plane c along the last axis of a slab; c may be a plane of a neighbor. The boxes of the slab above begin with its
   first plane, the last box of the slab below ends with its last plane.
*/
template <class T, class U> HEPTA_HD Index box_of_plane(const Level<T, U> &L, const Level<T, U> &C, int a, Index c)
{
  const Index own = c - L.g.below, planes = L.g.n[a] - L.g.below - L.g.above, side = L.g.box[a];

  if (own >= planes) {
    const Index I = (own - planes) / side;
    return C.g.n[a] + (I < L.g.boxes_above ? I : L.g.boxes_above - 1);
  }
  if (own >= 0) return box_of(L, C, a, own);
  return own + L.g.last_below >= 0 ? -1 : -2 - (-1 - own - L.g.last_below) / side;
}

/* Two adjacent cells, loaded and stored at once; the first cell has an even index */
template <class T> struct alignas(2 * sizeof(T)) Pair {
  T v[2];
};

template <class T> HEPTA_HD Pair<T> pair_at(const T *p)
{
  return *reinterpret_cast<const Pair<T> *>(p);
}

/* r in a row of the matrix, zero where the cell has no unknown */
template <class T, class U> HEPTA_HD double right_hand_side(const Level<T, U> &L, Index row)
{
  const Index m = cell_index(L.g, row);

  return L.e[m] > 0 ? double(L.s[m]) : 0;
}

/* Row e of the product with the last level's dense inverse, in entries f = first, first + step, ... */
template <class T, class U>
HEPTA_HD double dense_row(const Level<T, U> &L, std::size_t n, const double *inverse, std::size_t e, std::size_t first,
                          std::size_t step)
{
  double sum = 0;

  for (std::size_t f = first; f < n; f += step) sum += inverse[e * n + f] * right_hand_side(L, Index(f));
  return sum;
}

} // namespace hepta::gridmg

/* The arithmetic of the cycle over nested boxes, once, for host and device; D axes, boxes of B cells a side (0: as the grid says) */
#pragma once

#include <cmath>
#include <cstring>

#include "../../../shared/each.hxx"
#include "cycle_kernels.hxx"

/* A loop of a few constant steps */
#if defined(__CUDA_ARCH__)
  #define HEPTA_CYCLE_UNROLL _Pragma("unroll")
#else
  #define HEPTA_CYCLE_UNROLL
#endif

namespace hepta::cycle
{

/* The largest of an application that begins, once it has been found; the next begins with zero */
HEPTA_HD double largest_now(const Scales *s)
{
  double d;

  memcpy(&d, &s->gathered, sizeof(d));
  return d;
}

HEPTA_HD void take_largest(Scales *s)
{
  s->largest  = largest_now(s);
  s->gathered = 0;
}

/* Where a cell is in the arrays of a level, and its row in the matrix */
HEPTA_HD Index place(const Grid &g, Index i, Index j, Index k)
{
  return i + g.stride[1] * j + g.stride[2] * k;
}

HEPTA_HD Index row(const Grid &g, Index i, Index j, Index k)
{
  return i + g.n[0] * (j + g.n[1] * k);
}

/* The sum of u_mq x(q) over the neighbours of cell m; x is told the axis and the side as well */
template <int D, class T, class X> HEPTA_HD T coupled(const Level<T> &L, Index m, const X &x)
{
  T sum = 0;

  HEPTA_CYCLE_UNROLL
  for (int a = 0; a < D; a++) {
    const Index s = L.g.stride[a];
    sum += L.u[a][m] * x(m + s, a, 1) + L.u[a][m - s] * x(m - s, a, -1);
  }
  return sum;
}

/* (M x)_m */
template <int D, class T> HEPTA_HD T smooth(const Level<T> &L, Index m, const T *x)
{
  T diagonal = 1;

  HEPTA_CYCLE_UNROLL
  for (int a = 0; a < D; a++) diagonal += L.u[a][m] * L.u[a][m];
  return diagonal * x[m] - coupled<D>(L, m, [=](Index q, int, int) { return x[q]; });
}

/* the same for a cell by its row */
HEPTA_HD Index place_of(const Grid &g, Index row)
{
  return place(g, row % g.n[0], row / g.n[0] % g.n[1], row / g.n[0] / g.n[1]);
}

/* x / w, zero in a cell without an unknown */
template <class T> HEPTA_HD T over_w(T x, T w)
{
  return w > 0 ? x / w : T(0);
}

/* The entry on diagonal d, of offset o or, in half storage, -o; zero outside the matrix and where the matrix has no such diagonal */
template <class V> HEPTA_HD double entry(const bdia::View<V> &A, int d, Index i, Index o)
{
  if (d < 0 || i + o < 0 || i + o >= A.nbc) return 0;
  return A.v[std::size_t(d) * A.ld + (A.off[d] == o ? i : i + o)];
}

/* Are two entries that should be equal so but for rounding? */
HEPTA_HD bool differ(double a, double b)
{
  const double difference = a < b ? b - a : a - b;

  return difference > 1e-10 * ((a < 0 ? -a : a) + (b < 0 ? -b : b));
}

/* The finest level's cell (i, j, k) */
template <int D, class V, class T> HEPTA_HD void build_fine_cell(const bdia::View<V> &A, const Diagonals &d, bool scaled, const Level<T> &L, Scales *scales, Found *found, Index i, Index j, Index k)
{
  const Index  c[3] = {i, j, k}, at = row(L.g, i, j, k), m = place(L.g, i, j, k), step[3] = {1, L.g.n[0], L.g.n[0] * L.g.n[1]};
  const V     *diagonal = A.v + std::size_t(d.main) * A.ld;
  const double unit = 1 / double(diagonal[0]), a = diagonal[at];
  double       sum = a;

  if (!at) scales->diagonal = diagonal[0];
  if (!(a > 0)) note_first(&found->diagonal, at);
  HEPTA_CYCLE_UNROLL
  for (int x = 0; x < D; x++) {
    const double upper = entry(A, d.upper[x], at, step[x]), lower = entry(A, d.lower[x], at, -step[x]);
    const bool   last = c[x] + 1 == L.g.n[x];
    if ((last && upper != 0) || (!c[x] && lower != 0)) note_first(&found->wrapped, at);
    else if (!last && differ(upper, entry(A, d.lower[x], at + step[x], -step[x]))) note_first(&found->unsymmetric, at);
    sum += upper + lower;
    L.u[x][m] = T(last || !scaled ? (last ? 0 : upper * unit) : upper * unit / sqrt(a * unit * (diagonal[at + step[x]] * unit)));
  }
  if (!(sum - sum == 0)) note_first(&found->infinite, at);
  L.row_sum[m] = T((sum < 0 ? -sum : sum) <= 64 * 2.2e-16 * a ? 0 : sum * unit);
  L.w[m]       = T(sqrt(a * unit));
}

/* The diagonal entry of a box from its row sum and the couplings over its faces, which are zero to rounding if they are against `size` */
HEPTA_HD double box_diagonal(double row_sum, double faces, double size)
{
  const double e = row_sum - faces;

  return (e < 0 ? -e : e) <= 1e-12 * size ? 0 : e;
}

/* Along axis a of level L: how many cells box I has, and the box of cell c; the last has what is left over too, because a box of less than a side's cells is corrected too much */
template <class T> HEPTA_HD Index box_cells(const Level<T> &L, const Level<T> &C, int a, Index I)
{
  return I + 1 < C.g.n[a] ? L.g.box[a] : L.g.n[a] - I * L.g.box[a];
}

template <int B, class T> HEPTA_HD Index box_of(const Level<T> &L, const Level<T> &C, int a, Index c)
{
  const Index I = c / (B ? B : L.g.box[a]);

  return I < C.g.n[a] ? I : C.g.n[a] - 1;
}

/* Box (I, J, K) of level L as a cell of C */
template <int D, class T> HEPTA_HD void build_coarse_cell(const Level<T> &L, const Level<T> &C, Found *found, Index I, Index J, Index K)
{
  const Index C_m = place(C.g, I, J, K), first[3] = {I * L.g.box[0], J * L.g.box[1], K * L.g.box[2]};
  const Index n[3]     = {box_cells(L, C, 0, I), box_cells(L, C, 1, J), box_cells(L, C, 2, K)};
  double      upper[3] = {0, 0, 0}, lower = 0, sum = 0, size = 0;

  for (Index k = 0; k < n[2]; k++) {
    for (Index j = 0; j < n[1]; j++) {
      for (Index i = 0; i < n[0]; i++) {
        const Index  m = place(L.g, first[0] + i, first[1] + j, first[2] + k), c[3] = {i, j, k};
        const double w = L.w[m];
        sum += L.row_sum[m];
        size += w * w;
        HEPTA_CYCLE_UNROLL
        for (int a = 0; a < D; a++) {
          const Index s = L.g.stride[a];
          if (c[a] + 1 == n[a]) upper[a] += L.u[a][m] * w * L.w[m + s];
          if (!c[a]) lower += L.u[a][m - s] * w * L.w[m - s];
        }
      }
    }
  }
  double faces = lower;
  HEPTA_CYCLE_UNROLL
  for (int a = 0; a < D; a++) {
    C.u[a][C_m] = T(upper[a]);
    faces += upper[a];
  }
  const double e = box_diagonal(sum, faces, size);
  if (e < 0) note_first(&found->indefinite, row(C.g, I, J, K));
  C.row_sum[C_m] = T(sum);
  C.w[C_m]       = T(e > 0 ? sqrt(e) : 0);
}

template <int D, class T> HEPTA_HD void scale_couplings_cell(const Level<T> &C, Index m)
{
  HEPTA_CYCLE_UNROLL
  for (int a = 0; a < D; a++) {
    const T w = C.w[m] * C.w[m + C.g.stride[a]];
    C.u[a][m] = over_w(C.u[a][m], w);
  }
}

/* w (r - A z), the residual of cell m itself */
template <int D, class T> HEPTA_HD T residual(const Level<T> &L, Index m)
{
  const T *z = L.z;

  return L.w[m] * (L.r[m] - z[m] - coupled<D>(L, m, [=](Index q, int, int) { return z[q]; }));
}

/* The residual's sum over box (I, J, K) */
template <int D, int B, class T> HEPTA_HD void restrict_cell(const Level<T> &L, const Level<T> &C, Index I, Index J, Index K)
{
  constexpr Index b[3] = {B, D < 2 ? 1 : B, D < 3 ? 1 : B};
  const Index     n[3] = {box_cells(L, C, 0, I), D < 2 ? 1 : box_cells(L, C, 1, J), D < 3 ? 1 : box_cells(L, C, 2, K)};
      const Index m = place(L.g, I * L.g.box[0], J * L.g.box[1], K * L.g.box[2]), at = place(C.g, I, J, K);
  T               sum = 0;

  if (B && n[0] == b[0] && n[1] == b[1] && n[2] == b[2]) {
    HEPTA_CYCLE_UNROLL
    for (Index q = 0; q < b[0] * b[1] * b[2]; q++) sum += residual<D>(L, m + place(L.g, q % b[0], q / b[0] % b[1], q / b[0] / b[1]));
  } else {
    for (Index k = 0; k < n[2]; k++) {
      for (Index j = 0; j < n[1]; j++) {
        for (Index i = 0; i < n[0]; i++) sum += residual<D>(L, m + place(L.g, i, j, k));
      }
    }
  }
  C.r[at] = over_w(sum, C.w[at]);
}

/* t <- z + weight times the box's solution, and r <- r - A t, in cell (i, j, k) */
template <int D, int B, class T> HEPTA_HD void correct_cell(T weight, const Level<T> &L, const Level<T> &C, Index i, Index j, Index k)
{
  const Index m = place(L.g, i, j, k), c[3] = {i, j, k};
  Index       box[3], own                   = 0;

  HEPTA_CYCLE_UNROLL
  for (int a = 0; a < 3; a++) {
    box[a] = a >= D ? 0 : box_of<B>(L, C, a, c[a]);
    own += box[a] * C.g.stride[a];
  }
  const T *z = L.z, *w = L.w, *y = C.z;
  const T  here  = z[m] + weight * w[m] * y[own];
  const T  there = coupled<D>(L, m, [&](Index q, int a, int side) {
    const Index x = c[a] + side, other = x < 0 ? box[a] : box_of<B>(L, C, a, x);
    return z[q] + weight * w[q] * y[own + (other - box[a]) * C.g.stride[a]];
  });
  L.t[m]         = here;
  L.r[m] -= here + there;
}

} // namespace hepta::cycle

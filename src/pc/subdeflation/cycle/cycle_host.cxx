/* The cycle over nested boxes on the host */
#include <cstring>
#include <vector>

#include "../../../shared/clones.hxx"
#include "cycle_launch.hxx"

namespace hepta::cycle
{

/* Calls f(m, row) with the index in arrays and the row of each cell, line by line */
template <class F> HEPTA_HD void lines(const Grid &g, const F &f)
{
  for (Index k = 0; k < g.n[2]; k++) {
    for (Index j = 0; j < g.n[1]; j++) {
      const Index first = cell_index(g, 0, j, k), first_row = row(g, 0, j, k);
#pragma GCC ivdep
      for (Index i = 0; i < g.n[0]; i++) f(first + i, first_row + i);
    }
  }
}

template <class F> Status each_cell(const HostEach &, const Grid &g, const int *, const F &f)
{
  for (Index k = 0; k < g.n[2]; k++) {
    for (Index j = 0; j < g.n[1]; j++) {
#pragma GCC ivdep
      for (Index i = 0; i < g.n[0]; i++) f(i, j, k);
    }
  }
  return nullptr;
}

/* The level for passes over its vectors alone */
template <class T, class U> static Level<T> without_couplings(const Level<T, U> &L)
{
  return {L.g, L.stop, {}, L.e, L.row_sum, L.s, L.z, L.t, L.u, L.beside};
}

/* The passes that read x or write y */
#define HEPTA_CYCLE_ENDS(T) \
  HEPTA_CLONES static std::uint64_t largest_loop(const Level<T> &level, const Scalar *x) \
  { \
    const Level<T> L       = level; \
    std::uint64_t  largest = 0; \
    lines(L.g, [=, &largest](Index m, Index i) { \
      const std::uint64_t bits = magnitude_bits(double(x[i]) * L.e[m]); \
      largest                  = bits > largest ? bits : largest; \
    }); \
    return largest; \
  } \
  HEPTA_CLONES static void scale_loop(const Level<T> &level, const Scalar *x, double factor) \
  { \
    const Level<T> L = level; \
    lines(L.g, [=](Index m, Index i) { L.s[m] = scaled_input(factor, L.e[m], x[i]); }); \
  } \
  HEPTA_CLONES static void unscale_loop(const Level<T> &level, double scale, Scalar *y) \
  { \
    const Level<T> L = level; \
    lines(L.g, [=](Index m, Index i) { y[i] = Scalar(L.z[m] * scale); }); \
  }
HEPTA_CYCLE_ENDS(float)
HEPTA_CYCLE_ENDS(double)
#undef HEPTA_CYCLE_ENDS

/* Calls f(cells, box) with the indices at which each line of cells and its line of boxes begin */
template <class T, class F> HEPTA_HD void box_lines(const Level<T> &L, const Level<T> &C, const F &f)
{
  for (Index k = 0; k < L.g.n[2]; k++) {
    for (Index j = 0; j < L.g.n[1]; j++) f(cell_index(L.g, 0, j, k), cell_index(C.g, 0, box_of<0>(L, C, 1, j), box_of<0>(L, C, 2, k)));
  }
}

/* The transfers to and from boxes; for boxes of two cells a loop takes pairs of cells */
#define HEPTA_CYCLE_TRANSFERS(T) \
  HEPTA_CLONES static void sum_loop(const Level<T> &level, const Level<T> &coarse) \
  { \
    const Level<T> L = level, C = coarse; \
    lines(C.g, [=](Index m, Index) { C.s[m] = 0; }); \
    box_lines(L, C, [=](Index cells, Index box) { \
      const T    *t = L.t + cells; \
      T          *s = C.s + box; \
      const Index n = L.g.box[0] == 2 ? C.g.n[0] : 0; \
      for (Index I = 0; I < n; I++) s[I] += t[2 * I] + t[2 * I + 1]; \
      for (Index i = 2 * n; i < L.g.n[0]; i++) s[box_of<0>(L, C, 0, i)] += t[i]; \
    }); \
    lines(C.g, [=](Index m, Index) { C.s[m] *= C.e[m]; }); \
  } \
  HEPTA_CLONES static void prolong_loop(T weight, const Level<T> &level, const Level<T> &coarse) \
  { \
    const Level<T> L = level, C = coarse; \
    box_lines(L, C, [=](Index cells, Index box) { \
      const T    *z = L.z + cells, *y = C.z + box; \
      T          *t = L.t + cells; \
      const Index n = L.g.box[0] == 2 ? C.g.n[0] : 0; \
      _Pragma("GCC ivdep") for (Index I = 0; I < n; I++) \
      { \
        t[2 * I]     = z[2 * I] + weight * y[I]; \
        t[2 * I + 1] = z[2 * I + 1] + weight * y[I]; \
      } \
      for (Index i = 2 * n; i < L.g.n[0]; i++) t[i] = z[i] + weight * y[box_of<0>(L, C, 0, i)]; \
    }); \
  }
HEPTA_CYCLE_TRANSFERS(float)
HEPTA_CYCLE_TRANSFERS(double)
#undef HEPTA_CYCLE_TRANSFERS

/* The passes with a product, which are compiled for several instruction sets. Box sums and corrections are loops of their own, after or before these, so that each grid line is one loop that can be vectorized. */
#define HEPTA_CYCLE_LOOP(NAME, D, T, ...) \
  HEPTA_CLONES static Status NAME(const HostEach &, Axes<D>, const Level<T> &level) \
  { \
    const Level<T> L = level; \
    lines(L.g, [=](Index m, Index) { __VA_ARGS__; }); \
    return nullptr; \
  }
#define HEPTA_CYCLE_LOOPS(D, T) \
  HEPTA_CYCLE_LOOP(smooth_first, D, T, L.z[m] = smooth<D>(L, m)) \
  HEPTA_CYCLE_LOOP(residual, D, T, L.t[m] = residual<D>(L, m)) \
  HEPTA_CYCLE_LOOP(subtract, D, T, L.s[m] -= L.e[m] * product<D>(L, L.t, m)) \
  HEPTA_CYCLE_LOOP(absorb, D, T, absorb_cell<D>(L, m)) \
  HEPTA_CYCLE_LOOP(smooth_last, D, T, L.z[m] = L.t[m] + smooth<D>(L, m))
HEPTA_CYCLE_LOOPS(1, float)
HEPTA_CYCLE_LOOPS(2, float)
HEPTA_CYCLE_LOOPS(3, float)
HEPTA_CYCLE_LOOPS(1, double)
HEPTA_CYCLE_LOOPS(2, double)
HEPTA_CYCLE_LOOPS(3, double)
#undef HEPTA_CYCLE_LOOPS
#undef HEPTA_CYCLE_LOOP

template <class T, class U> Status find_largest_host(const Level<T, U> &L, const Scalar *x, Scales *scales)
{
  scales->largest = largest_loop(without_couplings(L), x);
  return nullptr;
}

template <class T> Status smooth_input_host(int D, const Level<T> &L, const Scalar *x, const Scales *scales)
{
  (void)scale_input_host(L, x, scales);
  return smooth_first(HostEach(), D, L);
}

template <class T, class U> Status scale_input_host(const Level<T, U> &L, const Scalar *x, const Scales *scales)
{
  scale_loop(without_couplings(L), x, input_factor(scales));
  return nullptr;
}

template <class T> Status restrict_residual_host(int D, const Level<T> &L, const Level<T> &C, Scales *scales)
{
  if (scales) take_largest(scales);
  (void)by_axes(D, [&](auto axes) { return residual(HostEach(), axes, L); });
  sum_loop(L, C);
  return nullptr;
}

template <class T, class U> Status solve_last_host(const Level<T, U> &L, std::size_t n, const double *inverse, Scales *scales)
{
  std::vector<double> sum(n); /* summed over columns of the inverse, which is symmetric */

  for (std::size_t f = 0; f < n; f++) {
    const double r = right_hand_side(L, Index(f));
    for (std::size_t e = 0; e < n; e++) sum[e] += inverse[f * n + e] * r;
  }
  for (std::size_t e = 0; e < n; e++) L.z[cell_index(L.g, Index(e))] = T(sum[e]);
  if (scales) take_largest(scales);
  return nullptr;
}

/* A slab without the planes of its neighbors */
template <class T> static Level<T> own_planes(int D, const Level<T> &L)
{
  Level<T> own = from_cell(L, L.g.below * L.g.stride[D - 1]);

  own.g.n[D - 1] -= L.g.below + L.g.above;
  own.g.below = own.g.above = 0;
  return own;
}

/* t <- z + weight times C.z, prolonged, in the planes of the neighbors, also in those just beyond the ends of L, which the products there read */
template <class T> static void prolong_beyond(int D, T weight, const Level<T> &L, const Level<T> &C)
{
  const int   axis = D - 1;
  const Index n0 = D > 1 ? L.g.n[0] : 1, n1 = D > 2 ? L.g.n[1] : 1;

  for (Index c = -1; c <= L.g.n[axis]; c++) {
    if (c == L.g.below) c = L.g.n[axis] - L.g.above;
    const Index cells = c * L.g.stride[axis], boxes = box_of_plane<0, true>(L, C, axis, c) * C.g.stride[axis];
    for (Index j = 0; j < n1; j++) {
      for (Index i = 0; i < n0; i++) {
        const Index m = cells + i + (D > 2 ? j * L.g.stride[1] : 0), box = boxes + (D > 1 ? box_of<0>(L, C, 0, i) : 0) + (D > 2 ? box_of<0>(L, C, 1, j) * C.g.stride[1] : 0);
        L.t[m] = L.z[m] + weight * C.z[box];
      }
    }
  }
}

template <class T> Status correct_host(int D, T weight, const Level<T> &L, const Level<T> &C)
{
  prolong_loop(weight, own_planes(D, L), C);
  if (L.g.slab && L.g.n[D - 1]) prolong_beyond(D, weight, L, C);
  return by_axes(D, [&](auto axes) { return subtract(HostEach(), axes, L); });
}

template <class T> Status finish_host(int D, const Level<T> &L, const Scales *scales, Scalar *y)
{
  (void)smooth_last(HostEach(), D, L);
  return finish_dense_host(L, scales, y);
}

template <class T, class U> Status finish_dense_host(const Level<T, U> &L, const Scales *scales, Scalar *y)
{
  unscale_loop(without_couplings(L), scales->output, y);
  return nullptr;
}

/* Steps of Gauss-Jordan elimination in a symmetric matrix, in place */
HEPTA_CLONES static void eliminate_loop(std::size_t N, std::size_t first, double *E, Found *found)
{
  for (std::size_t p = first; p < first + DENSE_TILE; p++) {
    const double inverse = inverse_pivot(E[p * N + p], found, p);
    for (std::size_t i = 0; i < N; i++) {
      const double f = E[i * N + p] * inverse;
      if (i == p || f == 0) continue;
      for (std::size_t j = 0; j < N; j++) E[i * N + j] -= f * E[p * N + j];
      E[i * N + p] = f;
    }
    for (std::size_t j = 0; j < N; j++) E[p * N + j] *= inverse;
    E[p * N + p] = -inverse;
  }
}

template <class V> Status strengths_host(const bdia::View<V> &A, const Diagonals &d, Index step, double *sum)
{
  for (int a = 0; a < 3; a++) {
    sum[a] = 0;
    for (std::size_t i = 0; i < std::size_t(A.nbr); i += std::size_t(step)) sum[a] += strength(A, d, a, Index(i));
  }
  return nullptr;
}

template <class T, class U> Status find_null_host(int D, const Level<T, U> &L, std::size_t N, double *null)
{
  const std::size_t n = std::size_t(L.g.n[0]) * L.g.n[1] * L.g.n[2];
  double           *d = null + N, *component = null + 2 * N;
  bool              joined = true;

  for (std::size_t q = 0; q < N; q++) component[q] = q < n ? own_component(L, Index(q)) : -1;
  for (std::size_t q = 0; q < n; q++) d[q] = last_diagonal(D, L, cell_index(L.g, Index(q)));
  while (joined) {
    joined = false;
    for (std::size_t q = 0; q < n; q++) joined = join(D, L, Index(q), component) || joined;
  }
  for (std::size_t q = 0; q < N; q++) null[q] = null_entry(Index(n), Index(q), d, component);
  return nullptr;
}

Status eliminate_host(std::size_t N, std::size_t first, const double *from, double *to, Found *found)
{
  std::memcpy(to, from, N * N * sizeof(double));
  eliminate_loop(N, first, to, found);
  return nullptr;
}

#define HEPTA_CYCLE_OF(T) \
  template Status smooth_input_host(int, const Level<T> &, const Scalar *, const Scales *); \
  template Status restrict_residual_host(int, const Level<T> &, const Level<T> &, Scales *); \
  template Status correct_host(int, T, const Level<T> &, const Level<T> &); \
  template Status finish_host(int, const Level<T> &, const Scales *, Scalar *);
HEPTA_CYCLE_OF(double)
HEPTA_CYCLE_OF(float)
template Status strengths_host(const bdia::View<double> &, const Diagonals &, Index, double *);
template Status strengths_host(const bdia::View<float> &, const Diagonals &, Index, double *);
#define HEPTA_CYCLE_ENDS(T, U) \
  template Status find_largest_host(const Level<T, U> &, const Scalar *, Scales *); \
  template Status scale_input_host(const Level<T, U> &, const Scalar *, const Scales *); \
  template Status solve_last_host(const Level<T, U> &, std::size_t, const double *, Scales *); \
  template Status finish_dense_host(const Level<T, U> &, const Scales *, Scalar *); \
  template Status find_null_host(int, const Level<T, U> &, std::size_t, double *);
HEPTA_CYCLE_ENDS(double, double)
HEPTA_CYCLE_ENDS(float, float)
HEPTA_CYCLE_ENDS(float, Bf16)
HEPTA_CYCLE_LAUNCHERS(HostEach)

} // namespace hepta::cycle

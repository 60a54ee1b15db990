/* The ends of set-ups and applications on the host */
#include <cstring>
#include <vector>

#include "../../shared/clones.hxx"
#include "gridmg_launch.hxx"

namespace hepta::gridmg
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

/* The passes that read x or write y */
#define HEPTA_GRIDMG_ENDS(T) \
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
    lines(L.g, [=](Index m, Index i) { L.s[m] = scaled_input<T>(factor, x[i]); }); \
  } \
  HEPTA_CLONES static void unscale_loop(const Level<T> &level, double scale, Scalar *y) \
  { \
    const Level<T> L = level; \
    lines(L.g, [=](Index m, Index i) { y[i] = Scalar(L.z[m] * scale); }); \
  }
HEPTA_GRIDMG_ENDS(float)
HEPTA_GRIDMG_ENDS(double)
#undef HEPTA_GRIDMG_ENDS

template <class T, class U> Status find_largest_host(const Level<T, U> &L, const Scalar *x, Scales *scales)
{
  scales->largest = largest_loop(without_couplings(L), x);
  return nullptr;
}

template <class T, class U> Status scale_input_host(const Level<T, U> &L, const Scalar *x, const Scales *scales)
{
  scale_loop(without_couplings(L), x, input_factor(scales));
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
  bool              changed = true;

  for (std::size_t q = 0; q < N; q++) component[q] = q < n ? own_component(L, Index(q)) : -1;
  for (std::size_t q = 0; q < n; q++) d[q] = last_diagonal(D, L, cell_index(L.g, Index(q)));
  while (changed) {
    changed = false;
    for (std::size_t q = 0; q < n; q++) {
      const double now = joined(D, L, Index(q), component);
      changed          = changed || now < component[q];
      component[q]     = now;
    }
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

HEPTA_INSTANCES(strengths_host)
HEPTA_LEVELS(find_largest_host)
HEPTA_LEVELS(scale_input_host)
HEPTA_LEVELS(solve_last_host)
HEPTA_LEVELS(finish_dense_host)
HEPTA_LEVELS(find_null_host)
HEPTA_GRIDMG_LAUNCHERS

} // namespace hepta::gridmg

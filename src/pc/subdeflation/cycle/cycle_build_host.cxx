/* The set-up of the cycle over nested boxes on the host */
#include <cstring>

#include "../../../shared/clones.hxx"
#include "cycle_launch.hxx"

namespace hepta::cycle
{

struct HostCells {
  template <class F> Status operator()(const Grid &g, const int *, const F &f) const
  {
    for (Index k = 0; k < g.n[2]; k++) {
      for (Index j = 0; j < g.n[1]; j++) {
#pragma GCC ivdep
        for (Index i = 0; i < g.n[0]; i++) f(i, j, k);
      }
    }
    return nullptr;
  }
};

HEPTA_CLONES static void eliminate_loop(std::size_t N, std::size_t first, double *E)
{
  for (std::size_t p = first; p < first + DENSE_TILE; p++) eliminate_one(N, p, E);
}

template <class V> Status strengths_host(const bdia::View<V> &A, const Diagonals &d, Index step, double *sum)
{
  for (int a = 0; a < 3; a++) {
    sum[a] = 0;
    for (std::size_t i = 0; i < std::size_t(A.nbr); i += std::size_t(step)) sum[a] += strength(A, d, a, Index(i));
  }
  return nullptr;
}

template <class V, class T> Status build_fine_host(int D, const bdia::View<V> &A, const Diagonals &d, const Level<T> &L, const double *border, Scales *scales, Found *found)
{
  return by_axes(D, [&](auto axes) { return build_fine<axes>(HostCells(), A, d, L, border, scales, found); });
}

template <class V> Status read_scale_host(const bdia::View<V> &A, const Diagonals &d, Scales *scales)
{
  return read_scale(HostEach(), A, d, scales);
}

template <class V> Status read_border_host(int D, const blocked::GhostView<V> &B, const Grid &g, const Index *column, double *border, Found *found)
{
  return by_axes(D, [&](auto axes) { return read_border<axes>(HostEach(), B, g, column, border, found); });
}

template <class T> Status build_coarse_host(int D, const Level<T> &L, const Level<T> &C, Found *found)
{
  return by_axes(D, [&](auto axes) { return build_coarse<axes>(HostCells(), L, C, found); });
}

template <class T> Status find_null_host(int D, const Level<T> &L, std::size_t N, double *null)
{
  const std::size_t n    = std::size_t(L.g.n[0]) * L.g.n[1] * L.g.n[2];
  double            sum  = 0;
  bool              zero = true;

  for (std::size_t q = 0; q < n; q++) {
    const Index m = cell_index(L.g, Index(q));
    zero          = zero && L.row_sum[m] == 0;
    sum += last_diagonal(D, L, m);
  }
  for (std::size_t q = 0; q < N; q++) null[q] = zero && q < n ? null_entry(D, L, Index(q), sum) : 0;
  return nullptr;
}

template <class T> Status fill_dense_host(int D, const Level<T> &L, std::size_t N, const double *null, double *E)
{
  return fill_dense(HostEach(), D, L, N, null, E);
}

Status eliminate_host(std::size_t N, std::size_t first, const double *from, double *to)
{
  std::memcpy(to, from, N * N * sizeof(double));
  eliminate_loop(N, first, to);
  return nullptr;
}

template <class T> Status take_inverse_host(const Level<T> &L, std::size_t n, std::size_t N, const double *E, double *B)
{
  return take_inverse(HostEach(), L, n, N, E, B);
}

template Status strengths_host(const bdia::View<double> &, const Diagonals &, Index, double *);
template Status strengths_host(const bdia::View<float> &, const Diagonals &, Index, double *);
#define HEPTA_CYCLE_FROM(V) \
  template Status read_scale_host(const bdia::View<V> &, const Diagonals &, Scales *); \
  template Status read_border_host(int, const blocked::GhostView<V> &, const Grid &, const Index *, double *, Found *);
HEPTA_CYCLE_FROM(double)
HEPTA_CYCLE_FROM(float)
#define HEPTA_CYCLE_OF(T) \
  template Status build_fine_host(int, const bdia::View<double> &, const Diagonals &, const Level<T> &, const double *, Scales *, Found *); \
  template Status build_fine_host(int, const bdia::View<float> &, const Diagonals &, const Level<T> &, const double *, Scales *, Found *); \
  template Status build_coarse_host(int, const Level<T> &, const Level<T> &, Found *); \
  template Status find_null_host(int, const Level<T> &, std::size_t, double *); \
  template Status fill_dense_host(int, const Level<T> &, std::size_t, const double *, double *); \
  template Status take_inverse_host(const Level<T> &, std::size_t, std::size_t, const double *, double *);
HEPTA_CYCLE_OF(double)
HEPTA_CYCLE_OF(float)

} // namespace hepta::cycle

/* The set-up of the cycle over nested boxes on the host */
#include <cstring>

#include "../../../shared/clones.hxx"
#include "cycle_launch.hxx"

namespace hepta::cycle
{

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

Status eliminate_host(std::size_t N, std::size_t first, const double *from, double *to)
{
  std::memcpy(to, from, N * N * sizeof(double));
  eliminate_loop(N, first, to);
  return nullptr;
}

template Status strengths_host(const bdia::View<double> &, const Diagonals &, Index, double *);
template Status strengths_host(const bdia::View<float> &, const Diagonals &, Index, double *);
template Status find_null_host(int, const Level<double> &, std::size_t, double *);
template Status find_null_host(int, const Level<float> &, std::size_t, double *);
HEPTA_CYCLE_SETUP(HostEach)

} // namespace hepta::cycle

/* The cycle over nested boxes on the host */
#include <cstring>

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

template <class V, class T> Status build_fine_host(int D, const bdia::View<V> &A, const Diagonals &d, bool scaled, const Level<T> &L, Scales *scales, Found *found)
{
  return by_axes(D, [&](auto axes) { return build_fine<axes>(HostCells(), A, d, scaled, L, scales, found); });
}

template <class T> Status build_coarse_host(int D, const Level<T> &L, const Level<T> &C, Found *found)
{
  return by_axes(D, [&](auto axes) { return build_coarse<axes>(HostCells(), L, C, found); });
}

template <class T> Status scale_couplings_host(int D, const Level<T> &C)
{
  return by_axes(D, [&](auto axes) { return scale_couplings<axes>(HostCells(), C); });
}

template <class T> Status find_null_host(int D, const Level<T> &L, std::size_t N, double *null)
{
  return find_null(HostEach(), D, L, N, null);
}

template <class T> Status fill_dense_host(int D, const Level<T> &L, std::size_t N, const double *null, double *E)
{
  return fill_dense(HostEach(), D, L, N, null, E);
}

Status eliminate_host(std::size_t N, std::size_t first, const double *from, double *to)
{
  std::memcpy(to, from, N * N * sizeof(double));
  for (std::size_t p = first; p < first + DENSE_TILE; p++) eliminate_one(N, p, to);
  return nullptr;
}

Status take_inverse_host(std::size_t n, std::size_t N, const double *E, double *B)
{
  return take_inverse(HostEach(), n, N, E, B);
}

template <class T> Status find_largest_host(const Level<T> &L, const Scalar *x, Scales *scales)
{
  double largest = 0;

  (void)HostCells()(L.g, nullptr, [&](Index i, Index j, Index k) {
    const double a = std::fabs(double(x[row(L.g, i, j, k)]) / L.w[place(L.g, i, j, k)]);
    if (!(a <= largest)) largest = a; /* NaN too */
  });
  std::memcpy(&scales->gathered, &largest, sizeof(largest));
  return nullptr;
}

template <class T> Status scale_input_host(const Level<T> &L, const Scalar *x, const Scales *scales)
{
  return scale_input(HostCells(), L, x, scales);
}

template <class T> Status smooth_first_host(int D, const Level<T> &L, Scales *scales)
{
  return by_axes(D, [&](auto axes) { return smooth_first<axes>(HostCells(), L, scales); });
}

template <class T> Status restrict_residual_host(int D, const Level<T> &L, const Level<T> &C)
{
  return by_boxes(D, L.g, [&](auto axes, auto side) { return restrict_residual<axes, side>(HostCells(), L, C); });
}

template <class T> Status solve_last_host(const Level<T> &L, std::size_t n, const double *inverse, Scales *scales)
{
  for (std::size_t e = 0; e < n; e++) {
    const Index m = place_of(L.g, Index(e));
    L.z[m]        = over_w(T(dense_row(L, n, inverse, e, 0, 1)), L.w[m]);
  }
  if (scales) take_largest(scales);
  return nullptr;
}

template <class T> Status correct_host(int D, T weight, const Level<T> &L, const Level<T> &C)
{
  return by_boxes(D, L.g, [&](auto axes, auto side) { return correct<axes, side>(HostCells(), weight, L, C); });
}

template <class T> Status smooth_last_host(int D, const Level<T> &L)
{
  return by_axes(D, [&](auto axes) { return smooth_last<axes>(HostCells(), L); });
}

template <class T> Status finish_host(int D, const Level<T> &L, const Scales *scales, Scalar *y)
{
  return by_axes(D, [&](auto axes) { return finish<axes>(HostCells(), L, scales, y); });
}

template <class T> Status finish_dense_host(const Level<T> &L, const Scales *scales, Scalar *y)
{
  return finish_dense(HostCells(), L, scales, y);
}

#define HEPTA_CYCLE_OF(T) \
  template Status build_fine_host(int, const bdia::View<double> &, const Diagonals &, bool, const Level<T> &, Scales *, Found *); \
  template Status build_fine_host(int, const bdia::View<float> &, const Diagonals &, bool, const Level<T> &, Scales *, Found *); \
  template Status build_coarse_host(int, const Level<T> &, const Level<T> &, Found *); \
  template Status scale_couplings_host(int, const Level<T> &); \
  template Status find_null_host(int, const Level<T> &, std::size_t, double *); \
  template Status fill_dense_host(int, const Level<T> &, std::size_t, const double *, double *); \
  template Status find_largest_host(const Level<T> &, const Scalar *, Scales *); \
  template Status scale_input_host(const Level<T> &, const Scalar *, const Scales *); \
  template Status smooth_first_host(int, const Level<T> &, Scales *); \
  template Status restrict_residual_host(int, const Level<T> &, const Level<T> &); \
  template Status solve_last_host(const Level<T> &, std::size_t, const double *, Scales *); \
  template Status correct_host(int, T, const Level<T> &, const Level<T> &); \
  template Status smooth_last_host(int, const Level<T> &); \
  template Status finish_host(int, const Level<T> &, const Scales *, Scalar *); \
  template Status finish_dense_host(const Level<T> &, const Scales *, Scalar *);
HEPTA_CYCLE_OF(double)
HEPTA_CYCLE_OF(float)

} // namespace hepta::cycle

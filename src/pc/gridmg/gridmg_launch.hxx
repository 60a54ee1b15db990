/*
   The launchers of gridmg_level.hxx for host and device, and for the device alone; the argument `cells` calls f as each_cell()
   does
*/
#pragma once

#include <type_traits>

#include "gridmg_build.hxx"

namespace hepta::gridmg
{

/* The number of axes as a constant */
template <int D> using Axes = std::integral_constant<int, D>;

/* Calls f with the number of axes as a constant */
template <class F> Status by_axes(int D, F f)
{
  return D == 1 ? f(Axes<1>()) : D == 2 ? f(Axes<2>()) : f(Axes<3>());
}

/* Calls f(i, j, k) for every cell of a grid unless *stop; implemented apart for host and device */
template <class F> Status each_cell(const HostEach &, const Grid &g, const int *stop, const F &f);
template <class F> Status each_cell(const DeviceEach &, const Grid &g, const int *stop, const F &f);

template <int D, class E, class V, class T, class U>
Status build_fine(const E &each, const bdia::View<V> &A, const Diagonals &d, const Level<T, U> &L, const FloatMatrix &M,
                  const double *border, Scales *scales, Found *found)
{
  if (border) {
    return each_cell(each, L.g, nullptr, [=] HEPTA_LAMBDA(Index i, Index j, Index k) {
      build_fine_cell<D, true>(A, d, L, M, border, scales, found, i, j, k);
    });
  }
  return each_cell(each, L.g, nullptr, [=] HEPTA_LAMBDA(Index i, Index j, Index k) {
    build_fine_cell<D, false>(A, d, L, M, border, scales, found, i, j, k);
  });
}

template <class E, class V, class T, class U>
Status build_fine(const E &each, const bdia::View<V> &A, int D, const Diagonals &d, const Level<T, U> &L, const FloatMatrix &M,
                  const double *border, Scales *scales, Found *found)
{
  return by_axes(D, [&](auto axes) { return build_fine<axes>(each, A, d, L, M, border, scales, found); });
}

template <int D, class E, class V>
Status read_border(const E &each, const blocked::GhostView<V> &B, const Grid &g, const Index *column, double *border,
                   Found *found)
{
  return each(std::size_t(B.blocks),
              [=] HEPTA_LAMBDA(std::size_t q) { read_border_entry<D>(B, g, column, border, found, Index(q)); });
}

template <class E, class V>
Status read_border(const E &each, const blocked::GhostView<V> &B, int D, const Grid &g, const Index *column, double *border,
                   Found *found)
{
  return by_axes(D, [&](auto axes) { return read_border<axes>(each, B, g, column, border, found); });
}

template <int D, class E, class T, class U>
Status build_coarse(const E &each, const Level<T, U> &L, const Level<T, U> &C, Found *found)
{
  return each_cell(each, C.g, nullptr,
                   [=] HEPTA_LAMBDA(Index I, Index J, Index K) { build_coarse_cell<D>(L, C, found, I, J, K); });
}

template <class E, class T, class U>
Status build_coarse(const E &each, int D, const Level<T, U> &L, const Level<T, U> &C, Found *found)
{
  return by_axes(D, [&](auto axes) { return build_coarse<axes>(each, L, C, found); });
}

template <class E, class T, class U>
Status fill_dense(const E &each, int D, const Level<T, U> &L, std::size_t N, const double *null, double *dense)
{
  return each(N * N, [=] HEPTA_LAMBDA(std::size_t k) {
    const std::size_t e = k / N, f = k % N;
    dense[k] = dense_entry(D, L, e, f) + (null[2 * N + e] == null[2 * N + f] ? null[e] * null[f] : 0);
  });
}

template <class E, class T, class U>
Status take_inverse(const E &each, const Level<T, U> &L, std::size_t n, std::size_t N, const double *dense, double *B,
                    Found *found)
{
  return each(n * n, [=] HEPTA_LAMBDA(std::size_t k) {
    const Index row = cell_index(L.g, Index(k / n)), column = cell_index(L.g, Index(k % n));
    B[k] = -dense[k / n * N + k % n] * sqrt(double(L.e[row]) * double(L.e[column]));
    if (row == column) note_ratio(&found->ratio, B[k] * double(L.z[row]), Index(k / n));
  });
}

template <class E, class T, class U> Status copy_numbers(const E &each, std::size_t n, const T *from, U *to)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) { to[k] = U(from[k]); });
}

template <class E, class T, class U>
Status guess_scale(const E &each, const Level<T, U> &L, const Scalar *product, Scales *scales)
{
  Grid one = L.g;

  for (Index &n : one.n) n = 1;
  return each_cell(each, one, L.stop, [=] HEPTA_LAMBDA(Index, Index, Index) { guess_largest(scales, *product); });
}

template <class Cells, class T, class U>
Status scale_input(const Cells &cells, const Level<T, U> &L, const Scalar *x, const Scales *scales)
{
  return cells(L.g, L.stop, [=] HEPTA_LAMBDA(Index i, Index j, Index k) {
    L.s[cell_index(L.g, i, j, k)] = scaled_input<T>(input_factor(scales), x[row(L.g, i, j, k)]);
  });
}

template <class Cells, class T, class U>
Status finish_dense(const Cells &cells, const Level<T, U> &L, const Scales *scales, Scalar *y)
{
  return cells(L.g, L.stop, [=] HEPTA_LAMBDA(Index i, Index j, Index k) {
    y[row(L.g, i, j, k)] = Scalar(L.z[cell_index(L.g, i, j, k)] * scales->output);
  });
}

/* Instances of a launcher for levels in float, for all levels, and for all levels behind other template arguments */
#define HEPTA_FLOAT_LEVELS(f) \
  HEPTA_INSTANCE(f, float, Bf16) \
  HEPTA_INSTANCE(f, float, float)
#define HEPTA_LEVELS(f) \
  HEPTA_FLOAT_LEVELS(f) \
  HEPTA_INSTANCE(f, double, double)
#define HEPTA_LEVELS_OF(f, ...) \
  HEPTA_INSTANCE(f, __VA_ARGS__, float, Bf16) \
  HEPTA_INSTANCE(f, __VA_ARGS__, float, float) \
  HEPTA_INSTANCE(f, __VA_ARGS__, double, double)

/* Instances of the launchers over Each */
#define HEPTA_GRIDMG_LAUNCHERS \
  HEPTA_EACH_OF(read_border) \
  HEPTA_LEVELS_OF(build_fine, HEPTA_EACH_HERE, double) \
  HEPTA_LEVELS_OF(build_fine, HEPTA_EACH_HERE, float) \
  HEPTA_LEVELS_OF(build_coarse, HEPTA_EACH_HERE) \
  HEPTA_LEVELS_OF(fill_dense, HEPTA_EACH_HERE) \
  HEPTA_LEVELS_OF(take_inverse, HEPTA_EACH_HERE) \
  HEPTA_LEVELS_OF(guess_scale, HEPTA_EACH_HERE) \
  HEPTA_EACH_WITH(copy_numbers, float, Bf16) \
  HEPTA_EACH_WITH(copy_numbers, Bf16, float)

} // namespace hepta::gridmg

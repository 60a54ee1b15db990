/* The loops of twophase_kernels.hxx, which twophase_host.cxx and twophase_cuda.cu instantiate */
#pragma once

#include "twophase_kernels.hxx"

namespace hepta::twophase
{

template <int N, class E>
Status residuals_of(const E &each, const Model &M, const Scalar *rock, const Scalar *x, const Scalar *old, Scalar *r)
{
  return each(cells(M.size), [=] HEPTA_LAMBDA(std::size_t k) {
    Index at[3];

    cell_at(M.start, M.size, k, at);
    residual<N>(M, rock, x, old + k * N, at, r + k * N);
  });
}

template <int N, class E> Status jacobians_of(const E &each, const Model &M, const Scalar *rock, const Scalar *x, Scalar *v)
{
  const std::size_t n = cells(M.size);

  return each(n, [=] HEPTA_LAMBDA(std::size_t k) {
    Index at[3];

    cell_at(M.start, M.size, k, at);
    jacobian<N>(M, rock, x, at, n * (N * N), v + k * (N * N));
  });
}

template <int N, class E> Status chops_of(const E &each, const Model &M, const Scalar *x, Scalar *y)
{
  return each(cells(M.size), [=] HEPTA_LAMBDA(std::size_t k) { chop<N>(x + k * N, y + k * N); });
}

template <int N> struct Amounts {
  Scalar *v[2 * N];
};

template <int N, class E>
Status amounts_of(const E &each, const Model &M, const Scalar *rock, const Scalar *x, Scalar *const amount[])
{
  Amounts<N> to;

  for (int j = 0; j < 2 * N; j++) to.v[j] = amount[j];
  return each(cells(M.size), [=] HEPTA_LAMBDA(std::size_t k) {
    Scalar a[2 * N];
    Index  at[3];

    cell_at(M.start, M.size, k, at);
    amounts<N>(M, rock, x, at, a);
    for (int j = 0; j < 2 * N; j++) to.v[j][k] = a[j];
  });
}

template <class E>
Status residuals(const E &each, const Model &M, const Scalar *rock, const Scalar *x, const Scalar *old, Scalar *r)
{
  return M.unknowns == 2 ? residuals_of<2>(each, M, rock, x, old, r) : residuals_of<3>(each, M, rock, x, old, r);
}

template <class E> Status jacobians(const E &each, const Model &M, const Scalar *rock, const Scalar *x, Scalar *v)
{
  return M.unknowns == 2 ? jacobians_of<2>(each, M, rock, x, v) : jacobians_of<3>(each, M, rock, x, v);
}

template <class E> Status chops(const E &each, const Model &M, const Scalar *x, Scalar *y)
{
  return M.unknowns == 2 ? chops_of<2>(each, M, x, y) : chops_of<3>(each, M, x, y);
}

template <class E> Status all_amounts(const E &each, const Model &M, const Scalar *rock, const Scalar *x, Scalar *const amount[])
{
  return M.unknowns == 2 ? amounts_of<2>(each, M, rock, x, amount) : amounts_of<3>(each, M, rock, x, amount);
}

#define HEPTA_TWOPHASE_LAUNCHERS(E) \
  template Status residuals(const E &, const Model &, const Scalar *, const Scalar *, const Scalar *, Scalar *); \
  template Status jacobians(const E &, const Model &, const Scalar *, const Scalar *, Scalar *); \
  template Status chops(const E &, const Model &, const Scalar *, Scalar *); \
  template Status all_amounts(const E &, const Model &, const Scalar *, const Scalar *, Scalar *const[]);

} // namespace hepta::twophase

/* The loops of twophase_kernels.hxx, which twophase_host.cxx and twophase_cuda.cu instantiate */
#pragma once

#include "twophase_kernels.hxx"

namespace hepta::twophase
{

template <class E>
Status residuals(const E &each, const Model &M, const Scalar *rock, const Scalar *x, const Scalar *old, Scalar *r)
{
  return each(cells(M.size), [=] HEPTA_LAMBDA(std::size_t k) {
    Index at[3];

    cell_at(M.start, M.size, k, at);
    residual(M, rock, x, old + k * UNKNOWNS, at, r + k * UNKNOWNS);
  });
}

template <class E> Status jacobians(const E &each, const Model &M, const Scalar *rock, const Scalar *x, Scalar *v)
{
  const std::size_t n = cells(M.size);

  return each(n, [=] HEPTA_LAMBDA(std::size_t k) {
    Index at[3];

    cell_at(M.start, M.size, k, at);
    jacobian(M, rock, x, at, n * BLOCK, v + k * BLOCK);
  });
}

template <class E> Status chops(const E &each, const Model &M, const Scalar *x, Scalar *y)
{
  return each(cells(M.size), [=] HEPTA_LAMBDA(std::size_t k) { chop(x + k * UNKNOWNS, y + k * UNKNOWNS); });
}

template <class E> Status all_amounts(const E &each, const Model &M, const Scalar *rock, const Scalar *x, Scalar *const amount[])
{
  Scalar *const water = amount[0], *const oil = amount[1], *const left_water = amount[2], *const left_oil = amount[3];

  return each(cells(M.size), [=] HEPTA_LAMBDA(std::size_t k) {
    Scalar a[AMOUNTS];
    Index  at[3];

    cell_at(M.start, M.size, k, at);
    amounts(M, rock, x, at, a);
    water[k]      = a[0];
    oil[k]        = a[1];
    left_water[k] = a[2];
    left_oil[k]   = a[3];
  });
}

template <class E> Status take(const E &each, std::size_t n, std::size_t stride, const Scalar *x, Scalar *y)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) { y[k] = x[k * stride]; });
}

template <class E> Status put(const E &each, std::size_t n, std::size_t stride, const Scalar *x, Scalar *y)
{
  return each(n * stride, [=] HEPTA_LAMBDA(std::size_t k) { y[k] = k % stride ? 0 : x[k / stride]; });
}

#define HEPTA_TWOPHASE_LAUNCHERS(E) \
  template Status residuals(const E &, const Model &, const Scalar *, const Scalar *, const Scalar *, Scalar *); \
  template Status jacobians(const E &, const Model &, const Scalar *, const Scalar *, Scalar *); \
  template Status chops(const E &, const Model &, const Scalar *, Scalar *); \
  template Status all_amounts(const E &, const Model &, const Scalar *, const Scalar *, Scalar *const[]); \
  template Status take(const E &, std::size_t, std::size_t, const Scalar *, Scalar *); \
  template Status put(const E &, std::size_t, std::size_t, const Scalar *, Scalar *);

} // namespace hepta::twophase

/* The launchers of levels_kernels.hxx, once for host and device */
#pragma once

#include "../../../shared/each.hxx"
#include "levels_kernels.hxx"

namespace hepta::levels
{

template <class E> Status member_sums(const E &each, std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, const Scalar *w, Scalar *sum)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t e) {
    Scalar s = 0;
    for (std::size_t p = first[e]; p < first[e + 1]; p++) s += w ? v[member[p]] - w[member[p]] : v[member[p]];
    sum[e] = alpha * s;
  });
}

template <class E> Status transpose_dense(const E &each, std::size_t d, const Scalar *B, Scalar *y)
{
  return each(d * d, [=] HEPTA_LAMBDA(std::size_t k) { y[k] = B[k % d * d + k / d]; });
}

template <class E> Status subtract_from(const E &each, std::size_t n, const Scalar *b, Scalar *t)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { t[i] = b[i] - t[i]; });
}

template <class E> Status add_step(const E &each, std::size_t n, Scalar alpha, const Scalar *u, Scalar *z)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { z[i] += alpha * u[i]; });
}

template <class E> Status damp(const E &each, std::size_t n, Scalar alpha, Scalar *z)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { z[i] = alpha == Scalar(0) ? Scalar(0) : alpha * z[i]; });
}

} // namespace hepta::levels

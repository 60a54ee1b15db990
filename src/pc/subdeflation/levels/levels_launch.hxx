/* The launchers of levels_kernels.hxx, once for host and device */
#pragma once

#include "../../../shared/each.hxx"
#include "levels_kernels.hxx"

namespace hepta::levels
{

template <class E> Status member_sums(const E &each, std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, Scalar *sum)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t e) {
    Scalar s = 0;
    for (std::size_t p = first[e]; p < first[e + 1]; p++) s += v[member[p]];
    sum[e] = alpha * s;
  });
}

template <class E> Status transpose_dense(const E &each, std::size_t d, const Scalar *B, Scalar *y)
{
  return each(d * d, [=] HEPTA_LAMBDA(std::size_t k) { y[k] = B[k % d * d + k / d]; });
}

} // namespace hepta::levels

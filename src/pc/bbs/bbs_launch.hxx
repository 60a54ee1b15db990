/* The launchers of bbs_kernels.hxx that are loops over independent items, for host and device */
#pragma once

#include "bbs_kernels.hxx"
#include "bbs_row.hxx"

namespace hepta::bbs
{

template <class E, class V> Status gather(const E &each, std::size_t n, const Index *from, const V *v, Scalar *w)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t e) { w[e] = !from ? Scalar(v[e]) : from[e] < 0 ? Scalar(0) : Scalar(v[from[e]]); });
}

template <class E> Status add_to_diagonal(const E &each, const Blocks &B, Scalar amount)
{
  return each(std::size_t(B.n) * B.bs, [=] HEPTA_LAMBDA(std::size_t i) { B.w[B.diag[i / B.bs] * std::size_t(B.bs) * B.bs + (i % B.bs) * (B.bs + 1)] += amount; });
}

} // namespace hepta::bbs

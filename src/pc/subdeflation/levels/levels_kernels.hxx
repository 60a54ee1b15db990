/* Launchers of the cycle over levels of any aggregates, beside those of subdeflation_kernels.hxx */
#pragma once

#include "../subdeflation_kernels.hxx"

namespace hepta::levels
{

/* sum[e] <- alpha times the sum of (v - w)[member[p]] for p = first[e] ... first[e + 1] - 1; w may be null: zero */
Status member_sums_host(std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, const Scalar *w, Scalar *sum);
Status member_sums_cuda(std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, const Scalar *w, Scalar *sum, Stream stream);

/* Launchers over Each */
/* t <- b - t */
template <class E> Status subtract_from(const E &, std::size_t n, const Scalar *b, Scalar *t);
/* z <- z + alpha u */
template <class E> Status add_step(const E &, std::size_t n, Scalar alpha, const Scalar *u, Scalar *z);
/* z <- alpha z, which is zero for alpha = 0 whatever z holds */
template <class E> Status damp(const E &, std::size_t n, Scalar alpha, Scalar *z);

/* y <- B^T, B of d x d */
Status transpose_dense_host(std::size_t d, const Scalar *B, Scalar *y);
Status transpose_dense_cuda(std::size_t d, const Scalar *B, Scalar *y, Stream stream);

} // namespace hepta::levels

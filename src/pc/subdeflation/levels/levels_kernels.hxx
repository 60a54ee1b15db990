/* Launchers of the cycle over levels of any aggregates, beside those of subdeflation_kernels.hxx */
#pragma once

#include "../subdeflation_kernels.hxx"

namespace hepta::levels
{

/* sum[e] <- alpha times the sum of v[member[p]] for p = first[e] ... first[e + 1] - 1 */
Status member_sums_host(std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, Scalar *sum);
Status member_sums_cuda(std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, Scalar *sum, Stream stream);

/* y <- B^T, B of d x d */
Status transpose_dense_host(std::size_t d, const Scalar *B, Scalar *y);
Status transpose_dense_cuda(std::size_t d, const Scalar *B, Scalar *y, Stream stream);

} // namespace hepta::levels

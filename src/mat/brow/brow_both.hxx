/* What transposed products take: the matrix, and for the device its transpose */
#pragma once

#include "brow_kernels.hxx"

namespace hepta::brow
{

template <class V> struct Both {
  View<V> A, T; /* T: on the device only */
};

template <class V> Status spmv_transpose_host(const Both<V> &B, const Scalar *x, const Scalar *z, Scalar *y)
{
  return spmv_transpose_host(B.A, x, z, y);
}

template <class V> Status spmv_transpose_cuda(const Both<V> &B, const Scalar *x, const Scalar *z, Scalar *y, Stream stream)
{
  return spmv_cuda(B.T, x, z, y, stream);
}

template <class V> Status norm_host(const Both<V> &B, Norm type, Scalar *work)
{
  return norm_host(B.A, type, work);
}

/* Sums by column are sums by row of the transpose */
template <class V> Status norm_cuda(const Both<V> &B, Norm type, Scalar *work, Stream stream)
{
  return type == Norm::one ? norm_cuda(B.T, Norm::infinity, work, stream) : norm_cuda(B.A, type, work, stream);
}

} // namespace hepta::brow

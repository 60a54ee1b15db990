/* Device operations on the stored values, each the twin of its namesake in brow_values_host.cxx */
#include "../../shared/cuda_check.cuh"
#include "brow_values.hxx"

namespace hepta::brow
{

template <class V> Status get_diagonal_cuda(const View<V> &A, Scalar *d, Stream stream)
{
  return get_diagonal(A, d, DeviceEach{(cudaStream_t)stream});
}

template <class V> Status set_diagonal_cuda(const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d, Stream stream)
{
  return set_diagonal(A, beta, alpha, d, DeviceEach{(cudaStream_t)stream});
}

template <class V> Status diagonal_scale_cuda(const View<V> &A, const Scalar *l, const Scalar *r, Stream stream)
{
  return diagonal_scale(A, l, r, DeviceEach{(cudaStream_t)stream});
}

template <class V> Status norm_cuda(const View<V> &A, Norm type, Scalar *work, Stream stream)
{
  if (type == Norm::one) return "sums by column are made from the transposed matrix, by row";
  return row_norms(A, type, work, DeviceEach{(cudaStream_t)stream});
}

template <class V> Status coo_cuda(const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w, Stream stream)
{
  return coo(A, add, source, w, DeviceEach{(cudaStream_t)stream});
}

template <class V> Status transpose_values_cuda(const View<V> &T, const std::size_t *source, const View<V> &A, Stream stream)
{
  return transpose_values(T, source, A, DeviceEach{(cudaStream_t)stream});
}

#define HEPTA_INSTANTIATE(V) \
  template Status get_diagonal_cuda(const View<V> &, Scalar *, Stream); \
  template Status set_diagonal_cuda(const View<V> &, Scalar, Scalar, const Scalar *, Stream); \
  template Status diagonal_scale_cuda(const View<V> &, const Scalar *, const Scalar *, Stream); \
  template Status norm_cuda(const View<V> &, Norm, Scalar *, Stream); \
  template Status coo_cuda(const View<V> &, bool, const std::uint32_t *, const Scalar *, Stream); \
  template Status transpose_values_cuda(const View<V> &, const std::size_t *, const View<V> &, Stream);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::brow

/* The launchers of ip_kernels.hxx on the device */
#include "../../shared/cuda_check.cuh"
#include "ip_launch.hxx"

namespace hepta::ip
{

template <class V, class W> Status build_cuda(const View<V> &A, const View<W> &M, const Recipe &r, Found *found, Stream stream)
{
  return build(DeviceEach{(cudaStream_t)stream}, A, M, r, found);
}

template <class V> Status invert_cuda(const View<V> &A, Scalar *inverse, Index *pivot, Found *found, Stream stream)
{
  return invert(DeviceEach{(cudaStream_t)stream}, A, inverse, pivot, found);
}

template <class V, class W> Status scale_cuda(const View<V> &A, const View<W> &M, const Recipe &r, const Scalar *inverse, const Work &S, Stream stream)
{
  return scale(DeviceEach{(cudaStream_t)stream}, A, M, r, inverse, S);
}

template <class V> Status scale_ghost_cuda(const GhostView<V> &B, const Recipe &r, const unsigned char *lower, std::size_t ld, const Scalar *inverse, const Scalar *ghost_inverse, const Work &S, Stream stream)
{
  return scale_ghost(DeviceEach{(cudaStream_t)stream}, B, r, lower, ld, inverse, ghost_inverse, S);
}

template <class W> Status combine_cuda(const View<W> &M, const Recipe &r, const Work &S, const Work &out, Stream stream)
{
  return combine(DeviceEach{(cudaStream_t)stream}, M, r, S, out);
}

Status add_terms_cuda(const Terms &t, std::size_t main, const Work &S, const Work &out, Stream stream)
{
  return add_terms(DeviceEach{(cudaStream_t)stream}, t, main, S, out);
}

template <class W> Status finish_cuda(const View<W> &M, const Recipe &r, const Scalar *inverse, const Work &from, Found *found, Stream stream)
{
  return finish(DeviceEach{(cudaStream_t)stream}, M, r, inverse, from, found);
}

template <class W> Status finish_ghost_cuda(const GhostView<W> &M, const Recipe &r, const Scalar *ghost_inverse, const Work &from, Found *found, Stream stream)
{
  return finish_ghost(DeviceEach{(cudaStream_t)stream}, M, r, ghost_inverse, from, found);
}

Status pack_cuda(std::size_t n, const std::size_t *at, const Work &S, Scalar *packed, Stream stream)
{
  return pack(DeviceEach{(cudaStream_t)stream}, n, at, S, packed);
}

#define HEPTA_INSTANTIATE_ONE(V) \
  template Status invert_cuda(const View<V> &, Scalar *, Index *, Found *, Stream); \
  template Status scale_ghost_cuda(const GhostView<V> &, const Recipe &, const unsigned char *, std::size_t, const Scalar *, const Scalar *, const Work &, Stream); \
  template Status combine_cuda(const View<V> &, const Recipe &, const Work &, const Work &, Stream); \
  template Status finish_cuda(const View<V> &, const Recipe &, const Scalar *, const Work &, Found *, Stream); \
  template Status finish_ghost_cuda(const GhostView<V> &, const Recipe &, const Scalar *, const Work &, Found *, Stream);
#define HEPTA_INSTANTIATE_TWO(V, W) \
  template Status build_cuda(const View<V> &, const View<W> &, const Recipe &, Found *, Stream); \
  template Status scale_cuda(const View<V> &, const View<W> &, const Recipe &, const Scalar *, const Work &, Stream);
HEPTA_INSTANTIATE_ONE(double)
HEPTA_INSTANTIATE_ONE(float)
HEPTA_INSTANTIATE_TWO(double, double)
HEPTA_INSTANTIATE_TWO(double, float)
HEPTA_INSTANTIATE_TWO(float, double)
HEPTA_INSTANTIATE_TWO(float, float)

} // namespace hepta::ip

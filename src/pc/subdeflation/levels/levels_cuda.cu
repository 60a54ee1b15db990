/* The levels of any aggregates on the device */
#include "../../../shared/cuda_check.cuh"
#include "levels_launch.hxx"

namespace hepta::levels
{

Status member_sums_cuda(std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, const Scalar *w, Scalar *sum, Stream stream)
{
  return member_sums(DeviceEach{(cudaStream_t)stream}, n, first, member, alpha, v, w, sum);
}

Status transpose_dense_cuda(std::size_t d, const Scalar *B, Scalar *y, Stream stream)
{
  return transpose_dense(DeviceEach{(cudaStream_t)stream}, d, B, y);
}

HEPTA_LEVELS_LAUNCHERS(DeviceEach)

} // namespace hepta::levels

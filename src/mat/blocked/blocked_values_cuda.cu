/* Products with the ghost part on the device, where long rows are for warps, and the launchers of blocked_launch.hxx there */
#include "../../shared/cuda_check.cuh"
#include "../../shared/processors.cuh"
#include "blocked_launch.hxx"

namespace hepta::blocked
{

constexpr Index long_ghosts = 64; /* border rows of more blocks are for warps: all would wait for a thread that multiplies one */

/* They are first, and as many as have a block with this number */
template <class V> __device__ Index long_rows(const GhostView<V> &B)
{
  return B.width > long_ghosts ? B.start[long_ghosts + 1] - B.start[long_ghosts] : 0;
}

template <class V> __global__ void long_ghosts_kernel(const GhostView<V> B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy)
{
  const std::size_t rows = std::size_t(long_rows(B)) * B.bs, warps = std::size_t(gridDim.x) * blockDim.x / 32;

  for (std::size_t k = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / 32; k < rows * n; k += warps) {
    const std::size_t c = k / rows, i = k % rows;
    const Index       b = Index(i) / B.bs, r = Index(i) % B.bs, lane = Index(threadIdx.x) % 32;
    Scalar            sum = ghost_row(B, b, r, xg + c * ldx, lane, 32);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[c * ldy + std::size_t(B.row[b]) * B.bs + r] += sum;
  }
}

template <class V> Status ghost_spmm_cuda(const GhostView<V> &B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream)
{
  const std::size_t rows = std::size_t(B.nb) * B.bs;

  if (B.width > long_ghosts) {
    long_ghosts_kernel<<<unsigned(4 * processors()), 256, 0, (cudaStream_t)stream>>>(B, n, xg, ldx, y, ldy);
    if (Status bad = launched()) return bad;
  }
  return each(rows * n, (cudaStream_t)stream, [=] __device__(std::size_t k) {
    const std::size_t c = k / rows, i = k % rows;
    const Index       b = Index(i) / B.bs, r = Index(i) % B.bs;
    if (b >= long_rows(B)) y[c * ldy + std::size_t(B.row[b]) * B.bs + r] += ghost_row(B, b, r, xg + c * ldx);
  });
}

template <class V> Status ghost_spmv_cuda(const GhostView<V> &B, const Scalar *xg, Scalar *y, Stream stream)
{
  return ghost_spmm_cuda(B, 1, xg, 0, y, 0, stream);
}

#define HEPTA_INSTANTIATE(V) \
  template Status ghost_spmv_cuda(const GhostView<V> &, const Scalar *, Scalar *, Stream); \
  template Status ghost_spmm_cuda(const GhostView<V> &, Index, const Scalar *, std::size_t, Scalar *, std::size_t, Stream);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)
HEPTA_BLOCKED_LAUNCHERS(DeviceEach)

} // namespace hepta::blocked

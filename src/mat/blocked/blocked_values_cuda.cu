/* Products with the ghost part, where a warp takes a long row */
#include "../../shared/cuda_check.cuh"
#include "../../shared/processors.cuh"
#include "../../shared/warp.cuh"
#include "blocked_arriving.cuh"
#include "blocked_kernels.hxx"
#include "blocked_row.hxx"

namespace hepta::blocked
{

constexpr int arriving_blocks = 4; /* thread blocks of a multiprocessor */

/* The number of border rows with more than long_ghosts blocks, which come first: the rows with a block of that number */
template <class V> __device__ Index long_rows(const GhostView<V> &B)
{
  return B.width > long_ghosts ? B.start[long_ghosts + 1] - B.start[long_ghosts] : 0;
}

template <class V>
__global__ void long_ghosts_kernel(const GhostView<V> B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy)
{
  const std::size_t rows = std::size_t(long_rows(B)) * B.bs, warps = std::size_t(gridDim.x) * blockDim.x / 32;

  for (std::size_t k = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / 32; k < rows * n; k += warps) {
    const std::size_t c = k / rows, i = k % rows;
    const Index       b = Index(i) / B.bs, r = Index(i) % B.bs, lane = Index(threadIdx.x) % 32;
    const Scalar      sum = warp_sum(ghost_row(B, b, r, xg + c * ldx, lane, 32));
    if (lane == 0) y[c * ldy + std::size_t(B.row[b]) * B.bs + r] += sum;
  }
}

template <class V>
Status ghost_spmm_cuda(const GhostView<V> &B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy,
                       Stream stream)
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

template <class V>
__global__ void __launch_bounds__(256, arriving_blocks)
  arriving_kernel(const GhostView<V> B, const __grid_constant__ transport::Mailboxes m, Scalar *y, const int *stop)
{
  if (stop && *stop) return end_after_first();
  for_arriving_rows(B, Arrived{transport::arriving(m)}, [&](std::size_t i, Scalar Bx) { y[i] += Bx; });
  transport::end_exchange(m);
}

template <class V>
Status arriving_spmv_cuda(const GhostView<V> &B, const transport::Mailboxes &m, Scalar *y, const int *stop, Stream stream)
{
  /* all resident, so that no thread block waits for another to end */
  const std::size_t blocks = (std::size_t(B.nb) * B.bs + 255) / 256, most = arriving_blocks * std::size_t(processors());
  const unsigned    grid = unsigned(blocks < 1 ? 1 : blocks < most ? blocks : most);

  return launch_next(true, arriving_kernel<V>, grid, 256, 0, (cudaStream_t)stream, B, m, y, stop);
}

HEPTA_INSTANCES(arriving_spmv_cuda)
HEPTA_INSTANCES(ghost_spmm_cuda)

} // namespace hepta::blocked

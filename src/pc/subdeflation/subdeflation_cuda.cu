/* Subdomain deflation on the device */
#include <cub/block/block_reduce.cuh>

#include "../../shared/cuda_check.cuh"
#include "../../shared/warp.cuh"
#include "subdeflation_row.hxx"

namespace hepta::subdeflation
{

constexpr int WARP        = 32;
constexpr int CHUNK_WARPS = 4;   /* warps of a block that sums chunks, a warp for each chunk */
constexpr int CHUNK_LOADS = 4;   /* entries of a lane whose loads are in flight at once: hides the latency of vector reads */
constexpr int DENSE_BLOCK = 128; /* threads that share a row of a dense matrix */

using DenseSum = cub::BlockReduce<Scalar, DENSE_BLOCK>;

__global__ void chunk_sums_kernel(Chunks c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial)
{
  const std::size_t k    = blockIdx.x * std::size_t(CHUNK_WARPS) + threadIdx.x / WARP;
  const int         lane = threadIdx.x % WARP;
  Scalar            sum  = 0;

  if (k >= c.n) return;
  const bool        own = c.own[k];
  const std::size_t end = c.first[k + 1];
  for (std::size_t p = c.first[k] + lane; p < end; p += CHUNK_LOADS * WARP) {
    Scalar term[CHUNK_LOADS];

#pragma unroll
    for (int u = 0; u < CHUNK_LOADS; u++) term[u] = p + u * WARP < end ? entry_term(p + u * WARP, own, row, az, r, w) : Scalar(0);
#pragma unroll
    for (int u = 0; u < CHUNK_LOADS; u++) sum += term[u];
  }
  sum = warp_sum(sum);
  if (!lane) partial[k] = sum;
}

Status chunk_sums_cuda(const Chunks &c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial,
                       Stream stream)
{
  if (!c.n) return nullptr;
  chunk_sums_kernel<<<unsigned((c.n + CHUNK_WARPS - 1) / CHUNK_WARPS), CHUNK_WARPS * WARP, 0, (cudaStream_t)stream>>>(
    c, row, az, r, w, partial);
  return launched();
}

/* A row for each thread block; cuBLAS has no product of a float matrix with double vectors */
template <class V> __global__ void dense_product_kernel(std::size_t d, const V *B, const Scalar *q, Scalar *y)
{
  __shared__ DenseSum::TempStorage all;
  const V                         *b   = B + blockIdx.x * d;
  Scalar                           sum = 0;

  for (std::size_t j = threadIdx.x; j < d; j += DENSE_BLOCK) sum += Scalar(b[j]) * q[j];
  sum = DenseSum(all).Sum(sum);
  if (!threadIdx.x) y[blockIdx.x] = sum;
}

template <class V> Status dense_product_cuda(std::size_t d, const V *B, const Scalar *q, Scalar *y, Stream stream)
{
  if (!d) return nullptr;
  dense_product_kernel<<<unsigned(d), DENSE_BLOCK, 0, (cudaStream_t)stream>>>(d, B, q, y);
  return launched();
}

HEPTA_INSTANCES(dense_product_cuda)

} // namespace hepta::subdeflation

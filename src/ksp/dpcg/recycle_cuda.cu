/* Sums with dpcg's deflation vectors on the device */
#include <cub/block/block_reduce.cuh>

#include "../../shared/cuda_check.cuh"
#include "recycle_kernels.hxx"

namespace hepta::ksp
{

constexpr int PART_THREADS = 256, SUM_THREADS = 128;
constexpr int IN_FLIGHT = 4; /* rows whose loads a thread has in flight at once */

/* Thread block (g, c) sums part c of the rows for group g: the groups of a part run together and share r and z */
__global__ void __launch_bounds__(PART_THREADS)
  recycle_parts_kernel(std::size_t n, const Four *w, const Four *aw, const Scalar *r, const Scalar *z, Scalar *partial)
{
  using Sum = cub::BlockReduce<Scalar, PART_THREADS>;
  __shared__ typename Sum::TempStorage all;
  const std::size_t                    stride             = std::size_t(gridDim.y) * PART_THREADS;
  Scalar                               sum[recycle_group] = {};

  w += blockIdx.x * n;
  aw += blockIdx.x * n;
  for (std::size_t i = blockIdx.y * std::size_t(PART_THREADS) + threadIdx.x; i < n; i += IN_FLIGHT * stride) {
    Four   wi[IN_FLIGHT] = {}, ai[IN_FLIGHT] = {};
    Scalar ri[IN_FLIGHT] = {}, zi[IN_FLIGHT] = {};

#pragma unroll
    for (int u = 0; u < IN_FLIGHT; u++) {
      if (const std::size_t k = i + u * stride; k < n) {
        wi[u] = w[k];
        ai[u] = aw[k];
        ri[u] = r[k];
        zi[u] = z[k];
      }
    }
#pragma unroll
    for (int u = 0; u < IN_FLIGHT; u++) {
#pragma unroll
      for (int e = 0; e < recycle_group; e++) sum[e] += Scalar(wi[u].of[e]) * ri[u] - Scalar(ai[u].of[e]) * zi[u];
    }
  }
#pragma unroll
  for (int e = 0; e < recycle_group; e++) {
    const Scalar total = Sum(all).Sum(sum[e]);

    if (!threadIdx.x) partial[(blockIdx.x * recycle_group + e) * std::size_t(gridDim.y) + blockIdx.y] = total;
    __syncthreads();
  }
}

/* A vector for each thread block */
__global__ void __launch_bounds__(SUM_THREADS) recycle_total_kernel(std::size_t parts, const Scalar *partial, Scalar *q)
{
  using Sum = cub::BlockReduce<Scalar, SUM_THREADS>;
  __shared__ typename Sum::TempStorage all;
  Scalar                               sum = 0;

  for (std::size_t c = threadIdx.x; c < parts; c += SUM_THREADS) sum += partial[blockIdx.x * parts + c];
  sum = Sum(all).Sum(sum);
  if (!threadIdx.x) q[blockIdx.x] = sum;
}

Status recycle_sums_cuda(std::size_t n, Index groups, const float *w, const float *aw, const Scalar *r, const Scalar *z,
                         Scalar *partial, Scalar *q, Stream stream)
{
  const std::size_t parts = recycle_parts(n);

  if (parts) {
    recycle_parts_kernel<<<dim3(unsigned(groups), unsigned(parts)), PART_THREADS, 0, (cudaStream_t)stream>>>(
      n, (const Four *)w, (const Four *)aw, r, z, partial);
    if (const Status status = launched()) return status;
  }
  recycle_total_kernel<<<unsigned(groups * recycle_group), SUM_THREADS, 0, (cudaStream_t)stream>>>(parts, partial, q);
  return launched();
}

} // namespace hepta::ksp

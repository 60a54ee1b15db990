/*
   Engines `persistent` and `syncfree`: one kernel whose thread blocks are all resident, launched cooperatively so that CUDA
   refuses what is not. They share the tiles of each level; between levels there is a barrier of the grid, or none, when each
   value is waited for where it is needed.
*/
#include <cooperative_groups.h>

#include "bbs_device.cuh"

namespace hepta::bbs
{

/* The thread block solves a tile for vector k */
template <bool WAIT> __device__ static void solve_tile(const Triangle &T, const Vectors &v, const Tile &t, int k, int thread, Scalar *scratch)
{
  Scalar    *y     = v.work + std::size_t(k) * T.n;
  const auto x     = [&](std::int32_t j) { return j == T.n ? Scalar(0) : WAIT ? await(y + j) : load_relaxed(y + j); };
  const int  parts = row_threads(T, t);
  Scalar     sum   = tile_part(T, t, thread, x);

  if (t.parts == whole_block) {
    __syncthreads(); /* the scratch of the last one is read */
    sum = sum_block(sum, scratch);
  } else sum = sum_parts(sum, parts);
  if (thread % parts == 0) {
    const Index i = tile_row(T, t, thread);
    if (i < T.n) publish(y + i, given(v, k, i) + sum);
  }
}

template <bool WAIT> __global__ void __launch_bounds__(1024) resident_kernel(const __grid_constant__ Triangle T, const __grid_constant__ Vectors v)
{
  __shared__ Scalar scratch[32];
  unsigned          first = 0; /* thread block that takes the first vector of the tile */

  for (Index k = 0; k < T.ntiles; k++) {
    const Tile t = T.tile[k];
    for (int n = int((blockIdx.x + gridDim.x - first) % gridDim.x); n < v.count; n += int(gridDim.x)) solve_tile<WAIT>(T, v, t, n, int(threadIdx.x), scratch);
    first = (first + unsigned(v.count)) % gridDim.x;
    if (!WAIT && t.last) cooperative_groups::this_grid().sync();
  }
  cooperative_groups::this_grid().sync();
  for (std::size_t e = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; e < std::size_t(T.n) * v.count; e += std::size_t(gridDim.x) * blockDim.x) {
    const int k = int(e / T.n);
    deliver(v, k, Index(e % T.n), [&](Index c) { return load_relaxed(v.work + std::size_t(k) * T.n + c); });
  }
}

Status solve_resident(const Triangle &T, const Vectors &v, const Plan &plan, cudaStream_t stream)
{
  const int     threads = T.threads;
  const bool    wait    = plan.engine == Engine::syncfree;
  const void   *kernel  = wait ? (const void *)resident_kernel<true> : (const void *)resident_kernel<false>;
  int           device, multiprocessors, resident, blocks;
  void         *args[] = {(void *)&T, (void *)&v};
  Status        bad    = cuda_status(cudaGetDevice(&device));

  if (!bad) bad = cuda_status(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  if (!bad) bad = cuda_status(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
  if (bad) return bad;
  blocks = plan.blocks ? plan.blocks : resident * multiprocessors;
  if (blocks > resident * multiprocessors) return "-mat_bbs_blocks asks for more thread blocks than this device can hold at a time, which would wait for each other forever: take fewer, or leave the option away";
  if (wait) bad = cuda_status(cudaMemsetAsync(v.work, unset_byte, std::size_t(T.n) * v.count * sizeof(Scalar), stream));
  return bad ? bad : cuda_status(cudaLaunchCooperativeKernel(kernel, dim3(unsigned(blocks)), dim3(threads), args, 0, stream));
}

} // namespace hepta::bbs

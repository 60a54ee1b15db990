/*
   Engine `persistent`: one kernel whose thread blocks are all resident, launched cooperatively so that CUDA refuses what is not. They share the tiles of
   each level; between levels there is a barrier of the grid.
*/
#include <cooperative_groups.h>

#include "bbs_device.cuh"

namespace hepta::bbs
{

/* The thread block solves a tile for vector k */
__device__ static void solve_tile(const Triangle &T, const Vectors &v, const Tile &t, int k, int thread, Scalar *scratch)
{
  Scalar   *y     = v.work + std::size_t(k) * T.n;
  const int parts = row_threads(T, t);
  Scalar    sum   = tile_part(T, t, thread, [&](std::int32_t j) { return j == T.n ? Scalar(0) : load_relaxed(y + j); });

  if (t.parts == whole_block) {
    __syncthreads(); /* the scratch of the last one is read */
    sum = sum_block(sum, scratch);
  } else sum = sum_parts(sum, parts);
  const Index i = tile_row(T, t, thread);
  if (thread % parts == 0 && i < T.n) store_relaxed(y + i, given(v, k, T.order[i]) + sum);
}

static __global__ void __launch_bounds__(1024) persistent_kernel(const __grid_constant__ Triangle T, const __grid_constant__ Vectors v)
{
  __shared__ Scalar scratch[32];
  unsigned          first = 0; /* thread block that takes the first vector of the tile */

  for (Index k = 0; k < T.ntiles; k++) {
    const Tile t = T.tile[k];
    for (int n = int((blockIdx.x + gridDim.x - first) % gridDim.x); n < v.count; n += int(gridDim.x)) solve_tile(T, v, t, n, int(threadIdx.x), scratch);
    first = (first + unsigned(v.count)) % gridDim.x;
    if (t.last) cooperative_groups::this_grid().sync();
  }
  for (std::size_t e = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; e < std::size_t(T.n) * v.count; e += std::size_t(gridDim.x) * blockDim.x) {
    const int k = int(e / T.n);
    deliver(v, k, Index(e % T.n), [&](Index c) { return load_relaxed(v.work + std::size_t(k) * T.n + T.place[c]); });
  }
}

Status launch_resident(const void *kernel, int threads, int most, const Plan &plan, void **args, cudaStream_t stream)
{
  int    device, multiprocessors, resident;
  Status bad = cuda_status(cudaGetDevice(&device));

  if (!bad) bad = cuda_status(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  if (!bad) bad = cuda_status(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
  if (bad) return bad;
  const int blocks = plan.blocks ? plan.blocks : (resident < most ? resident : most) * multiprocessors;
  if (blocks > resident * multiprocessors) return "-mat_bbs_blocks asks for more thread blocks than this device can hold at a time, which would wait for each other forever: take fewer, or leave the option away";
  return cuda_status(cudaLaunchCooperativeKernel(kernel, dim3(unsigned(blocks)), dim3(unsigned(threads)), args, 0, stream));
}

Status solve_persistent(const Triangle &T, const Vectors &v, const Plan &plan, cudaStream_t stream)
{
  constexpr int any = 32;
  void         *args[] = {(void *)&T, (void *)&v};

  return launch_resident((const void *)persistent_kernel, T.threads, any, plan, args, stream);
}

} // namespace hepta::bbs

/*
   The launchers of blockic_kernels.hxx on the device: a thread block for each matrix block, or a warp if few rows can be
   processed at once.

   The factorization proceeds by levels: the rows of a level depend on earlier levels only. The threads process a level at once,
   and synchronize between levels.

   In a scan a row of a tile depends on the row before and on earlier tiles, so

     y_i = -l_i y_{i-1} + f_i

   is a product of affine maps. A thread composes the maps of its `cells` rows, a scan over the threads composes the maps of all
   rows before, and then each thread solves its rows.
*/
#include <algorithm>

#include "../../shared/cuda_check.cuh"
#include "blockic_row.hxx"

namespace hepta::blockic
{

namespace
{

constexpr int cells       = 4;   /* rows that a thread solves in a tile */
constexpr int max_threads = 256; /* of a thread block */
constexpr int warps       = 4;   /* matrix blocks of a thread block if each has a warp */

/* The numbers of threads for `work` rows processed at once, and of thread blocks for B.n matrix blocks */
struct Shape {
  bool warp;
  dim3 threads, blocks;
  Shape(Index n, Index work) : warp(work <= 32)
  {
    const Index wide = std::min<Index>(max_threads, (work + 31) / 32 * 32);
    threads          = warp ? dim3(32, warps) : dim3(unsigned(wide));
    blocks           = dim3(unsigned((n + threads.y - 1) / threads.y));
  }
};

/* Synchronizes the threads of a matrix block, so that they see each other's stores */
template <bool WARP> __device__ __forceinline__ void sync_block()
{
  if (WARP) __syncwarp();
  else __syncthreads();
}

__device__ __forceinline__ Index my_block()
{
  return Index(blockIdx.x) * blockDim.y + threadIdx.y;
}

template <class V>
__global__ void __launch_bounds__(max_threads)
  load_kernel(const bdia::View<V> A, const Factors F, const Blocks B, Scalar shift, Scalar *excess)
{
  const Range b = range(B, Index(blockIdx.x));

  for (Index i = b.begin + blockIdx.y * blockDim.x + threadIdx.x; i < b.end; i += gridDim.y * blockDim.x)
    load_row(A, F, b, i, shift, excess);
}

template <bool WARP>
__global__ void __launch_bounds__(max_threads)
  factor_kernel(const Factors F, const Blocks B, const factor::PivotRule rule, factor::Report *report)
{
  const Index k = my_block();

  if (k >= B.n) return; /* uniform in a warp */
  const Range  b    = range(B, k);
  const Index *plan = B.plan + B.plan_of[k], *level = plan + 1;
  const Index  levels = plan[0], *order = level + levels + 1;

  for (Index l = 0; l < levels; l++) {
    for (Index j = level[l] + Index(threadIdx.x); j < level[l + 1]; j += blockDim.x)
      factor_row(F, b, b.begin + order[j], rule, report);
    sync_block<WARP>();
  }
}

template <class V> struct Scan {
  Sweep<V>      lower, upper;
  Index         tile[2]; /* rows that each sweep solves at once */
  Blocks        B;
  const Scalar *inverse, *x;
  Scalar       *y;
};

__device__ __forceinline__ Affine from_lane(const Affine &f, int lane)
{
  return {__shfl_sync(0xffffffffu, f.slope, lane), __shfl_sync(0xffffffffu, f.value, lane)};
}

/*
   The composition of the maps of the threads before the calling thread; *total <- the composition of the maps of all threads. All
   threads of the matrix block call. cub::WarpScan is no faster than the loop; cub::BlockScan needs the number of threads at
   compile time.
*/
template <bool WARP> __device__ __forceinline__ Affine before_me(Affine f, Affine *totals, Affine *total)
{
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    const Affine g = from_lane(f, lane >= o ? lane - o : lane);
    if (lane >= o) f = then(g, f);
  }
  Affine before = from_lane(f, lane ? lane - 1 : 0);
  if (!lane) before = {1, 0};
  if (WARP) {
    *total = from_lane(f, 31);
    return before;
  }
  if (lane == 31) totals[warp] = f;
  __syncthreads();
  *total = {1, 0};
  for (int k = 0; k < int(blockDim.x / 32); k++) {
    if (k == warp) before = then(*total, before);
    *total = then(*total, totals[k]);
  }
  return before;
}

/* `totals` can be reused after the synchronization at the end of a tile */
template <bool WARP, class V>
__device__ __forceinline__ void sweep(const Sweep<V> &S, const Range &b, Index tile, const Scalar *inverse, const Scalar *f,
                                      Scalar *y, Affine *totals)
{
  const Index rows  = b.end - b.begin;
  Scalar      carry = 0;

  for (Index g = 0; g < rows; g += tile) {
    const Index end = min(g + tile, rows), mine = g + Index(threadIdx.x) * cells;
    Affine      row[cells], all                 = {1, 0}, total;

    sweep_rows(S, b, mine, end, inverse, f, y, row);
#pragma unroll
    for (int c = 0; c < cells; c++) all = then(all, row[c]);
    const Affine before = before_me<WARP>(all, totals, &total);
    Scalar       last   = before.slope * carry + before.value;
#pragma unroll
    for (int c = 0; c < cells; c++) {
      last = row[c].slope * last + row[c].value;
      if (mine + c < end) y[cell(S.up, b, mine + c)] = last;
    }
    carry = total.slope * carry + total.value;
    sync_block<WARP>();
  }
}

/*
   At least four resident thread blocks on a multiprocessor: more loads in flight, and 512 matrix blocks of two lines run at once
*/
template <bool WARP, class V> __global__ void __launch_bounds__(max_threads, 4) scan_kernel(const __grid_constant__ Scan<V> s)
{
  __shared__ Affine totals[max_threads / 32];
  const Index       k = my_block();

  if (k >= s.B.n) return;
  const Range b = range(s.B, k);
  sweep<WARP>(s.lower, b, s.tile[0], nullptr, s.x, s.y, totals);
  sweep<WARP>(s.upper, b, s.tile[1], s.inverse, s.y, s.y, totals);
}

} // namespace

template <class V>
Status load_cuda(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess, Stream stream)
{
  if (!B.n) return nullptr;
  const std::size_t slices = std::min<std::size_t>((std::size_t(B.most) + 1023) / 1024, 1024);
  load_kernel<V><<<dim3(unsigned(B.n), unsigned(slices)), 128, 0, (cudaStream_t)stream>>>(A, F, B, shift, excess);
  return launched();
}

Status factor_cuda(const Factors &F, const Blocks &B, const factor::PivotRule &rule, factor::Report *report, Stream stream)
{
  if (!B.n) return nullptr;
  const Shape s(B.n, B.widest);
  const auto  kernel = s.warp ? factor_kernel<true> : factor_kernel<false>;
  kernel<<<s.blocks, s.threads, 0, (cudaStream_t)stream>>>(F, B, rule, report);
  return launched();
}

template <class V>
Status scan_cuda(const Sweep<V> &lower, const Sweep<V> &upper, const Blocks &B, const Scalar *inverse, const Scalar *x, Scalar *y,
                 Stream stream)
{
  if (!B.n) return nullptr;
  const Index most     = std::min<Index>(max_threads * cells, B.most),
              tiles[2] = {std::min(lower.reach, most), std::min(upper.reach, most)};
  const Shape   s(B.n, (std::max(tiles[0], tiles[1]) + cells - 1) / cells);
  const Scan<V> scan{lower, upper, {tiles[0], tiles[1]}, B, inverse, x, y};
  const auto    kernel = s.warp ? scan_kernel<true, V> : scan_kernel<false, V>;
  kernel<<<s.blocks, s.threads, 0, (cudaStream_t)stream>>>(scan);
  return launched();
}

HEPTA_INSTANCES(load_cuda)
HEPTA_INSTANCES(scan_cuda)

} // namespace hepta::blockic

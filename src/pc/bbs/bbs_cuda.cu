/* The launchers of bbs_kernels.hxx on the device */
#include "bbs_device.cuh"

namespace hepta::bbs
{

template Status add_to_diagonal(const DeviceEach &, const Blocks &, Scalar);
template Status fill(const DeviceEach &, std::size_t, const Index *, const Blocks &, bool, Entry *);

/* The team of threads that eliminates a row, here a warp; done: a flag for each row */
struct Warp {
  unsigned            *done;
  int                  lane;
  static constexpr int lanes = 32;

  __device__ void sync() const { __syncwarp(); }
  __device__ void wait(Index k) const
  {
    unsigned flag;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(flag) : "l"(done + k) : "memory");
    } while (!flag);
    __syncwarp();
  }
  __device__ void publish(Index m) const
  {
    __syncwarp();
    if (lane == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(done + m), "r"(1u) : "memory");
  }
  __device__ Scalar sum(Scalar a) const { return sum_parts(a, 32); }
  __device__ Index  find(const Blocks &B, Index m, Index c) const { return find_column(B, m, c); }
};

/* A thread for each block row, and a warp for each long one */
static __global__ void scale_rows_kernel(const __grid_constant__ Blocks B, bool upper, factor::PivotRule rule, factor::Report *report)
{
  const Index m = Index(blockIdx.x * blockDim.x + threadIdx.x), length = m < B.n ? B.i[m + 1] - B.i[m] : 0;
  const int   lane = int(threadIdx.x % 32);

  if (length > 0 && length <= long_row) scale_row_of(B, SingleThread(), m, upper, rule, report);
  for_lanes(length > long_row, [&](int who) { scale_row_of(B, Warp{nullptr, lane}, m - lane + who, upper, rule, report); });
}

Status scale_rows_cuda(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report, Stream stream)
{
  constexpr unsigned threads = 256;

  if (!B.n) return nullptr;
  scale_rows_kernel<<<(unsigned(B.n) + threads - 1) / threads, threads, 0, (cudaStream_t)stream>>>(B, upper, rule, report);
  return launched();
}

/* Warps take rows in B.order, so a warp waits only for rows that were taken before */
static __global__ void factor_kernel(const __grid_constant__ Blocks B, factor::PivotRule rule, factor::Report *report)
{
  const int lane  = int(threadIdx.x % 32);
  unsigned  taken = 0;

  for (;;) {
    if (lane == 0) taken = atomicAdd(B.done + B.n, 1u);
    taken = __shfl_sync(0xffffffffu, taken, 0);
    if (taken >= unsigned(B.n)) return;
    const Index m = B.order[taken];
    eliminate_row(B, Warp{B.done, lane}, m, rule, report);
  }
}

Status factor_cuda(const Blocks &B, const factor::PivotRule &rule, factor::Report *report, Stream stream)
{
  constexpr unsigned threads = 128, warps = threads / 32;
  const unsigned     most = 4096, blocks = (unsigned(B.n) + warps - 1) / warps, grid = blocks < most ? blocks : most;

  if (!B.n) return nullptr;
  factor_kernel<<<grid, threads, 0, (cudaStream_t)stream>>>(B, rule, report);
  return launched();
}

/* A thread's part of -sum_j n_ij x_j for its row of a tile; x(column): x_j */
template <class X> __device__ static Scalar tile_part(const TiledTriangle &T, const Tile &t, int thread, X x)
{
  Scalar sum = 0;

  for (Index k = 0; k < t.steps; k++) {
    const Entry e = T.entry[(t.first + k) * T.threads + thread];
    sum += e.val[0] * x(e.col[0]) + e.val[1] * x(e.col[1]);
  }
  return sum;
}

/* Engine `levels`: a thread block for each tile of a level and vector */
__global__ void __launch_bounds__(1024) level_kernel(const __grid_constant__ TiledTriangle T, const __grid_constant__ Vectors v, Index first)
{
  __shared__ Scalar scratch[32];
  const Tile        t = T.tile[first + Index(blockIdx.x / v.count)];
  const int         k = int(blockIdx.x % v.count), thread = int(threadIdx.x), parts = threads_of_row(t.parts, T.threads);
  Scalar           *y   = v.work + std::size_t(k) * T.n;
  Scalar            sum = tile_part(T, t, thread, [&](std::int32_t j) { return j == T.n ? Scalar(0) : y[j]; });
  const Index       i   = Index(T.entry[(t.first + t.steps - 1) * T.threads + thread].control & row_mask); /* its row's position */

  sum = t.parts == whole_block ? sum_block(sum, scratch, T.threads, []() { __syncthreads(); }) : sum_parts(sum, parts);
  if (thread % parts || i >= T.n) return;
  const Index row = T.order[i];
  y[i]            = right_hand_side(v, k, row) + sum;
  if (v.scaling != Scaling::after) store_solution(v, k, row, [&](Index) { return y[i]; });
}

Status store_scaled(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
{
  const TiledTriangle t = T;
  const Vectors       u = v;

  return each(std::size_t(T.n) * v.count, stream, [=] __device__(std::size_t e) {
    const int k = int(e / t.n);
    store_solution(u, k, Index(e % t.n), [&](Index c) { return u.work[std::size_t(k) * t.n + t.position[c]]; });
  });
}

static Status solve_levels(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
{
  const Vectors u     = v;
  Status        bad   = nullptr;
  Index         first = 0;

  if (!T.depends)
    return each(std::size_t(T.n), stream, [=] __device__(std::size_t i) {
      for (int k = 0; k < u.count; k++) store_solution(u, k, Index(i), [&](Index c) { return right_hand_side(u, k, c); });
    });
  for (Index k = 0; k < T.ntiles && !bad; k++) {
    if (!T.host_tile[k].last) continue;
    level_kernel<<<unsigned(k + 1 - first) * unsigned(v.count), unsigned(T.threads), 0, stream>>>(T, v, first);
    first = k + 1;
    bad   = launched();
  }
  return bad || v.scaling != Scaling::after ? bad : store_scaled(T, v, stream);
}

Status solve_cuda(const TiledTriangle &T, const Vectors &v, Stream s)
{
  const cudaStream_t stream = (cudaStream_t)s;

  if (!T.n || !v.count) return nullptr;
  if (T.engine == Engine::levels) return solve_levels(T, v, stream);
  return T.engine == Engine::chunks ? solve_chunks(T, v, stream) : solve_syncfree(T, v, stream);
}

} // namespace hepta::bbs

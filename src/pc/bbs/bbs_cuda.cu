/* The launchers of bbs_kernels.hxx on the device: the factorization, and the engines `levels` and `syncfree` */
#include "../../shared/processors.cuh"
#include "../../shared/warp.cuh"
#include "bbs_device.cuh"

namespace hepta::bbs
{

HEPTA_EACH(add_to_diagonal)
HEPTA_EACH_WITH(fill, Entry<double>)
HEPTA_EACH_WITH(fill, Entry<float>)

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

/* A thread for each block row, a warp for each long block row */
static __global__ void scale_rows_kernel(const __grid_constant__ Blocks B, bool upper, factor::PivotRule rule,
                                         factor::Report *report)
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

/* Warps take rows in B.order, so a warp waits only for rows taken before */
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

/* Values that are not finite do not count: they spoil the rows that depend on them, and no other row */
static __global__ void largest_kernel(Index n, const __grid_constant__ Vectors v)
{
  const int   k     = int(blockIdx.x % v.count);
  const Index first = Index(blockIdx.x / v.count * blockDim.x + threadIdx.x), all = Index(gridDim.x / v.count * blockDim.x);
  unsigned long long most = 0;

  for (Index i = first; i < n; i += all) {
    const unsigned long long bits = magnitude_bits(right_hand_side(v, k, i));
    most                          = bits > most && bits < infinite_bits ? bits : most;
  }
  most = warp_max(most);
  if (threadIdx.x % 32 == 0) atomicMax(v.largest + k, most);
}

Status largest_cuda(Index n, const Vectors &v, Stream stream)
{
  constexpr Index threads = 256;
  const Index     blocks = (n + threads - 1) / threads, most = Index(2 * processors());

  if (!n || !v.count) return nullptr;
  largest_kernel<<<unsigned(blocks < most ? blocks : most) * unsigned(v.count), unsigned(threads), 0, (cudaStream_t)stream>>>(n,
                                                                                                                              v);
  return launched();
}

/* Engine `levels`: a thread block for each tile of a level and vector */
template <class V>
__global__ void __launch_bounds__(1024)
  level_kernel(const __grid_constant__ TiledTriangle T, const __grid_constant__ Vectors v, Index first)
{
  __shared__ V    scratch[32];
  const Tile      t     = T.tile[first + Index(blockIdx.x / v.count)];
  const Entry<V> *entry = (const Entry<V> *)T.entry;
  const int       k = int(blockIdx.x % v.count), thread = int(threadIdx.x), parts = threads_of_row(t.parts, T.threads);
  V              *y   = (V *)v.work + std::size_t(k) * T.n;
  const auto      x   = [&](std::int32_t j) { return j == T.n ? V(0) : y[j]; };
  V               sum = 0;

  for (Index s = 0; s < t.steps; s++) {
    const Entry<V> e = entry[(t.first + s) * T.threads + thread];
    sum += e.val[0] * x(e.col[0]) + e.val[1] * x(e.col[1]);
  }
  /* position of the thread's row */
  const Index i = Index(entry[(t.first + t.steps - 1) * T.threads + thread].control & row_mask);
  sum           = t.parts == whole_block ? sum_block(sum, scratch, T.threads, []() { __syncthreads(); }) : sum_parts(sum, parts);
  if (thread % parts || i >= T.n) return;
  const Index row = T.order[i];
  y[i]            = input<V>(v, k, row) + sum;
  if (v.scaling != Scaling::after) store_solution(v, k, row, [&](Index) { return output(v, k, y[i]); });
}

/* x <- D^-1 times the solutions in v.work, stored by position */
template <class V> static Status store_scaled(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
{
  const TiledTriangle t = T;
  const Vectors       u = v;

  return each(std::size_t(T.n) * v.count, stream, [=] __device__(std::size_t e) {
    const int k = int(e / t.n);
    store_solution(u, k, Index(e % t.n),
                   [&](Index c) { return output(u, k, ((const V *)u.work)[std::size_t(k) * t.n + t.position[c]]); });
  });
}

template <class V> static Status solve_levels(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
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
    level_kernel<V><<<unsigned(k + 1 - first) * unsigned(v.count), unsigned(T.threads), 0, stream>>>(T, v, first);
    first = k + 1;
    bad   = launched();
  }
  return bad || v.scaling != Scaling::after ? bad : store_scaled<V>(T, v, stream);
}

/*
   Engine `syncfree`: the warps of one kernel, all resident, take in turn a tile of 32 threads for a vector, level after level
   without a barrier. A warp waits for each missing value; a value is its own flag. Solutions are stored by level, so that
   neighboring rows wait for neighboring values. A warp reads its next tile while the present tile waits.
*/
/* more warps would mostly wait, and slow down working warps by loads */
constexpr int lanes = 32, warps = 4, per_multiprocessor = 4;
constexpr int round_steps = 2; /* steps whose values are waited for at once */

/* A tile for vector k, as this lane sees it */
template <class V> struct Task {
  Tile     tile;
  int      k;
  Index    at, row; /* position of the lane's row, T.n for none; the row */
  V        f;       /* right-hand side, for the row's first lane */
  Entry<V> e[round_steps];
};

/* Reads steps s and s + 1 of the tile; steps beyond its end are without entries */
template <class V> __device__ static void read_steps(const TiledTriangle &T, Task<V> &t, Index s, int lane)
{
  for (int u = 0; u < round_steps; u++) {
    if (s + u < t.tile.steps) t.e[u] = ((const Entry<V> *)T.entry)[(t.tile.first + s + u) * lanes + lane];
    else t.e[u].col[0] = t.e[u].col[1] = std::int32_t(T.n), t.e[u].val[0] = t.e[u].val[1] = 0;
  }
}

template <class V> __device__ static Task<V> read_task(const TiledTriangle &T, const Vectors &v, unsigned task, int lane)
{
  Task<V> t;

  t.k    = int(task % unsigned(v.count));
  t.tile = T.tile[task / unsigned(v.count)];
  read_steps(T, t, 0, lane);
  t.at  = Index(t.e[0].control & row_mask);
  t.row = t.at < T.n ? T.order[t.at] : 0;
  t.f   = t.at < T.n && lane % (1 << t.tile.parts) == 0 ? input<V>(v, t.k, t.row) : V(0);
  return t;
}

template <class V> __device__ static void expect_values(const TiledTriangle &T, const Task<V> &t, V (&x)[2 * round_steps])
{
  for (int k = 0; k < 2 * round_steps; k++) x[k] = t.e[k / 2].col[k % 2] < T.n ? from_bits<V>(unset<V>) : V(0);
}

template <class V>
__device__ static void end_row(const TiledTriangle &T, const Vectors &v, const Task<V> &t, V *y, V *next, V sum)
{
  if (t.at >= T.n) return;
  sum = set_value(sum);
  store_relaxed(y + t.at, sum);
  if (next) next[t.at] = from_bits<V>(unset<V>);
  if (v.scaling != Scaling::after) store_solution(v, t.k, t.row, [&](Index) { return output(v, t.k, sum); });
}

/*
   A lane that does not share its row completes the row as soon as the row's values are set. Waiting for the whole warp would
   delay all dependent rows by the slowest lane.
*/
template <class V> __device__ static void solve_task(const TiledTriangle &T, const Vectors &v, V *next, Task<V> &t, int lane)
{
  V         *y     = (V *)v.work + std::size_t(t.k) * T.n;
  const bool alone = t.tile.parts == 0;
  bool       busy  = true;
  Index      s     = 0;
  V          sum   = t.f, x[2 * round_steps];

  expect_values(T, t, x);
  while (__any_sync(0xffffffffu, busy)) {
    if (!busy || !look_for(x, [&](int k) { return y + t.e[k / 2].col[k % 2]; })) continue;
    for (int k = 0; k < 2 * round_steps; k++) sum += t.e[k / 2].val[k % 2] * x[k];
    s += round_steps;
    busy = s < t.tile.steps;
    if (!busy && alone) end_row(T, v, t, y, next, sum);
    if (!busy) continue;
    read_steps(T, t, s, lane);
    expect_values(T, t, x);
  }
  if (alone) return;
  sum = sum_parts(sum, 1 << t.tile.parts);
  if (lane % (1 << t.tile.parts) == 0) end_row(T, v, t, y, next, sum);
}

template <class V>
static __global__ void __launch_bounds__(lanes *warps)
  syncfree_kernel(const __grid_constant__ TiledTriangle T, const __grid_constant__ Vectors v, V *next_work)
{
  const int      lane = int(threadIdx.x % lanes);
  const unsigned all = gridDim.x * warps, tasks = unsigned(T.ntiles) * unsigned(v.count);
  unsigned       n    = blockIdx.x + gridDim.x * (threadIdx.x / lanes); /* neighboring tiles are on different multiprocessors */
  Task<V>        next = n < tasks ? read_task<V>(T, v, n, lane) : Task<V>();

  while (n < tasks) {
    Task<V> now = next;
    n += all;
    if (n < tasks) next = read_task<V>(T, v, n, lane);
    solve_task(T, v, next_work, now, lane);
  }
}

/* As many thread blocks as can be resident, since warps wait for each other, but at most per_multiprocessor on each
   multiprocessor */
Status syncfree_blocks_cuda(bool single, int *blocks)
{
  int    resident;
  Status bad = with_values(single, [&](auto v) {
    return cuda_status(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, syncfree_kernel<decltype(v)>, lanes * warps, 0));
  });
  if (!bad) *blocks = (resident < per_multiprocessor ? resident : per_multiprocessor) * processors();
  return bad;
}

/*
   The kernel fills the buffer of the next solve with `unset`, which saves a memset for each solve. CUDA refuses the cooperative
   launch unless all thread blocks can be resident.
*/
template <class V> static Status solve_syncfree(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
{
  V     *next   = (V *)T.next;
  void  *args[] = {(void *)&T, (void *)&v, (void *)&next};
  Status bad =
    T.ready ? nullptr : cuda_status(cudaMemsetAsync(v.work, unset_byte, std::size_t(T.n) * v.count * sizeof(V), stream));

  if (!bad)
    bad = cuda_status(cudaLaunchCooperativeKernel((const void *)syncfree_kernel<V>, dim3(unsigned(T.blocks)), dim3(lanes * warps),
                                                  args, 0, stream));
  return bad || v.scaling != Scaling::after ? bad : store_scaled<V>(T, v, stream);
}

Status solve_cuda(const TiledTriangle &T, const Vectors &v, Stream s)
{
  const cudaStream_t stream = (cudaStream_t)s;

  if (!T.n || !v.count) return nullptr;
  if (T.engine == Engine::chunks) return solve_chunks(T, v, stream);
  return with_values(T.single, [&](auto a) {
    using V = decltype(a);
    return T.engine == Engine::levels ? solve_levels<V>(T, v, stream) : solve_syncfree<V>(T, v, stream);
  });
}

} // namespace hepta::bbs

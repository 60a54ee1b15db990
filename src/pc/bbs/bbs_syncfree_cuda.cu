/*
   Engine `syncfree`: one kernel whose warps, all resident, take the tiles of 32 threads in turn, one for each vector, level after level without a barrier: a
   warp waits for values that are not computed yet, which are their own flags. Solutions are stored by level, so that neighboring rows wait for neighboring values.
   The next tile is read while the present one waits.
*/
#include "../../shared/processors.cuh"
#include "bbs_device.cuh"

namespace hepta::bbs
{

constexpr int lanes = 32, warps = 4, per_multiprocessor = 4; /* more warps would mostly wait, and their loads would slow others down */
constexpr int round_steps = 2;                               /* steps whose values are waited for at once */

/* A tile for vector k, from the view of this lane */
struct Task {
  Tile   tile;
  int    k;
  Index  at, row; /* the position of its row, T.n for none; the row */
  Scalar f;       /* right-hand side, for the row's first lane */
  Entry  e[round_steps];
};

/* Reads steps s and s + 1 of the tile; steps beyond its end are without entries */
__device__ static void read_steps(const TiledTriangle &T, Task &t, Index s, int lane)
{
  for (int u = 0; u < round_steps; u++) {
    if (s + u < t.tile.steps) t.e[u] = T.entry[(t.tile.first + s + u) * lanes + lane];
    else t.e[u].col[0] = t.e[u].col[1] = std::int32_t(T.n), t.e[u].val[0] = t.e[u].val[1] = 0;
  }
}

__device__ static Task read_task(const TiledTriangle &T, const Vectors &v, unsigned task, int lane)
{
  Task t;

  t.k    = int(task % unsigned(v.count));
  t.tile = T.tile[task / unsigned(v.count)];
  read_steps(T, t, 0, lane);
  t.at  = Index(t.e[0].control & row_mask);
  t.row = t.at < T.n ? T.order[t.at] : 0;
  t.f   = t.at < T.n && lane % (1 << t.tile.parts) == 0 ? right_hand_side(v, t.k, t.row) : Scalar(0);
  return t;
}

__device__ static void expect_values(const TiledTriangle &T, const Task &t, Scalar (&x)[2 * round_steps])
{
  for (int k = 0; k < 2 * round_steps; k++) x[k] = t.e[k / 2].col[k % 2] < T.n ? as_scalar(unset) : Scalar(0);
}

__device__ static void end_row(const TiledTriangle &T, const Vectors &v, const Task &t, Scalar *y, Scalar *next, Scalar sum)
{
  if (t.at >= T.n) return;
  sum = set_value(sum);
  store_relaxed(y + t.at, sum);
  if (next) next[t.at] = as_scalar(unset);
  if (v.scaling != Scaling::after) store_solution(v, t.k, t.row, [&](Index) { return sum; });
}

/*
   A lane that does not share its row completes it as soon as its own values are set. If it waited for the other lanes of its warp, the slowest one would
   delay all rows that depend on the others.
*/
__device__ static void solve_task(const TiledTriangle &T, const Vectors &v, Scalar *next, Task &t, int lane)
{
  Scalar    *y     = v.work + std::size_t(t.k) * T.n;
  const bool alone = t.tile.parts == 0;
  bool       busy  = true;
  Index      s     = 0;
  Scalar     sum   = t.f, x[2 * round_steps];

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

static __global__ void __launch_bounds__(lanes * warps) syncfree_kernel(const __grid_constant__ TiledTriangle T, const __grid_constant__ Vectors v, Scalar *next_work)
{
  const int      lane = int(threadIdx.x % lanes);
  const unsigned all = gridDim.x * warps, tasks = unsigned(T.ntiles) * unsigned(v.count);
  unsigned       n    = blockIdx.x + gridDim.x * (threadIdx.x / lanes); /* neighboring tiles are on different multiprocessors */
  Task           next = n < tasks ? read_task(T, v, n, lane) : Task();

  while (n < tasks) {
    Task now = next;
    n += all;
    if (n < tasks) next = read_task(T, v, n, lane);
    solve_task(T, v, next_work, now, lane);
  }
}

/* As many thread blocks as can be resident, since warps wait for each other, but at most per_multiprocessor on each multiprocessor */
Status syncfree_blocks_cuda(int *blocks)
{
  int    resident;
  Status bad = cuda_status(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, syncfree_kernel, lanes * warps, 0));
  if (!bad) *blocks = (resident < per_multiprocessor ? resident : per_multiprocessor) * processors();
  return bad;
}

/*
   The kernel fills the buffer of the next solve with `unset`, which saves a memset for each solve. It is launched cooperatively, which CUDA
   refuses unless all thread blocks can be resident.
*/
Status solve_syncfree(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
{
  Scalar *next   = T.next;
  void   *args[] = {(void *)&T, (void *)&v, (void *)&next};
  Status  bad    = T.ready ? nullptr : cuda_status(cudaMemsetAsync(v.work, unset_byte, std::size_t(T.n) * v.count * sizeof(Scalar), stream));

  if (!bad) bad = cuda_status(cudaLaunchCooperativeKernel((const void *)syncfree_kernel, dim3(unsigned(T.blocks)), dim3(lanes * warps), args, 0, stream));
  return bad || v.scaling != Scaling::after ? bad : store_scaled(T, v, stream);
}

} // namespace hepta::bbs

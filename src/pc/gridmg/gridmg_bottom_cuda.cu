/*
   The coarse levels of red-black multigrid in one launch, since a launch for each leg of a level takes longer than its
   arithmetic. A thread block, the leader, has all cells of a level in the cubes of its threads, with the cubes' data of all
   levels in shared memory. The inverse of the last level is too large for one multiprocessor to read in time: in a cluster each
   thread block has some rows of the inverse. Matrices and inverse are fetched while the kernel before ends.
*/
#include <atomic>

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "../../shared/warp.cuh"
#include "gridmg_cube.cuh"
#include "gridmg_launch.hxx"
#include "gridmg_tiles.cuh"

namespace hepta::gridmg
{

constexpr int CLUSTER = 8; /* thread blocks, the most that each device with clusters can have */

/* A thread block's rows of the inverse */
HEPTA_HD int inverse_rows(int n, int blocks)
{
  return (n + blocks - 1) / blocks;
}

/* n numbers that arrive at __pipeline_wait_prior() */
__device__ inline void fetch(double *to, const double *from, int n)
{
  for (int q = int(threadIdx.x); q < n; q += int(blockDim.x)) __pipeline_memcpy_async(to + q, from + q, sizeof(double));
}

/* Thread blocks of a cluster: arrive at a barrier, wait for all thread blocks; the address p in another thread block */
#if defined(_CG_HAS_CLUSTER_GROUP)
__device__ inline void tell_blocks()
{
  cooperative_groups::this_cluster().barrier_arrive();
}

__device__ inline void wait_for_blocks()
{
  cooperative_groups::this_cluster().barrier_wait();
}

template <class T> __device__ T *of_block(T *p, int block)
{
  return cooperative_groups::this_cluster().map_shared_rank(p, unsigned(block));
}
#else
__device__ inline void tell_blocks()
{
}

__device__ inline void wait_for_blocks()
{
  __syncthreads();
}

template <class T> __device__ T *of_block(T *p, int)
{
  return p;
}
#endif

/* The leader's z <- A^-1 r on the last level, of n cells, in this block's rows; inverse: the first of these rows */
template <int D, class T> __device__ void solve(const Grid &g, int n, const double *inverse, const double *r, T *arrays)
{
  const int rows = inverse_rows(n, int(gridDim.x)), first = int(blockIdx.x) * rows;

  for (int e = int(threadIdx.x) / WARP; e < rows && first + e < n; e += int(blockDim.x) / WARP) {
    const Index x[3] = {Index(first + e) % g.n[0], Index(first + e) / g.n[0] % g.n[1], Index(first + e) / g.n[0] / g.n[1]};
    double      sum  = 0;
#pragma unroll 8
    for (int f = int(threadIdx.x) % WARP; f < n; f += WARP) sum += inverse[e * n + f] * r[f];
    sum = warp_sum(sum);
    if (threadIdx.x % WARP == 0) of_block(arrays, 0)[cube_place<D>(x)] = T(sum);
  }
}

/* The data of the threads' cubes on the levels before the last level */
template <int D, class T, class U> struct Leader {
  static constexpr int CELLS = 1 << D, FACE = CELLS / 2, COUPLINGS = 3 * D * FACE;
  static constexpr int NUMBERS = 2 * CELLS + COUPLINGS + FACE; /* of a cube: e, the couplings, the right-hand side, t */

  const Bottom<T, U> &b;
  T                  *arrays; /* of the cubes */
  T                  *known;
  double             *r; /* the last level's right-hand side, in all thread blocks */

  /* The first number of a cube of level l, and how far apart its numbers are */
  __device__ T *number(int l, Index i, Index j, Index k) const
  {
    return known + b.at[l] + i + cubes(l, 0) * (j + cubes(l, 1) * k);
  }
  __device__ int cubes(int l, int a) const { return a < D ? int(b.level[l].g.n[a] + 1) / 2 : 1; }
  __device__ int apart(int l) const { return cubes(l, 0) * cubes(l, 1) * cubes(l, 2); }
  __device__ T  *number(int l, const Cube<D, T> &c) const { return number(l, c.place(0), c.place(1), c.place(2)); }
  __device__ Cube<D, T> cube(int l) const
  {
    const Index none[3] = {0, 0, 0};

    return Cube<D, T>(b.level[l].g, arrays, none);
  }
  __device__ void begin() const
  {
    clear_arrays<D>(arrays);
    for (int l = 0; l + 1 < b.levels; l++) {
      Cube<D, T> c = cube(l);
      T *const   p = number(l, c);
      const int  n = apart(l);
      c.load_matrix(b.level[l]);
      if (!c.any) continue;
      HEPTA_DEVICE_UNROLL
      for (int k = 0; k < CELLS; k++) p[k * n] = c.e[k];
      HEPTA_DEVICE_UNROLL
      for (int k = 0; k < COUPLINGS; k++) p[(CELLS + k) * n] = (&c.a[0][0][0])[k];
      HEPTA_DEVICE_UNROLL
      for (int k = 0; k < CELLS; k++) p[(CELLS + COUPLINGS + k) * n] = 0; /* some are beyond the grid */
    }
  }
  __device__ __forceinline__ void recall(const T *p, int n, Cube<D, T> *c) const
  {
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < CELLS; k++) c->e[k] = c->any ? p[k * n] : T(0);
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < COUPLINGS; k++) (&c->a[0][0][0])[k] = c->any ? p[(CELLS + k) * n] : T(0);
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < CELLS; k++) c->s[k] = c->any ? p[(CELLS + COUPLINGS + k) * n] : T(0);
  }
  /* The right-hand side of cell I of level l; of the last level to all thread blocks */
  __device__ void put(int l, const Index I[3], T s) const
  {
    const Grid &g = b.level[l].g;

    if (l + 1 < b.levels) {
      const int q = int((I[0] & 1) + 2 * (I[1] & 1) + 4 * (I[2] & 1));
      number(l, I[0] >> 1, I[1] >> 1, I[2] >> 1)[(CELLS + COUPLINGS + q) * apart(l)] = s;
    } else {
      const Index row = gridmg::row(g, I[0], I[1], I[2]);
      for (int k = 0; k < int(gridDim.x); k++) of_block(r, k)[row] = s;
    }
  }
  __device__ void down(int l, int sweeps) const
  {
    const Level<T, U> &L = b.level[l], &C = b.level[l + 1];
    const Index        none[3] = {0, 0, 0};
    Cube<D, T>         c       = cube(l);
    T *const           p       = number(l, c);
    const int          n       = apart(l);
    T                  t[FACE];

    recall(p, n, &c);
    if (!l) {
      c.load_right_hand_side(L);
      HEPTA_DEVICE_UNROLL
      for (int k = 0; k < CELLS; k++) {
        if (c.any) p[(CELLS + COUPLINGS + k) * n] = c.s[k];
      }
    }
    c.down(sweeps, t);
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < FACE; k++) {
      if (c.any) p[(2 * CELLS + COUPLINGS + k) * n] = t[k];
    }
    c.restrict_residual(arrays, none, L, C, none, C.g.n, [&](const Index I[3], T s) { put(l + 1, I, s); });
    __syncthreads();
  }
  __device__ void up(int l, int sweeps, T weight) const
  {
    const Level<T, U> &L = b.level[l], &C = b.level[l + 1];
    Cube<D, T>         c = cube(l);
    const T *const     p = number(l, c);
    const int          n = apart(l);
    T                  t[FACE];

    recall(p, n, &c);
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < FACE; k++) t[k] = c.any ? p[(2 * CELLS + COUPLINGS + k) * n] : T(0);
    c.correct(t, weight, L, C, [&](const Index I[3]) { return arrays[cube_place<D>(I)]; });
    __syncthreads(); /* now the next level's solution is no longer needed */
    c.up(sweeps);
    HEPTA_DEVICE_UNROLL
    for (int q = 0; q < CELLS; q++) {
      if (!l && c.inside(L.g, q & ~1)) L.z[c.index(L.g, q)] = c.z[q];
    }
  }
};

template <int D, class T, class U>
__global__ void __launch_bounds__(Cubes<D>::ALL) bottom_kernel(const __grid_constant__ Bottom<T, U> b, int sweeps, T weight)
{
  extern __shared__ double shared[];
  const int                last = b.levels - 1, block = int(blockIdx.x);
  const Grid              &g = b.level[last].g;
  const int                n = int(g.n[0] * g.n[1] * g.n[2]), rows = gridDim.x > 1 ? inverse_rows(n, int(gridDim.x)) : 0;
  double *const            mine   = shared + n;
  T *const                 arrays = (T *)(mine + rows * n);
  const Leader<D, T, U>    leader{b, arrays, arrays + Cubes<D>::SHARED, shared};

  let_next_begin();
  fetch(mine, b.inverse + block * rows * n, max(0, min(rows, n - block * rows)) * n);
  __pipeline_commit();
  if (!block) leader.begin();
  __pipeline_wait_prior(0);
  end_after_first();
  if (b.level[0].stop && *b.level[0].stop) return;
  tell_blocks();
  __syncthreads();
  if (!block) {
    if (b.scales && !threadIdx.x) take_largest(b.scales);
    for (int l = 0; l + 1 < last; l++) leader.down(l, sweeps);
  }
  wait_for_blocks(); /* all have begun */
  if (!block) leader.down(last - 1, sweeps);
  tell_blocks();
  wait_for_blocks();
  solve<D>(g, n, rows ? mine : b.inverse, shared, arrays);
  tell_blocks();
  wait_for_blocks();
  if (block) return;
  for (int l = last; l-- > 0;) leader.up(l, sweeps, weight);
}

/* Is there room for a cluster? One query for each new amount of shared memory, since a query takes as long as some launches. */
template <int D, class T, class U> bool takes_cluster(std::size_t bytes)
{
  static std::atomic<std::size_t> fitting[64], refused[64]; /* by device; refused: 0 if not known */
  int                             device = 0;

  if (cuda_status(cudaGetDevice(&device)) || device >= 64) return false;
  if (bytes > fitting[device] && (!refused[device] || bytes < refused[device])) {
    if (allow_most_shared(bottom_kernel<D, T, U>)) return false;
    (cluster_fits(CLUSTER, bottom_kernel<D, T, U>, dim3(Cubes<D>::ALL), bytes) ? fitting : refused)[device] = bytes;
  }
  return bytes <= fitting[device];
}

template <class T, class U> bool fit_block(int D, Bottom<T, U> *b)
{
  const std::size_t room = most_shared();

  return !by_axes(D, [&](auto axes) -> Status {
    const char *const large = "larger than a thread block";
    const Grid       &first = b->level[0].g, &last = b->level[b->levels - 1].g;
    const std::size_t n = std::size_t(last.n[0]) * last.n[1] * last.n[2];
    for (int a = 0; a < axes; a++) {
      if (first.n[a] > 2 * Cubes<axes>::N) return large;
    }
    for (int l = 0; l + 1 < b->levels; l++) {
      int cubes = 1;
      for (int a = 0; a < axes; a++) cubes *= int(b->level[l].g.n[a] + 1) / 2;
      b->at[l + 1] = b->at[l] + Leader<axes, T, U>::NUMBERS * cubes;
    }
    for (b->blocks = has_clusters() ? CLUSTER : 1;; b->blocks = 1) {
      const std::size_t rows = b->blocks > 1 ? std::size_t(inverse_rows(int(n), b->blocks)) : 0;
      b->bytes = (1 + rows) * n * sizeof(double) + (Cubes<axes>::SHARED + std::size_t(b->at[b->levels - 1])) * sizeof(T);
      if (b->bytes > room) return large;
      if (b->blocks == 1 || takes_cluster<axes, T, U>(b->bytes)) return nullptr;
    }
  });
}

template <class T, class U> Status bottom_cuda(int D, int sweeps, T weight, const Bottom<T, U> &b, Stream stream)
{
  return by_axes(D, [&](auto axes) {
    if (Status s = allow_most_shared(bottom_kernel<axes, T, U>)) return s;
    return launch_clusters(true, b.blocks, bottom_kernel<axes, T, U>, dim3(unsigned(b.blocks)), dim3(Cubes<axes>::ALL), b.bytes,
                           (cudaStream_t)stream, b, sweeps, weight);
  });
}

HEPTA_FLOAT_LEVELS(fit_block)
HEPTA_FLOAT_LEVELS(bottom_cuda)

} // namespace hepta::gridmg

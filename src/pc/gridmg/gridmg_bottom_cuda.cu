/*
   The coarse levels of red-black multigrid in one launch: one for each leg of a level takes longer than its arithmetic. A thread
   block, the leader, has all cells of a level in the cubes of its threads, and the arrays of all levels in shared memory. The inverse
   of the last level is too large for one multiprocessor to read in time: where thread blocks can share their memories, in clusters,
   the others have its rows in theirs. Couplings and inverse are fetched while the kernel before ends.
*/
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "../../shared/warp.cuh"
#include "gridmg_cube.cuh"
#include "gridmg_launch.hxx"
#include "gridmg_tiles.cuh"

namespace hepta::gridmg
{

constexpr int ALIGNED = 4; /* elements */
constexpr int CLUSTER = 8; /* thread blocks, the most that any device with clusters has */

/* Elements before the first cell of an array, one plane of zeros or more, and of an array */
HEPTA_HD int elements_before(int D, const Grid &g)
{
  return D == 1 ? ALIGNED : int(g.stride[D - 1]);
}

HEPTA_HD int elements(int D, const Grid &g)
{
  const int cells = D == 1 ? (int(g.n[0]) + ALIGNED - 1) / ALIGNED * ALIGNED : int(g.stride[D - 1] * g.n[D - 1]);

  return cells + 2 * elements_before(D, g);
}

/* The rows of the inverse of each thread block but the leader, or of the leader if there are no others */
HEPTA_HD int inverse_rows(int n, int blocks)
{
  return blocks > 1 ? (n + blocks - 2) / (blocks - 1) : n;
}

/* n bytes, a multiple of 8, that arrive at __pipeline_wait_prior() */
__device__ inline void fetch(void *to, const void *from, int n)
{
  for (int q = 8 * int(threadIdx.x); q < n; q += 8 * int(blockDim.x))
    __pipeline_memcpy_async((char *)to + q, (const char *)from + q, 8);
}

template <class T> __device__ void clear(T *p, int n)
{
  for (int q = int(threadIdx.x); q < n; q += int(blockDim.x)) p[q] = 0;
}

/* L with its arrays in shared memory, from `at` on */
template <int D, class T, class U> __device__ __forceinline__ Level<T, U> in_shared(const Level<T, U> &L, unsigned char *at)
{
  const int   n = elements(D, L.g);
  T          *p = (T *)at + elements_before(D, L.g);
  U          *a = (U *)(at + 4 * n * sizeof(T)) + elements_before(D, L.g);
  Level<T, U> S{};

  S.g = L.g;
  S.e = p;
  S.s = p + n;
  S.z = p + 2 * n;
  S.t = p + 3 * n;
  HEPTA_DEVICE_UNROLL
  for (int k = 0; k < D; k++) S.a[k] = a + k * n;
  return S;
}

#if defined(_CG_HAS_CLUSTER_GROUP)
__device__ inline void wait_for_blocks()
{
  cooperative_groups::this_cluster().sync();
}

template <class T> __device__ T *of_block(T *p, int block)
{
  return cooperative_groups::this_cluster().map_shared_rank(p, unsigned(block));
}
#else
__device__ inline void wait_for_blocks()
{
  __syncthreads();
}

template <class T> __device__ T *of_block(T *p, int)
{
  return p;
}
#endif

/* z <- A^-1 r in some rows of the last level S, which is the leader's; inverse: the first of these rows */
template <class T, class U>
__device__ void solve(const Level<T, U> &S, int n, int first, int rows, const double *inverse, const double *r)
{
  T *const z = of_block(S.z, 0);

  for (int e = int(threadIdx.x) / WARP; e < rows && first + e < n; e += int(blockDim.x) / WARP) {
    double sum = 0;
#pragma unroll 8
    for (int f = int(threadIdx.x) % WARP; f < n; f += WARP) sum += inverse[e * n + f] * r[f];
    sum = warp_sum(sum);
    if (threadIdx.x % WARP == 0) z[cycle::cell_index(S.g, Index(first + e))] = T(sum);
  }
}

/* The levels in shared memory, from `rest` on, after the arrays of the cubes */
template <int D, class T, class U> struct Leader {
  const Bottom<T, U> &b;
  T                  *cubes;
  unsigned char      *rest;

  __device__ Level<T, U> level(int l) const { return in_shared<D>(b.level[l], rest + b.at[l]); }
  __device__ void        begin() const
  {
    for (int l = 0; l < b.levels; l++) {
      const Level<T, U> S      = level(l);
      const int         before = elements_before(D, S.g), size = elements(D, S.g);
      fetch(S.e - before, b.level[l].e - before, size * int(sizeof(T)));
      HEPTA_DEVICE_UNROLL
      for (int k = 0; k < D; k++) fetch(S.a[k] - before, b.level[l].a[k] - before, size * int(sizeof(U)));
      clear(S.z - before, size);
      if (l) clear(S.s - before, size);
    }
    clear(cubes, Cubes<D>::SHARED);
  }
  __device__ void take_right_hand_side() const
  {
    const Level<T, U> S      = level(0);
    const int         before = elements_before(D, S.g);

    fetch(S.s - before, b.level[0].s - before, elements(D, S.g) * int(sizeof(T)));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
  }
  __device__ void down(int l, int sweeps) const
  {
    const Level<T, U> S = level(l), C = level(l + 1);
    const Index       none[3] = {0, 0, 0};
    Cube<D, T>        c(S.g, cubes, none);
    T                 z[Cube<D, T>::FACE];

    c.load(S);
    c.down(sweeps, z);
    of_color<D, RED>([&](int q) {
      if (c.inside(S.g, q & ~1)) S.t[c.index(S.g, q)] = z[q / 2];
    });
    sum_boxes<D, T>(cubes, none, S, C, none, C.g.n);
    __syncthreads();
  }
  /* z into `to`, an array as S.z */
  __device__ void up(int l, int sweeps, T weight, T *to) const
  {
    const Level<T, U> S = level(l), C = level(l + 1);
    const Index       none[3] = {0, 0, 0};
    Cube<D, T>        c(S.g, cubes, none);

    c.load(S);
    c.correct(2, weight, S, C);
    c.up(sweeps);
    HEPTA_DEVICE_UNROLL
    for (int q = 0; q < 1 << D; q++) {
      if (c.inside(S.g, q & ~1)) to[c.index(S.g, q)] = c.z[q];
    }
    __syncthreads();
  }
};

template <int D, class T, class U>
__global__ void __launch_bounds__(Cubes<D>::ALL) bottom_kernel(const __grid_constant__ Bottom<T, U> b, int sweeps, T weight)
{
  extern __shared__ double shared[];
  const int                last = b.levels - 1, n = int(b.level[last].g.n[0] * b.level[last].g.n[1] * b.level[last].g.n[2]);
  const int             block = int(blockIdx.x), rows = inverse_rows(n, int(gridDim.x)), first = block ? (block - 1) * rows : 0;
  T *const              cubes = (T *)(shared + n);
  const Leader<D, T, U> leader{b, cubes, (unsigned char *)(cubes + Cubes<D>::SHARED)};
  const Level<T, U>     S = leader.level(last);

  let_next_begin();
  if (!block) leader.begin();
  else if (first < n) fetch(shared + n, b.inverse + first * n, (first + rows < n ? rows : n - first) * n * int(sizeof(double)));
  end_after_first();
  if (b.level[0].stop && *b.level[0].stop) {
    __pipeline_wait_prior(0);
    return;
  }
  wait_for_blocks(); /* all have begun */
  if (!block) {
    leader.take_right_hand_side();
    if (b.scales && !threadIdx.x) cycle::take_largest(b.scales);
    for (int l = 0; l < last; l++) leader.down(l, sweeps);
    for (int q = int(threadIdx.x); q < n; q += int(blockDim.x)) {
      const double r = cycle::right_hand_side(S, Index(q));
      for (int k = 0; k < int(gridDim.x); k++) of_block(shared, k)[q] = r;
    }
  } else {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  }
  wait_for_blocks();
  if (block || gridDim.x == 1) solve(S, n, first, rows, block ? shared + n : b.inverse, shared);
  wait_for_blocks();
  if (block) return;
  for (int l = last; l-- > 0;) leader.up(l, sweeps, weight, l ? leader.level(l).z : b.level[0].z);
}

template <class T, class U> bool fit_block(int D, Bottom<T, U> *b)
{
  const std::size_t room = std::size_t(device_attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>());

  return !cycle::by_axes(D, [&](auto axes) -> Status {
    const char *const large = "larger than a thread block";
    const Grid       &first = b->level[0].g, &last = b->level[b->levels - 1].g;
    const std::size_t n = std::size_t(last.n[0]) * last.n[1] * last.n[2];
    for (int a = 0; a < axes; a++) {
      if (first.n[a] > 2 * Cubes<axes>::N) return large;
    }
    for (int l = 0; l < b->levels; l++)
      b->at[l + 1] = b->at[l] + elements(axes, b->level[l].g) * int(4 * sizeof(T) + axes * sizeof(U));
    const int         blocks = overlaps() ? CLUSTER : 1;
    const std::size_t leader = Cubes<axes>::SHARED * sizeof(T) + std::size_t(b->at[b->levels]);
    const std::size_t others = blocks > 1 ? std::size_t(inverse_rows(int(n), blocks)) * n * sizeof(double) : 0;
    b->bytes                 = n * sizeof(double) + std::max(leader, others);
    return b->bytes > room ? large : nullptr;
  });
}

template <class T, class U> Status bottom_cuda(int D, int sweeps, T weight, const Bottom<T, U> &b, Stream stream)
{
  return cycle::by_axes(D, [&](auto axes) {
    const auto kernel = bottom_kernel<axes, T, U>;
    if (Status s = cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(b.bytes)))) return s;
    const int blocks = overlaps() ? CLUSTER : 1;
    return launch_clusters(true, blocks, kernel, dim3(unsigned(blocks)), dim3(Cubes<axes>::ALL), b.bytes, (cudaStream_t)stream, b,
                           sweeps, weight);
  });
}

#define HEPTA_GRIDMG_OF(T, U) \
  template bool   fit_block(int, Bottom<T, U> *); \
  template Status bottom_cuda(int, int, T, const Bottom<T, U> &, Stream);
HEPTA_GRIDMG_OF(float, Bf16)
HEPTA_GRIDMG_OF(float, float)

} // namespace hepta::gridmg

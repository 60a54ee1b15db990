/*
   The coarse levels of red-black multigrid in one thread block, with their arrays, but for the inverse, in shared memory: a launch
   for each leg of a level takes longer than its arithmetic. The couplings and the inverse diagonals are fetched while the kernel
   before ends.
*/
#include <cuda_pipeline.h>

#include "../../shared/overlap.cuh"
#include "../../shared/warp.cuh"
#include "gridmg_launch.hxx"
#include "gridmg_row.hxx"

namespace hepta::gridmg
{

constexpr int WARP = 32, THREADS = 1024, WARPS = THREADS / WARP, ALIGNED = 4; /* elements */
constexpr int ROWS = 4; /* of the inverse, whose loads a warp has in flight at once */

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

template <class T, class U> std::size_t block_bytes(int D, const Grid &g)
{
  return std::size_t(elements(D, g)) * (4 * sizeof(T) + D * sizeof(U));
}

std::size_t block_room()
{
  return std::size_t(device_attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>());
}

/* n bytes, a multiple of 8, that arrive at __pipeline_wait_prior() */
__device__ inline void fetch(void *to, const void *from, int n)
{
  for (int q = 8 * int(threadIdx.x); q < n; q += 8 * THREADS) __pipeline_memcpy_async((char *)to + q, (const char *)from + q, 8);
}

template <class T> __device__ void clear(T *p, int n)
{
  for (int q = int(threadIdx.x); q < n; q += THREADS) p[q] = 0;
}

/* L with its arrays in shared memory, from `at` on */
template <int D, class T, class U> __device__ __forceinline__ Level<T, U> in_shared(const Level<T, U> &L, unsigned char *at)
{
  const int    n = elements(D, L.g);
  T           *p = (T *)at + elements_before(D, L.g);
  U           *a = (U *)(at + 4 * n * sizeof(T)) + elements_before(D, L.g);
  Level<T, U>  S{};

  S.g = L.g;
  S.e = p;
  S.s = p + n;
  S.z = p + 2 * n;
  S.t = p + 3 * n;
  HEPTA_DEVICE_UNROLL
  for (int k = 0; k < D; k++) S.a[k] = a + k * n;
  return S;
}

/* Calls f(m, c, i, j, k) for every second cell of each line, i even: its index, its color, and where it is. The cell after it may be padding. */
template <int D, class F> __device__ __forceinline__ void for_pairs(const Grid &g, const F &f)
{
  const int pairs = int(g.n[0] + 1) / 2, lines = int(g.n[1] * g.n[2]), shift = pairs > THREADS / 2 ? 10 : 32 - __clz(pairs - 1);

  for (int y = int(threadIdx.x) >> shift; y < lines; y += THREADS >> shift) {
    const Index j = D < 3 ? y : y % int(g.n[1]), k = D < 3 ? 0 : y / int(g.n[1]);
    for (int x = int(threadIdx.x) & ((1 << shift) - 1); x < pairs; x += 1 << shift)
      f(cycle::cell_index(g, 2 * x, j, k), color(g, 2 * x, j, k), Index(2 * x), j, k);
  }
}

/*
   z <- e (r - sum a z) in every cell of a color, and take(m, z). A line's last cell and the next line's first one may be neighbors in the
   arrays, with a coupling of zero, and may have one color: then one's z is not read, since another thread may be writing it.
*/
template <int D, class T, class U, class F>
__device__ __forceinline__ void relax_color(const Level<T, U> &L, int of, const T *r, const F &take)
{
  T *const  z    = L.z;
  const int last = int(L.g.n[0]) - 1;

  for_pairs<D>(L.g, [&](Index first, int c, Index x, Index, Index) {
    const Index i = x + (c ^ of), m = first + (c ^ of);
    if (i > last) return;
    z[m] = relaxed<D>(L, r ? r[m] : T(0), m, [=](Index q, int a, int side) { return a == 0 && i == (side > 0 ? last : 0) ? T(0) : z[q]; });
    take(m, z[m]);
  });
  __syncthreads();
}

/* The red-black sweeps before the coarse correction, as in gridmg_kernels.hxx */
template <int D, class T, class U> __device__ void sweep_down(const Level<T, U> &L, int sweeps)
{
  for_pairs<D>(L.g, [&](Index m, int c, Index, Index, Index) {
    const Index red = m + (c ^ RED);
    L.z[red] = L.t[red] = L.e[red] * L.s[red];
  });
  __syncthreads();
  for (int s = 1; s < 2 * sweeps; s++) {
    relax_color<D>(L, s & 1 ? BLACK : RED, s == 1 ? L.s : nullptr, [&](Index m, T d) {
      if (!(s & 1)) L.t[m] += d;
    });
  }
}

/* C.s <- the box sums of the residual, which is -sum a z in red cells */
template <int D, class T, class U> __device__ void restrict_sums(const Level<T, U> &L, const Level<T, U> &C)
{
  const T *const z     = L.z;
  const int      boxes = int(C.g.n[0] * C.g.n[1] * C.g.n[2]);

  for (int b = int(threadIdx.x); b < boxes; b += THREADS) {
    const Index I = b % int(C.g.n[0]), J = b / int(C.g.n[0]) % int(C.g.n[1]), K = b / int(C.g.n[0]) / int(C.g.n[1]);
    const Index at = cycle::cell_index(C.g, I, J, K);
    T           sum = 0;
    for (Index k = box_begin(L, C, D, 2, K); k < box_begin(L, C, D, 2, K + 1); k++) {
      for (Index j = box_begin(L, C, D, 1, J); j < box_begin(L, C, D, 1, J + 1); j++) {
        const Index i = box_begin(L, C, D, 0, I), end = box_begin(L, C, D, 0, I + 1);
        for (Index x = i + (color(L.g, i, j, k) ^ RED); x < end; x += 2)
          sum += cycle::over_neighbors<D>(L, cycle::cell_index(L.g, x, j, k), [=](Index q, int, int) { return z[q]; });
      }
    }
    C.s[at] = -sum;
  }
  __syncthreads();
}

/* The correction, and the sweeps after it */
template <int D, class T, class U>
__device__ void sweep_up(const Level<T, U> &L, const Level<T, U> &C, int sweeps, T weight)
{
  T *const       z    = L.z;

  for_pairs<D>(L.g, [&](Index m, int c, Index i, Index j, Index k) {
    const Index x = i + (c ^ RED);
    if (x < L.g.n[0]) z[m + (c ^ RED)] = L.t[m + (c ^ RED)] + weight * C.z[box_index<D, false>(L, C, x, j, k)];
  });
  __syncthreads();
  for (int s = 1; s <= 2 * sweeps; s++) relax_color<D>(L, s & 1 ? BLACK : RED, L.s, [](Index, T) {});
}

/* z <- A^-1 r on the last level, of n cells; r: room for n numbers */
template <class T, class U> __device__ void solve(const Level<T, U> &L, int n, const double *inverse, double *r)
{
  for (int q = int(threadIdx.x); q < n; q += THREADS) r[q] = cycle::right_hand_side(L, Index(q));
  __syncthreads();
  for (int first = int(threadIdx.x) / WARP; first < n; first += ROWS * WARPS) {
    double sum[ROWS] = {};
#pragma unroll 2
    for (int f = int(threadIdx.x) % WARP; f < n; f += WARP) {
#pragma unroll
      for (int k = 0; k < ROWS; k++) sum[k] += first + k * WARPS < n ? inverse[(first + k * WARPS) * n + f] * r[f] : 0;
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
      const double all = warp_sum(sum[k]);
      const int    e   = first + k * WARPS;
      if (threadIdx.x % WARP == 0 && e < n) L.z[cycle::cell_index(L.g, Index(e))] = T(all);
    }
  }
  __syncthreads();
}

template <int D, class T, class U>
__global__ void __launch_bounds__(THREADS) bottom_kernel(const __grid_constant__ Bottom<T, U> b, int sweeps, T weight)
{
  extern __shared__ double shared[];
  const int                last = b.levels - 1, n = int(b.level[last].g.n[0] * b.level[last].g.n[1] * b.level[last].g.n[2]);
  unsigned char *const     rest    = (unsigned char *)(shared + n);
  const auto               level   = [&](int l) { return in_shared<D>(b.level[l], rest + b.at[l]); };

  let_next_begin();
  for (int l = 0; l <= last; l++) {
    const Level<T, U> S      = level(l);
    const int         before = elements_before(D, S.g), size = elements(D, S.g);
    fetch(S.e - before, b.level[l].e - before, size * int(sizeof(T)));
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < D; k++) fetch(S.a[k] - before, b.level[l].a[k] - before, size * int(sizeof(U)));
    clear(S.z - before, size);
    if (l) clear(S.s - before, size);
  }
  end_after_first();
  const bool stopped = b.level[0].stop && *b.level[0].stop;
  {
    const Level<T, U> S      = level(0);
    const int         before = elements_before(D, S.g), size = elements(D, S.g);
    if (!stopped) fetch(S.s - before, b.level[0].s - before, size * int(sizeof(T)));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  if (stopped) return;
  __syncthreads();
  if (b.scales && !threadIdx.x) cycle::take_largest(b.scales);
  for (int l = 0; l < last; l++) {
    sweep_down<D>(level(l), sweeps);
    restrict_sums<D>(level(l), level(l + 1));
  }
  solve(level(last), n, b.inverse, shared);
  for (int l = last; l-- > 0;) sweep_up<D>(level(l), level(l + 1), sweeps, weight);
  const Level<T, U> S = level(0);
  for (int q = int(threadIdx.x); q < elements(D, S.g) - 2 * elements_before(D, S.g); q += THREADS) b.level[0].z[q] = S.z[q];
}

template <class T, class U> Status bottom_cuda(int D, int sweeps, T weight, const Bottom<T, U> &b, Stream stream)
{
  const Grid       &g = b.level[b.levels - 1].g;
  const std::size_t n = std::size_t(g.n[0]) * g.n[1] * g.n[2], bytes = b.at[b.levels] + n * sizeof(double);

  return cycle::by_axes(D, [&](auto axes) {
    const auto kernel = bottom_kernel<axes, T, U>;
    if (Status s = cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)))) return s;
    return launch_next(true, kernel, dim3(1), dim3(THREADS), bytes, (cudaStream_t)stream, b, sweeps, weight);
  });
}

#define HEPTA_GRIDMG_OF(T, U) \
  template std::size_t block_bytes<T, U>(int, const Grid &); \
  template Status      bottom_cuda(int, int, T, const Bottom<T, U> &, Stream);
HEPTA_GRIDMG_OF(float, Bf16)
HEPTA_GRIDMG_OF(float, float)
HEPTA_GRIDMG_OF(double, double)

} // namespace hepta::gridmg

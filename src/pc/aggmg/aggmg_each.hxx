/* Loops of aggmg beyond Each: over rows, with several threads for a row on a device, over the tiles of rows, and sums */
#pragma once

#include <cmath>
#include <cstring>

#if defined(__CUDACC__)
  #include <cub/block/block_reduce.cuh>

  #include "../../shared/overlap.cuh"
  #include "aggmg_staged.cuh"
#endif

#include "../../shared/group.hxx"
#include "aggmg_kernels.hxx"

namespace hepta::aggmg
{

/* A number that looks random in its high bits: two steps of SplitMix64 */
HEPTA_HD std::uint64_t scrambled(std::uint64_t n)
{
  std::uint64_t h = n + 0x9e3779b97f4a7c15ULL;

  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
}

/* *largest <- max(*largest, x) of positive numbers, as bits, atomically. *largest only grows: an old value costs time alone. */
HEPTA_HD void note_largest(long long *largest, double x)
{
  long long bits;

  memcpy(&bits, &x, sizeof(bits));
  if (bits <= *largest) return;
#if defined(__CUDA_ARCH__)
  atomicMax(largest, bits);
#else
  *largest = bits;
#endif
}

/*
   The place of a thread among the threads that share a node: row `in` of the tiles lane, lane + lanes, ... Nodes with more than
   32 rows are shared row by row.
*/
struct Place {
  std::size_t row; /* of all rows: row `in` of node `node` */
  Index       node;
  int         in, lane, lanes;
  int         rows, width; /* rows side by side, and threads for these rows */
  bool        ends;        /* does this thread hold the sum of the row? */
  bool        staged;      /* a row for each thread of the block, entries read together: see staged_sum() */
};

/* f(place) for all rows of A x, with `tiles` terms in all, in any order, unless *stop. All threads of a warp call f. */
template <class T, class F> Status each_row(const HostEach &, const Tiles<T> &A, std::size_t, const int *, F f)
{
  for (Index m = 0; m < A.rows; m++) {
    for (int r = 0; r < A.br; r++) f(Place{std::size_t(m) * A.br + r, m, r, 0, 1, 1, 1, true, false});
  }
  return nullptr;
}

/* each_row() for an f that calls sum_row() in all threads, with matrices of A's rows */
template <class T, class F> Status each_product(const HostEach &each, const Tiles<T> &A, std::size_t tiles, const int *stop, F f)
{
  return each_row(each, A, tiles, stop, f);
}

template <class F> Status each_row(const HostEach &, std::size_t n, std::size_t, const int *, F f)
{
  for (std::size_t i = 0; i < n; i++) f(Place{i, Index(i), 0, 0, 1, 1, 1, true, false});
  return nullptr;
}

/* The sum over the threads that share a row, in the thread with at.ends */
template <class T> HEPTA_HD T sum_lanes([[maybe_unused]] const Place &at, T sum)
{
#if defined(__CUDA_ARCH__)
  if (at.rows == 1) {
    for (int d = at.width / 2; d; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, at.width);
    return sum;
  }
  T all = 0;
  for (int lane = 0; lane < at.lanes; lane++) all += __shfl_sync(0xffffffffu, sum, lane * at.rows + at.in, at.width);
  return all;
#else
  return sum;
#endif
}

/* The sum of terms k = lane, lane + lanes, ... below n; on a device several loads are in flight */
template <class T, class F> HEPTA_HD T sum_terms(Index n, [[maybe_unused]] const Place &at, F term)
{
  T sum = 0;

#if defined(__CUDA_ARCH__)
  for (Index q = at.lane; q < n; q += 4 * at.lanes) {
    T some[4];
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < 4; k++) some[k] = q + k * at.lanes < n ? term(q + k * at.lanes) : T(0);
    sum += (some[0] + some[1]) + (some[2] + some[3]);
  }
#else
  for (Index q = 0; q < n; q++) sum += term(q);
#endif
  return sum;
}

/* The sum of term(a, j) over the entries a of a row; j: the column of a. On a device four tiles and three columns at a time. */
template <class T, class F> HEPTA_HD auto sum_row(const Tiles<T> &A, const Place &at, F term)
{
#if defined(__CUDA_ARCH__)
  if (at.staged) return staged_sum(A, term);
#endif
  using R           = decltype(term(T(), Index()));
  const Index begin = A.first[at.node], n = A.first[at.node + 1] - begin;
  const int   bc = A.bc, size = A.br * bc;

  if (size == 1) return sum_lanes(at, sum_terms<R>(n, at, [&](Index e) { return term(A.val[begin + e], A.col[begin + e]); }));
  const T *const     val = A.val + std::size_t(begin) * size + at.in * bc;
  const Index *const col = A.col + begin;
  R                  sum = 0;
#if defined(__CUDA_ARCH__)
  for (Index e = at.lane < at.lanes ? at.lane : n; e < n; e += 4 * at.lanes) {
    for (int c = 0; c < bc; c += 3) {
      R some[12];
      HEPTA_DEVICE_UNROLL
      for (int k = 0; k < 12; k++) {
        const Index tile = e + k / 3 * at.lanes;
        some[k]          = tile < n && c + k % 3 < bc ? term(val[tile * size + c + k % 3], col[tile] * bc + c + k % 3) : R(0);
      }
      HEPTA_DEVICE_UNROLL
      for (int k = 0; k < 12; k++) sum += some[k];
    }
  }
#else
  for (Index e = 0; e < n; e++) {
    R some = 0;
    for (int c = 0; c < bc; c++) some += term(val[std::size_t(e) * size + c], col[e] * bc + c);
    sum += some;
  }
#endif
  return sum_lanes(at, sum);
}

/* An entry of A x */
template <class T, class V> HEPTA_HD V product_at(const Tiles<T> &A, const V *x, const Place &at)
{
  return sum_row(A, at, [&](T a, Index j) { return V(a) * x[j]; });
}

/* f(m, e) for all tiles e of rows m */
template <class F> Status each_tile(const HostEach &, const Pattern &A, std::size_t, F f)
{
  for (Index m = 0; m < A.rows; m++) {
    for (Index e = A.first[m]; e < A.first[m + 1]; e++) f(m, e);
  }
  return nullptr;
}

/* work[0] <- the sum of term(i) for i < n, in a fixed order; work has SUM numbers, which must be zero before the first sum */
template <class F> Status sum_of(const HostEach &, std::size_t n, double *work, F term)
{
  work[0] = 0;
  for (std::size_t i = 0; i < n; i++) work[0] += term(i);
  return nullptr;
}

#if defined(__CUDACC__)
/* ALONE: a group is one row; threads of each group of rows: 2^shift */
template <bool ALONE, class F> __global__ void row_kernel(std::size_t groups, int rows, int br, int shift, const int *stop, F f)
{
  const int width = 1 << shift, k = int(threadIdx.x) & (width - 1), lane = ALONE ? k : k / rows, in = ALONE ? 0 : k - lane * rows;
  const std::size_t mine  = std::size_t(blockIdx.x) * (blockDim.x >> shift) + (threadIdx.x >> shift),
                    group = mine < groups ? mine : groups - 1;

  if (!begin_in_turn(stop)) return;
  if (ALONE)
    f(Place{group, Index(br == 1 ? group : group / br), br == 1 ? 0 : int(group % br), lane, width, 1, width, mine < groups && !k,
            false});
  else f(Place{group * rows + in, Index(group), in, lane, width / rows, rows, width, mine < groups && k < rows, false});
}

/*
   Threads for a group of rows: at most four tiles for each thread, and enough threads to fill the device, as far as there are
   tiles
*/
template <class F>
Status launch_rows(const DeviceEach &each, std::size_t groups, int rows, int br, std::size_t tiles, const int *stop, F f)
{
  int shift = 0;

  while (1 << shift < rows) shift++;
  while (shift < 5 && tiles > groups * std::size_t((1 << shift) / rows) * (groups << shift < 65536 ? 1 : 4)) shift++;
  const auto kernel = rows == 1 ? row_kernel<true, F> : row_kernel<false, F>;
  return groups ? launch_next(true, kernel, unsigned(((groups << shift) + 255) / 256), 256, 0, (cudaStream_t)each.stream, groups,
                              rows, br, shift, stop, f)
                : nullptr;
}

template <class T, class F> Status each_row(const DeviceEach &each, const Tiles<T> &A, std::size_t tiles, const int *stop, F f)
{
  const bool shared = A.br <= 32;

  return launch_rows(each, std::size_t(A.rows) * (shared ? 1 : A.br), shared ? A.br : 1, shared ? 1 : A.br,
                     shared ? tiles : tiles * A.br, stop, f);
}

template <class F> __global__ void __launch_bounds__(STAGE_ROWS) staged_kernel(Index rows, const int *stop, F f)
{
  const Index mine = Index(blockIdx.x) * STAGE_ROWS + Index(threadIdx.x), m = mine < rows ? mine : rows - 1;

  if (begin_in_turn(stop)) f(Place{std::size_t(m), m, 0, 0, 1, 1, 1, mine < rows, true});
}

/* Staged if a thread for each row fills the device */
template <class T, class F>
Status each_product(const DeviceEach &each, const Tiles<T> &A, std::size_t tiles, const int *stop, F f)
{
  if (A.br * A.bc > 1 || A.rows < 65536) return each_row(each, A, tiles, stop, f);
  return launch_next(true, staged_kernel<F>, unsigned((A.rows + STAGE_ROWS - 1) / STAGE_ROWS), STAGE_ROWS, 0,
                     (cudaStream_t)each.stream, A.rows, stop, f);
}

template <class F> Status each_row(const DeviceEach &each, std::size_t n, std::size_t terms, const int *stop, F f)
{
  return launch_rows(each, n, 1, 1, terms, stop, f);
}

template <class F> Status each_tile(const DeviceEach &each, const Pattern &A, std::size_t entries, F f)
{
  return each(entries, [=] __device__(std::size_t e) { f(A.row[e], Index(e)); });
}

/*
   Each thread block adds up a part; the last thread block adds the parts, and resets the count of thread blocks, the last number
*/
template <class F> __global__ void sum_kernel(std::size_t n, double *work, F term)
{
  using Reduce = cub::BlockReduce<double, PARTS>;
  __shared__ typename Reduce::TempStorage room;
  __shared__ bool                         last;
  unsigned *const                         count = (unsigned *)(work + 1 + PARTS);
  double                                  sum   = 0;

  for (std::size_t i = blockIdx.x * std::size_t(PARTS) + threadIdx.x; i < n; i += std::size_t(PARTS) * PARTS) sum += term(i);
  sum = Reduce(room).Sum(sum);
  if (!threadIdx.x) {
    work[1 + blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(count, 1u) == PARTS - 1;
  }
  __syncthreads();
  if (!last) return;
  sum = Reduce(room).Sum(__ldcg(work + 1 + threadIdx.x));
  if (threadIdx.x) return;
  work[0] = sum;
  *count  = 0;
}

template <class F> Status sum_of(const DeviceEach &each, std::size_t n, double *work, F term)
{
  sum_kernel<<<PARTS, PARTS, 0, (cudaStream_t)each.stream>>>(n, work, term);
  return launched();
}
#endif

} // namespace hepta::aggmg

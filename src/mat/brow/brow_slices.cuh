/*
   The kernels of device products with slices of blocked rows. Thread (b, r) of a slice multiplies row r of its block row b,

     y_i = sum over k, s of v[first*bs^2 + ((k*bs + s)*height + b)*bs + r] * x[col[first + k*height + b]*bs + s],

   so a warp reads 32 contiguous values; the rows of a block read the same x, which stays in the first-level cache meanwhile.
   If the rows are too few to occupy the device fully, `parts` threads share a row, each taking every parts-th batch of blocks;
   their sums are added in shared memory in a fixed order, so repeated products give the same bits.

   The sum of a row is handed to E, by which MatMult() stores the sum and a pass of a Krylov method also computes sums. begin()
   says whether there is work; row(p, m, r, sum) takes the sum of row r of block row m; end() is called after all rows of the
   thread.
*/
#pragma once

#include <algorithm>

#include "../../shared/overlap.cuh"
#include "brow_load.cuh"

namespace hepta::brow
{

constexpr int max_threads   = 512; /* of a thread block */
constexpr int row_threads   = 128; /* threads of a thread block, if each thread has one row */
constexpr int row_blocks    = 12;  /* thread blocks of row_threads that a multiprocessor holds, if tiles are single entries */
constexpr int split_threads = 64;  /* rows of a thread block, if threads share rows */

static_assert(max_parts * batch(1) == shared_values, "all_alone() counts on what threads read at once");

/*
   The sum of row r over the batches of blocks from `first` on, `step` blocks apart; v and col point to the thread's values and
   columns
*/
template <int N, int U, class V, class P>
__device__ __forceinline__ Scalar sliced_sum(const P &p, const V *v, const Index *col, Index length, Index first, Index step)
{
  constexpr int H = slice_height(N);
  Index         c[U], next[U];
  Scalar        sum = 0;

  load_columns(p, col, H, first, length, c);
  for (Index k = first; k < length; k += step) {
    V      a[U][N];
    Scalar x[U][N];

#pragma unroll
    for (int u = 0; u < U; u++) {
#pragma unroll
      for (int s = 0; s < N; s++) a[u][s] = k + u < length ? load(p, v + (std::size_t(k + u) * N + s) * (H * N)) : V(0);
    }
#pragma unroll
    for (int u = 0; u < U; u++) load_x(p, c[u], x[u]);
    load_columns(p, col, H, k + step, length, next);
#pragma unroll
    for (int u = 0; u < U; u++) {
#pragma unroll
      for (int s = 0; s < N; s++) sum += inside<N>(p, c[u], s) ? Scalar(a[u][s]) * x[u][s] : Scalar(0);
      c[u] = next[u];
    }
  }
  return sum;
}

/* sliced_sum() for any tile size */
template <class V, class P>
__device__ __forceinline__ Scalar sliced_sum_any(const P &p, const V *v, const Index *col, Index length, Index first, Index step)
{
  const int         n = p.A.bs, h = p.A.height;
  const std::size_t stride = std::size_t(h) * n;
  Scalar            sum    = 0;

  for (Index k = first; k < length; k += step) {
    const Index   c     = load(p, col + std::size_t(k) * h);
    const int     width = c == p.cut ? width_of(p.A, c) : n;
    const Scalar *x     = p.x + std::size_t(c) * n;
    const V      *a     = v + k * n * stride;

#pragma unroll 8
    for (int s = 0; s < width; s++) sum += Scalar(load(p, a + s * stride)) * __ldg(x + s);
  }
  return sum;
}

/* The sum over the threads in a column of the thread block, for the first of these threads */
__device__ __forceinline__ Scalar column_sum(Scalar sum, Scalar *sums)
{
  Scalar total = 0;

  sums[threadIdx.y * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  for (unsigned part = 0; part < blockDim.y; part++) total += sums[part * blockDim.x + threadIdx.x];
  return total;
}

template <int N, class P, class E> __global__ void __launch_bounds__(max_threads, 2) slices_kernel(const P p, E e)
{
  extern __shared__ double shared[];
  const SlicePosition      at    = position_of<N>(std::size_t(blockIdx.x) * blockDim.x + threadIdx.x, p.A.bs, p.A.height);
  const bool               valid = at.g < std::size_t(p.A.nslices);
  const int                n = N ? N : p.A.bs, parts = blockDim.y, part = threadIdx.y;
  const Index              m   = valid && part == 0 ? p.A.perm[at.q] : -1;
  Scalar                   sum = 0;

  if (!e.begin()) return;
  if (valid) {
    const std::size_t first = p.A.first[at.g];
    const auto       *v     = p.A.v + first * n * n + at.t;
    const Index      *col = p.A.col + first + at.t / n, length = p.A.length[at.q];

    if constexpr (N > 0) sum = sliced_sum<N, batch(N)>(p, v, col, length, part * batch(N), parts * batch(N));
    else sum = sliced_sum_any(p, v, col, length, part, parts);
  }
  if (parts > 1) sum = column_sum(sum, (Scalar *)shared);
  if (m >= 0) e.row(p, m, at.r, sum);
  e.end();
}

/*
   The kernel for single entries, a thread for each row. Rows are short, and a row waits in turn for its position, its columns and
   its x: more warps, not more loads of a thread, hide this latency. Half the batch of slices_kernel needs 40 registers instead of
   64, so a multiprocessor holds 48 warps instead of 32. Rows in natural order need no perm; store() skips positions beyond the
   last row.
*/
template <class P, class E> __global__ void __launch_bounds__(row_threads, row_blocks) entries_kernel(const P p, E e)
{
  const SlicePosition at = position_of<1>(std::size_t(blockIdx.x) * row_threads + threadIdx.x, 1, 0);

  if (!e.begin()) return;
  if (at.g < std::size_t(p.A.nslices)) {
    const Index       m     = p.A.natural ? at.q : p.A.perm[at.q];
    const std::size_t first = p.A.first[at.g] + at.t;
    const Scalar      sum   = sliced_sum<1, row_batch>(p, p.A.v + first, p.A.col + first, p.A.length[at.q], 0, row_batch);
    if (m >= 0) e.row(p, m, 0, sum);
  }
  e.end();
}

/* The threads that share a row of a slice, as given or by brow_shape.hxx */
template <int N, class V> int parts_of(const View<V> &A, std::size_t rows)
{
  const std::size_t blocks = A.nslices ? A.sliced / (std::size_t(A.nslices) * A.height) : 0;

  if (A.bx > 0) return std::min(A.bx, max_parts);
  return parts_of(rows, blocks, std::size_t(A.longest), N ? batch(N) : 1, enough_threads());
}

/* overlap: may the kernel begin before the end of the preceding kernel, of the rows that stand alone or of a pass? */
template <int N, class P, class E> Status launch_slices(const P &p, const E &e, bool overlap, cudaStream_t stream)
{
  const std::size_t rows  = std::size_t(p.A.nslices) * p.A.height * p.A.bs;
  const int         parts = parts_of<N>(p.A, rows), side = parts > 1 ? split_threads : row_threads;
  const unsigned    blocks = unsigned((rows + side - 1) / side);

  if constexpr (N == 1) {
    if (parts == 1) return launch_next(overlap, entries_kernel<P, E>, blocks, dim3(side), 0, stream, p, e);
  }
  return launch_next(overlap, slices_kernel<N, P, E>, blocks, dim3(side, parts), std::size_t(side) * parts * sizeof(Scalar),
                     stream, p, e);
}

} // namespace hepta::brow

/*
   The arithmetic of device products with the block diagonals, for the product kernels and for passes of Krylov methods. A thread
   block takes consecutive block rows with `rows` x `parts` threads: x is the row, and the `parts` threads of one x share that
   row's diagonals, so that small matrices fill the device. Values are read once, in order; the offsets travel as kernel
   arguments.

   Rows, for A x: thread (m, r) reads its row,

     y_i = sum over d, s of v[(d*bs + s)*ld + i] * x[(m + off[d])*bs + s].

   Columns, for A^T x and the half that is not stored: reading the column of thread (c, s) would stride through the blocks.
   Thread (c, r) reads row r of the blocks above c instead, in order, into one sum for each s, and the threads of c
   exchange the sums through shared memory,

     y_j = sum over r of (sum over d of v[(d*bs + s)*ld + (c - off[d])*bs + r] * x[(c - off[d])*bs + r]),  j = c*bs + s.

   The order of all sums is fixed, so repeated products give the same bits.
*/
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "../../shared/cuda_check.cuh"
#include "../../shared/processors.cuh"
#include "bdia_row.hxx"
#include "bdia_shape.hxx"

namespace hepta::bdia
{

struct Arguments {
  Index            off[max_arguments];
  __device__ Index operator[](int d) const { return off[d]; }
};

/* At most max_arguments offsets */
template <class V> Arguments arguments_of(const View<V> &A)
{
  Arguments off;

  std::copy_n(A.host_off, A.nd, off.off);
  return off;
}

/* Calls launch(offsets): Arguments for few offsets, faster than reads from memory, otherwise a pointer to device memory */
template <class V, class F> Status with_offsets(const View<V> &A, F launch)
{
  return A.nd > max_arguments ? launch(A.off) : launch(arguments_of(A));
}

/* The vector that is multiplied, as it stands in memory */
struct Plain {
  const Scalar *x;

  __device__ __forceinline__ Scalar operator()(std::size_t i) const { return __ldg(x + i); }
};

/* y <- A x; X gives an entry of x: Plain, or a function object that computes the entry from other vectors */
template <class V, class X> struct Operands {
  View<const V> A;
  Index         n; /* blocks of y */
  X             x;
  bool          keep; /* the values fit in the cache, for the next product */
};

template <class V> bool fits_cache(const View<V> &A)
{
  return A.nd * A.bs * A.ld * sizeof(V) <= kept_in_cache();
}

/*
   A value read once a product: not cached in place of data that is read again, unless all values fit in the cache, as only in
   matrices so small that threads share rows
*/
template <bool SPLIT, class V> __device__ __forceinline__ V load(bool keep, const V *v)
{
  return SPLIT && keep ? __ldg(v) : __ldcs(v);
}

/* Row i = m*BS + r of the U diagonals from d on, and x for that row; zeros where a block is outside */
template <int BS, int U, bool SPLIT, Mode M, class V, class X, class O>
__device__ __forceinline__ void load_row(const Operands<V, X> &p, const O &off, int d, Index m, Index i, V (&v)[U][BS],
                                         Scalar (&x)[U][BS])
{
#pragma unroll
  for (int u = 0; u < U; u++) {
    const Index c      = d + u < p.A.nd ? m + off[d + u] : -1;
    const bool  inside = c >= 0 && c < p.A.nbc;
    const V    *row    = p.A.v + std::size_t(d + u) * BS * p.A.ld + i;

#pragma unroll
    for (int s = 0; s < BS; s++) {
      /* half storage reads the value again, as a column */
      v[u][s] = !inside ? V(0) : M == Mode::half ? __ldg(row + s * p.A.ld) : load<SPLIT>(p.keep, row + s * p.A.ld);
      x[u][s] = inside ? p.x(std::size_t(c) * BS + s) : Scalar(0);
    }
  }
}

/*
   Row r of the U blocks from d on in block column c, and x for that row; half storage leaves out offset 0, which is stored whole
*/
template <int BS, int U, bool SPLIT, Mode M, class V, class X, class O>
__device__ __forceinline__ void load_column(const Operands<V, X> &p, const O &off, int d, Index c, Index r, V (&v)[U][BS],
                                            Scalar (&x)[U])
{
#pragma unroll
  for (int u = 0; u < U; u++) {
    const Index o      = d + u < p.A.nd ? off[d + u] : 0;
    const Index m      = d + u < p.A.nd ? c - o : -1;
    const bool  inside = m >= 0 && m < p.A.nbr && (M != Mode::half || o != 0);
    const Index i      = m * BS + r;

    x[u] = inside ? p.x(i) : Scalar(0);
#pragma unroll
    for (int s = 0; s < BS; s++)
      v[u][s] = inside ? load<SPLIT>(p.keep, p.A.v + (std::size_t(d + u) * BS + s) * p.A.ld + i) : V(0);
  }
}

/* The sums of thread (m, r) over the diagonals first, first + step, ...: its row, and row r of the blocks in block column m */
template <int BS, int U, bool SPLIT, Mode M, class V, class X, class O>
__device__ __forceinline__ void add(const Operands<V, X> &p, const O &off, Index m, Index i, int first, int step, Scalar &row,
                                    Scalar (&columns)[BS])
{
  for (int d = first; d < p.A.nd; d += step) {
    V      v[U][BS], w[U][BS];
    Scalar x[U][BS], z[U];

    if (M != Mode::columns) load_row<BS, U, SPLIT, M>(p, off, d, m, i, v, x);
    if (M != Mode::rows) load_column<BS, U, SPLIT, M>(p, off, d, m, i - m * BS, w, z);
#pragma unroll
    for (int u = 0; u < U; u++) {
#pragma unroll
      for (int s = 0; s < BS; s++) {
        if (M != Mode::columns) row += Scalar(v[u][s]) * x[u][s];
        if (M != Mode::rows) columns[s] += Scalar(w[u][s]) * z[u];
      }
    }
  }
}

/* The sums for r = 0 ... BS - 1 and all parts, from shared memory; column s of `sums` begins at s*(threads + 1), which spreads
   the banks */
template <int BS> __device__ __forceinline__ Scalar exchange(const Scalar sum[BS], Scalar *sums, int rows, int parts)
{
  const int threads = rows * parts + 1, t = threadIdx.x, block = t / BS * BS, s = t % BS;
  Scalar    total = 0;

#pragma unroll
  for (int k = 0; k < BS; k++) sums[k * threads + threadIdx.y * rows + t] = sum[k];
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int part = 0; part < parts; part++) {
#pragma unroll
      for (int r = 0; r < BS; r++) total += sums[s * threads + part * rows + block + r];
    }
  }
  return total;
}

/* Diagonals that a product takes at a time where a matrix of block size 1 has few: all, so that no load is missing, or a batch */
template <int BS, bool SPLIT, Mode M, class F> Status with_batch(int nd, F launch)
{
  constexpr int usual = SPLIT ? 1 : batch(BS, M);

  if constexpr (BS == 1 && !SPLIT && M == Mode::rows) {
    if (nd == 5) return launch(std::integral_constant<int, 5>());
    if (nd == 7) return launch(std::integral_constant<int, 7>());
  }
  return launch(std::integral_constant<int, usual>());
}

/*
   (A x)_i, or (A^T x)_i, for i = tile*rows + threadIdx.x, valid in the threads with threadIdx.y == 0 and inside the matrix. All
   threads of the block must call.
*/
template <int BS, bool SPLIT, Mode M, int U = SPLIT ? 1 : batch(BS, M), class V, class X, class O>
__device__ __forceinline__ Scalar tile_sum(const Operands<V, X> &p, const O &off, Scalar *shared, Index i)
{
  const int   rows = blockDim.x, parts = SPLIT ? blockDim.y : 1;
  const Index m   = i / BS;
  Scalar      sum = 0, columns[BS] = {};

  if (i >= 0 && m < p.n) add<BS, U, SPLIT, M>(p, off, m, i, threadIdx.y * U, parts * U, sum, columns);
  if (M != Mode::rows && BS == 1) sum += columns[0];
  if (SPLIT && (M != Mode::columns || BS == 1)) { /* the parts of a row */
    const Scalar own[1] = {sum};
    sum                 = exchange<1>(own, shared, rows, parts);
    if (M == Mode::half && BS > 1) __syncthreads();
  }
  if (M != Mode::rows && BS > 1) sum += exchange<BS>(columns, shared, rows, parts);
  return sum;
}

/* The launch: `threads` rows side by side, `parts` threads for each row, and bytes of shared memory */
struct Shape {
  int         threads, parts;
  std::size_t bytes, tiles;
};

/* For n block rows and nd diagonals */
template <int BS, Mode M> Shape shape_of(Index n, int nd)
{
  const std::size_t rows = std::size_t(n) * BS, enough = enough_threads();
  const int         column_sums = M == Mode::rows || BS == 1 ? 0 : BS, sums = std::max(column_sums, 1),
            side = rows_of(BS, tuning().product_threads, true), least = rows_of(BS, 1, false),
            parts = parts_of(rows, nd, side, sums, enough);
  int threads     = rows_of(BS, tuning().product_threads, parts > 1);
  while (threads > least && shared_bytes(column_sums, threads * parts) > block_shared) threads -= least;
  return {threads, parts, shared_bytes(std::max(column_sums, parts > 1 ? 1 : 0), threads * parts),
          (rows + threads - 1) / threads};
}

} // namespace hepta::bdia

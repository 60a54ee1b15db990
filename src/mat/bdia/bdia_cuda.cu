/*
   Device products with the block diagonals. A thread block takes consecutive block rows; its threads stand in columns of
   `rows` threads, one per row, and `parts` of them share the diagonals of a row, so that small matrices fill the device.
   Values are read once, in order; the offsets travel as kernel arguments.

   Rows, for A x: thread (m, r) reads its row,

     y_i = sum over d, s of v[(d*bs + s)*ld + i] * x[(m + off[d])*bs + s].

   Columns, for A^T x and the half that is not stored: reading the column of thread (c, s) would stride through the blocks.
   Thread (c, r) reads row r of the blocks above c instead, in order, into one sum for each s, and the threads of c
   exchange them through shared memory,

     y_j = sum over r of (sum over d of v[(d*bs + s)*ld + (c - off[d])*bs + r] * x[(c - off[d])*bs + r]),  j = c*bs + s.

   The order of all sums is fixed, so repeated products give the same bits.
*/
#include <algorithm>

#include "../../shared/cuda_check.cuh"
#include "../../shared/processors.cuh"
#include "bdia_kernels.hxx"
#include "bdia_offsets.cuh"
#include "bdia_row.hxx"

namespace hepta::bdia
{

namespace
{

constexpr int         max_threads = 512;              /* of a thread block */
constexpr std::size_t max_shared  = 48 * 1024;        /* bytes that every thread block may have */
constexpr std::size_t cache_bytes = 32 * 1024 * 1024; /* a second-level cache of today keeps that much */

enum class Mode {
  rows,    /* y = A x */
  columns, /* y = A^T x */
  half     /* y = A x from half storage */
};

template <class V> struct Product {
  View<const V> A;
  Index         n; /* blocks of y */
  const Scalar *x, *z;
  Scalar       *y;
  bool          keep; /* the values fit in the cache, for the next product */
};

/* A value read once a product: out of the way of what is read again, unless all of them fit in the cache. Only matrices of which threads share rows are so small. */
template <bool SPLIT, class V> __device__ __forceinline__ V load(const Product<V> &p, const V *v)
{
  return SPLIT && p.keep ? __ldg(v) : __ldcs(v);
}

/* Diagonals whose loads are in flight together */
__host__ __device__ constexpr int batch(int bs, Mode mode)
{
  return bs == 1 ? (mode == Mode::half ? 4 : 8) : bs == 2 ? (mode == Mode::half ? 2 : 4) : bs <= 4 && mode != Mode::half ? 2 : 1;
}

/* Row i = m*BS + r of the U diagonals from d on, and the x that belongs to it; zeros where a block is outside */
template <int BS, int U, bool SPLIT, Mode M, class V, class O> __device__ __forceinline__ void load_row(const Product<V> &p, const O &off, int d, Index m, Index i, V (&v)[U][BS], Scalar (&x)[U][BS])
{
#pragma unroll
  for (int u = 0; u < U; u++) {
    const Index c      = d + u < p.A.nd ? m + off[d + u] : -1;
    const bool  inside = c >= 0 && c < p.A.nbc;
    const V    *row    = p.A.v + std::size_t(d + u) * BS * p.A.ld + i;

#pragma unroll
    for (int s = 0; s < BS; s++) {
      v[u][s] = !inside ? V(0) : M == Mode::half ? __ldg(row + s * p.A.ld) : load<SPLIT>(p, row + s * p.A.ld); /* half storage reads it again, as a column */
      x[u][s] = inside ? __ldg(p.x + std::size_t(c) * BS + s) : Scalar(0);
    }
  }
}

/* Row r of the U blocks from d on in block column c, and its x; half storage leaves out offset 0, which is stored whole */
template <int BS, int U, bool SPLIT, Mode M, class V, class O> __device__ __forceinline__ void load_column(const Product<V> &p, const O &off, int d, Index c, Index r, V (&v)[U][BS], Scalar (&x)[U])
{
#pragma unroll
  for (int u = 0; u < U; u++) {
    const Index o      = d + u < p.A.nd ? off[d + u] : 0;
    const Index m      = d + u < p.A.nd ? c - o : -1;
    const bool  inside = m >= 0 && m < p.A.nbr && (M != Mode::half || o != 0);
    const Index i      = m * BS + r;

    x[u] = inside ? __ldg(p.x + i) : Scalar(0);
#pragma unroll
    for (int s = 0; s < BS; s++) v[u][s] = inside ? load<SPLIT>(p, p.A.v + (std::size_t(d + u) * BS + s) * p.A.ld + i) : V(0);
  }
}

/* What thread (m, r) sums over the diagonals first, first + step, ...: its row, and row r of the blocks in block column m */
template <int BS, int U, bool SPLIT, Mode M, class V, class O> __device__ __forceinline__ void add(const Product<V> &p, const O &off, Index m, Index i, int first, int step, Scalar &row, Scalar (&columns)[BS])
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

/* The sums for r = 0 ... BS - 1 and all parts, from shared memory; column s of `sums` begins at s*(threads + 1), which spreads the banks */
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

template <int BS, bool SPLIT, Mode M, class V, class O> __global__ void __launch_bounds__(max_threads) product_kernel(const Product<V> p, const __grid_constant__ O off)
{
  extern __shared__ double shared[];
  constexpr int            U    = SPLIT ? 1 : batch(BS, M);
  const int                rows = blockDim.x, parts = SPLIT ? blockDim.y : 1;
  const Index              i = blockIdx.x * Index(rows) + threadIdx.x, m = i / BS;
  const bool               valid = i >= 0 && m < p.n;
  Scalar                   sum = 0, columns[BS] = {};

  if (valid) add<BS, U, SPLIT, M>(p, off, m, i, threadIdx.y * U, parts * U, sum, columns);
  if (M != Mode::rows && BS == 1) sum += columns[0];
  if (SPLIT && (M != Mode::columns || BS == 1)) { /* the parts of a row */
    const Scalar own[1] = {sum};
    sum                 = exchange<1>(own, (Scalar *)shared, rows, parts);
    if (M == Mode::half && BS > 1) __syncthreads();
  }
  if (M != Mode::rows && BS > 1) sum += exchange<BS>(columns, (Scalar *)shared, rows, parts);
  if (valid && threadIdx.y == 0) p.y[i] = (p.z ? p.z[i] : Scalar(0)) + sum;
}

/* The sum of v[k*stride] x[k] over k < n, with eight loads in flight together */
template <class V> __device__ __forceinline__ Scalar dot(int n, const V *v, std::size_t stride, const Scalar *x)
{
  constexpr int U   = 8;
  Scalar        sum = 0;
  int           k   = 0;

  for (; k + U <= n; k += U, v += U * stride) {
    V      a[U];
    Scalar b[U];

#pragma unroll
    for (int u = 0; u < U; u++) {
      a[u] = __ldcs(v + u * stride);
      b[u] = __ldg(x + k + u);
    }
#pragma unroll
    for (int u = 0; u < U; u++) sum += Scalar(a[u]) * b[u];
  }
  for (; k < n; k++, v += stride) sum += Scalar(*v) * x[k];
  return sum;
}

/* Any block size: a thread per row (or column) */
template <Mode M, class V> __global__ void any_kernel(const Product<V> p)
{
  const int   bs = p.A.bs;
  const Index i = blockIdx.x * Index(blockDim.x) + threadIdx.x, m = i / bs, r = i % bs;
  Scalar      sum = 0;

  if (i < 0 || m >= p.n) return;
  for (int d = 0; d < p.A.nd; d++) {
    const Index o = p.A.off[d], c = m + o, above = m - o;

    if (M != Mode::columns && c >= 0 && c < p.A.nbc) sum += dot(bs, p.A.v + slot(p.A, d, m, r, 0), p.A.ld, p.x + std::size_t(c) * bs);
    if (M != Mode::rows && above >= 0 && above < p.A.nbr && (M != Mode::half || o != 0)) sum += dot(bs, p.A.v + slot(p.A, d, above, 0, r), 1, p.x + std::size_t(above) * bs);
  }
  p.y[i] = (p.z ? p.z[i] : Scalar(0)) + sum;
}

/* Rows that fill the device with a thread each, near enough */
std::size_t enough_rows()
{
  return std::size_t(processors()) * 1024;
}

/* A multiple of both a warp and the block size, so that blocks do not straddle thread blocks */
constexpr int rows_of(int bs, bool split)
{
  const int odd = bs % 2 ? bs : bs / 2 % 2 ? bs / 2 : 1; /* 3, 5, 7, and 6's 3 */
  return odd == 1 ? (split ? 64 : 128) : odd * 32 * (split || odd > 3 ? 1 : 2);
}

/* Shared memory of the sums that threads exchange: one or (columns) BS of each */
std::size_t shared_bytes(int sums, int threads)
{
  return std::size_t(sums) * (threads + 1) * sizeof(Scalar);
}

/* Threads that share a row, `threads` of which stand side by side: more than one only where rows alone would not fill the device */
template <class V> int parts_of(const Product<V> &p, int threads, int sums)
{
  const std::size_t rows = std::size_t(p.n) * p.A.bs, enough = enough_rows();
  int               parts = 1;

  while (rows * parts < enough && 2 * parts <= 8 && 2 * parts <= p.A.nd && threads * 2 * parts <= max_threads && shared_bytes(sums, threads * 2 * parts) <= max_shared) parts *= 2;
  return parts;
}

template <int BS, Mode M, class V, class O> Status launch(const Product<V> &p, const O &off, cudaStream_t stream)
{
  const std::size_t rows        = std::size_t(p.n) * BS;
  const int         column_sums = M == Mode::rows || BS == 1 ? 0 : BS, parts = parts_of(p, rows_of(BS, true), std::max(column_sums, 1));
  const int         threads = rows_of(BS, parts > 1);
  const std::size_t bytes   = shared_bytes(std::max(column_sums, parts > 1 ? 1 : 0), threads * parts);
  const unsigned    blocks  = unsigned((rows + threads - 1) / threads);

  if (parts > 1) product_kernel<BS, true, M><<<blocks, dim3(threads, parts), bytes, stream>>>(p, off);
  else product_kernel<BS, false, M><<<blocks, threads, bytes, stream>>>(p, off);
  return launched();
}

template <int BS, Mode M, class V> Status launch_offsets(const Product<V> &p, cudaStream_t stream)
{
  return with_offsets(p.A, [&](const auto &off) { return launch<BS, M>(p, off, stream); });
}

template <Mode M, class V> Status run(const Product<V> &p, cudaStream_t stream)
{
  const std::size_t rows = std::size_t(p.n) * p.A.bs;

  if (!rows) return nullptr;
  switch (p.A.bs) {
  case 1: return launch_offsets<1, M>(p, stream);
  case 2: return launch_offsets<2, M>(p, stream);
  case 3: return launch_offsets<3, M>(p, stream);
  case 4: return launch_offsets<4, M>(p, stream);
  case 5: return launch_offsets<5, M>(p, stream);
  case 6: return launch_offsets<6, M>(p, stream);
  case 7: return launch_offsets<7, M>(p, stream);
  case 8: return launch_offsets<8, M>(p, stream);
  case 16: return launch_offsets<16, M>(p, stream);
  default: any_kernel<M><<<unsigned((rows + 255) / 256), 256, 0, stream>>>(p); return launched();
  }
}

template <class V> Product<std::remove_const_t<V>> product(const View<V> &A, Index n, const Scalar *x, const Scalar *z, Scalar *y)
{
  return {constant(A), n, x, z, y, A.nd * A.bs * A.ld * sizeof(V) <= cache_bytes};
}

} // namespace

template <class V> Status spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream)
{
  return A.half ? run<Mode::half>(product(A, A.nbr, x, z, y), (cudaStream_t)stream) : run<Mode::rows>(product(A, A.nbr, x, z, y), (cudaStream_t)stream);
}

template <class V> Status spmv_transpose_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream)
{
  return A.half ? spmv_cuda(A, x, z, y, stream) : run<Mode::columns>(product(A, A.nbc, x, z, y), (cudaStream_t)stream);
}

#define HEPTA_INSTANTIATE(V) \
  template Status spmv_cuda(const View<V> &, const Scalar *, const Scalar *, Scalar *, Stream); \
  template Status spmv_transpose_cuda(const View<V> &, const Scalar *, const Scalar *, Scalar *, Stream);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::bdia

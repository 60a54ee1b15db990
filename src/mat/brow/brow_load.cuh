/* How the device products read the values, the block columns and x */
#pragma once

#include <type_traits>

#include "../../shared/cuda_check.cuh"
#include "../../shared/processors.cuh"
#include "brow_kernels.hxx"
#include "brow_row.hxx"
#include "brow_shape.hxx"

namespace hepta::brow
{

/*
   The operands of y <- z + A x. KEEP: the values fit in the cache and stay there for the next product. WHOLE: no block column
   extends beyond the matrix's end, and x is aligned so that tiles of even size can read x in pairs; then no value is used under a
   condition, for which the compiler would delay the load of the value.
*/
template <class V, bool KEEP, bool WHOLE> struct Operands {
  View<const V> A;
  const Scalar *x, *z;
  Scalar       *y;
  Index         cut; /* the block column that extends beyond the matrix's end, -1 if none */
};

template <bool KEEP, bool WHOLE, class V>
Operands<V, KEEP, WHOLE> make_product(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y)
{
  return {constant(A), x, z, y, A.cols % A.bs ? A.nbc - 1 : -1};
}

/* Do the values and block columns stay in the second-level cache for the next product? */
template <class V> bool fits_cache(const View<V> &A)
{
  return A.slots() * sizeof(V) + A.total * sizeof(Index) <= kept_in_cache();
}

/* Calls f(product) with the product's kind; aligned: x can be read in pairs */
template <class V, class F> Status by_kind(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, bool aligned, F f)
{
  const bool whole = A.cols % A.bs == 0 && (A.bs % 2 || aligned);

  if (fits_cache(A)) return whole ? f(make_product<true, true>(A, x, z, y)) : f(make_product<true, false>(A, x, z, y));
  return whole ? f(make_product<false, true>(A, x, z, y)) : f(make_product<false, false>(A, x, z, y));
}

/* Loads data that a product reads once and that should not displace x from the cache, unless all data fits in the cache */
template <class V, bool KEEP, bool WHOLE, class T> __device__ __forceinline__ T load(const Operands<V, KEEP, WHOLE> &, const T *t)
{
  return KEEP ? __ldg(t) : __ldcs(t);
}

/* Block columns of the blocks k, k + 1, ... of a block row, `height` apart; -1 beyond its length */
template <int U, class P>
__device__ __forceinline__ void load_columns(const P &p, const Index *col, int height, Index k, Index length, Index (&c)[U])
{
#pragma unroll
  for (int u = 0; u < U; u++) c[u] = k + u < length ? load(p, col + std::size_t(k + u) * height) : -1;
}

/* Is column s of block column c inside the matrix? */
template <int N, class V, bool KEEP, bool WHOLE>
__device__ __forceinline__ bool inside(const Operands<V, KEEP, WHOLE> &p, Index c, int s)
{
  return N == 1 || WHOLE || c != p.cut || c * N + s < p.A.cols;
}

/* The x of block column c: zeros beyond the matrix and for column -1 */
template <int N, class V, bool KEEP, bool WHOLE>
__device__ __forceinline__ void load_x(const Operands<V, KEEP, WHOLE> &p, Index c, Scalar (&x)[N])
{
  using Pair = std::conditional_t<sizeof(Scalar) == 8, double2, float2>;

  if constexpr (WHOLE && N % 2 == 0) {
#pragma unroll
    for (int s = 0; s < N; s += 2) {
      const Pair two = c >= 0 ? __ldg((const Pair *)(p.x + std::size_t(c) * N + s)) : Pair{0, 0};
      x[s]           = two.x;
      x[s + 1]       = two.y;
    }
  } else {
#pragma unroll
    for (int s = 0; s < N; s++) x[s] = c >= 0 && inside<N>(p, c, s) ? __ldg(p.x + std::size_t(c) * N + s) : Scalar(0);
  }
}

/* The work of thread i among the threads of all slices: thread t of slice g, for row r of the block row at position q */
struct SlicePosition {
  std::size_t g;
  int         t, r;
  Index       q;
};

template <int N> __device__ __forceinline__ SlicePosition position_of(std::size_t i, int bs, int height)
{
  const int         n = N ? N : bs, h = N ? slice_height(N) : height;
  const std::size_t g = i / (h * n);
  const int         t = int(i - g * (h * n));

  return {g, t, t % n, Index(g) * h + t / n};
}

/* y <- z + sum for row r of block row m */
template <class P> __device__ __forceinline__ void store(const P &p, Index m, int r, Scalar sum)
{
  const Index i = m * p.A.bs + r;

  if (i < p.A.rows) p.y[i] = (p.z ? p.z[i] : Scalar(0)) + sum;
}

/* The part of spmv_cuda that multiplies the block rows that stand alone */
template <class V> Status alone_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
/* The part of spmm_cuda that multiplies the block rows that stand alone */
template <class V>
Status alone_columns_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream);

} // namespace hepta::brow

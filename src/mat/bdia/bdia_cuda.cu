/* Device products with the block diagonals: y <- z + A x and y <- z + A^T x, a tile of rows for each thread block */
#include <type_traits>

#include "../../shared/overlap.cuh"
#include "bdia_kernels.hxx"
#include "bdia_product.cuh"

namespace hepta::bdia
{

namespace
{

/* y <- z + A x, or the product of mode M */
template <class V> struct MultAdd {
  Operands<V, Plain> in;
  const Scalar      *z;
  Scalar            *y;
};

template <int BS, bool SPLIT, Mode M, class V, class O>
__global__ void __launch_bounds__(max_threads) product_kernel(const MultAdd<V> p, const __grid_constant__ O off)
{
  extern __shared__ double shared[];
  const Index              i = blockIdx.x * Index(blockDim.x) + threadIdx.x;

  if (p.in.A.beside) let_next_begin(); /* the ghost part's kernel may start now; that kernel waits for the end of this one */
  const Scalar sum = tile_sum<BS, SPLIT, M>(p.in, off, (Scalar *)shared, i);
  if (i >= 0 && i / BS < p.in.n && threadIdx.y == 0) p.y[i] = (p.z ? p.z[i] : Scalar(0)) + sum;
  if (p.in.A.beside) end_after_first();
}

/* The sum of v[k*stride] x[k] over k < n, with eight loads in flight at once, unlike row_sum() */
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

/* For any block size: a thread for each row (or column) */
template <Mode M, class V> __global__ void any_kernel(const MultAdd<V> product)
{
  const auto &p  = product.in;
  const int   bs = p.A.bs;
  const Index i = blockIdx.x * Index(blockDim.x) + threadIdx.x, m = i / bs, r = i % bs;
  Scalar      sum = 0;

  if (i < 0 || m >= p.n) return;
  for (int d = 0; d < p.A.nd; d++) {
    const Index o = p.A.off[d], c = m + o, above = m - o;

    if (M != Mode::columns && c >= 0 && c < p.A.nbc)
      sum += dot(bs, p.A.v + slot(p.A, d, m, r, 0), p.A.ld, p.x.x + std::size_t(c) * bs);
    if (M != Mode::rows && above >= 0 && above < p.A.nbr && (M != Mode::half || o != 0))
      sum += dot(bs, p.A.v + slot(p.A, d, above, 0, r), 1, p.x.x + std::size_t(above) * bs);
  }
  product.y[i] = (product.z ? product.z[i] : Scalar(0)) + sum;
}

template <int BS, Mode M, class V> Status launch(const MultAdd<V> &p, cudaStream_t stream)
{
  const Shape    s      = shape_of<BS, M>(p.in.n, p.in.A.nd);
  const unsigned blocks = unsigned(s.tiles);

  return with_offsets(p.in.A, [&](const auto &off) {
    using O = std::decay_t<decltype(off)>;
    return launch_next(p.in.A.beside, s.parts > 1 ? product_kernel<BS, true, M, V, O> : product_kernel<BS, false, M, V, O>,
                       blocks, dim3(s.threads, s.parts), s.bytes, stream, p, off);
  });
}

template <Mode M, class V> Status run(const MultAdd<V> &p, cudaStream_t stream)
{
  const std::size_t rows = std::size_t(p.in.n) * p.in.A.bs;

  if (!rows) return nullptr;
  if (p.in.A.bs == 16) return launch<16, M>(p, stream);
  return with_block_size(p.in.A.bs, [&](auto bs) {
    if constexpr (bs > 0) return launch<bs, M>(p, stream);
    else {
      any_kernel<M><<<unsigned((rows + 255) / 256), 256, 0, stream>>>(p);
      return launched();
    }
  });
}

template <class V> MultAdd<std::remove_const_t<V>> product(const View<V> &A, Index n, const Scalar *x, const Scalar *z, Scalar *y)
{
  return {{constant(A), n, {x}, fits_cache(A)}, z, y};
}

} // namespace

template <class V> Status spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream)
{
  return A.half ? run<Mode::half>(product(A, A.nbr, x, z, y), (cudaStream_t)stream)
                : run<Mode::rows>(product(A, A.nbr, x, z, y), (cudaStream_t)stream);
}

template <class V> Status spmv_transpose_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream)
{
  return A.half ? spmv_cuda(A, x, z, y, stream) : run<Mode::columns>(product(A, A.nbc, x, z, y), (cudaStream_t)stream);
}

HEPTA_INSTANCES(spmv_cuda)
HEPTA_INSTANCES(spmv_transpose_cuda)

} // namespace hepta::bdia

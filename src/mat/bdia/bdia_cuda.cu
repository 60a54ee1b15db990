/* Device products with the block diagonals: y <- z + A x and y <- z + A^T x, a tile of rows for each thread block */
#include <type_traits>

#include "../../shared/overlap.cuh"
#include "bdia_kernels.hxx"
#include "bdia_product.cuh"

namespace hepta::bdia
{

namespace
{

/* y <- z + A x, or the product that the mode M names */
template <class V> struct MultAdd {
  Operands<V, Plain> in;
  const Scalar      *z;
  Scalar            *y;
};

template <int BS, bool SPLIT, Mode M, class V, class O> __global__ void __launch_bounds__(max_threads) product_kernel(const MultAdd<V> p, const __grid_constant__ O off)
{
  extern __shared__ double shared[];
  const Index              i = blockIdx.x * Index(blockDim.x) + threadIdx.x;

  if (p.in.A.beside) let_next_begin(); /* the ghost part's kernel may start now; it waits for this one to end */
  const Scalar sum = tile_sum<BS, SPLIT, M>(p.in, off, (Scalar *)shared, i);
  if (i >= 0 && i / BS < p.in.n && threadIdx.y == 0) p.y[i] = (p.z ? p.z[i] : Scalar(0)) + sum;
  if (p.in.A.beside) end_after_first();
}

/* For any block size: a thread for each row (or column) */
template <Mode M, class V> __global__ void any_kernel(const MultAdd<V> product)
{
  const auto   &A = product.in.A;
  const Index   i = blockIdx.x * Index(blockDim.x) + threadIdx.x, m = i / A.bs, r = i % A.bs;
  const Scalar *x   = product.in.x.x;
  Scalar        sum = 0;
  int           d0, d1;

  if (i < 0 || m >= product.in.n) return;
  if (M != Mode::columns) {
    row_range(A, m, d0, d1);
    sum = row_sum<0>(A, m, r, d0, d1, x);
  }
  if (M != Mode::rows) {
    column_range(A, m, d0, d1);
    if (M == Mode::half) d0 = max(d0, first_offset(A, 1)); /* the diagonal blocks are stored completely */
    sum += column_sum<0>(A, m, r, d0, d1, x);
  }
  product.y[i] = (product.z ? product.z[i] : Scalar(0)) + sum;
}

template <int BS, Mode M, class V> Status launch(const MultAdd<V> &p, cudaStream_t stream)
{
  const Shape    s      = shape_of<BS, M>(p.in.n, p.in.A.nd);
  const unsigned blocks = unsigned(s.tiles);

  return with_offsets(p.in.A, [&](const auto &off) {
    using O = std::decay_t<decltype(off)>;
    return launch_next(p.in.A.beside, s.parts > 1 ? product_kernel<BS, true, M, V, O> : product_kernel<BS, false, M, V, O>, blocks, dim3(s.threads, s.parts), s.bytes, stream, p, off);
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
  return {
    {constant(A), n, {x}, fits_cache(A)},
    z, y
  };
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

/* The passes of fused CG that multiply with block diagonals on their way: the arithmetic of a row is that of MatMult() */
#include <type_traits>

#include "../../mat/bdia/bdia_product.cuh"
#include "../sums.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

using bdia::Mode;

namespace
{

/* An entry of p = z + beta p_old, for products that read those of other rows too */
struct NewDirection {
  const Scalar *z, *before;
  Scalar        beta;

  __device__ __forceinline__ Scalar operator()(std::size_t i) const { return __ldg(z + i) + beta * __ldg(before + i); }
};

template <class V> struct Pass {
  CG                  c;
  bdia::View<const V> A;
  bool                keep;
};

/* Calls row(i, (A x)_i) for the rows of this thread block, tile by tile */
template <int BS, bool SPLIT, Mode M, class V, class X, class O, class F> __device__ __forceinline__ void for_tiles(const bdia::Operands<V, X> &in, const O &off, F row)
{
  extern __shared__ double shared[];
  const std::size_t        rows = std::size_t(in.n) * BS;

  for (std::size_t first = blockIdx.x * std::size_t(blockDim.x); first < rows; first += std::size_t(gridDim.x) * blockDim.x) {
    const std::size_t i   = first + threadIdx.x;
    const Scalar      sum = bdia::tile_sum<BS, SPLIT, M>(in, off, (Scalar *)shared, i < rows ? Index(i) : Index(-1));

    if (i < rows && threadIdx.y == 0) row(i, sum);
    if (SPLIT || (M != Mode::rows && BS > 1)) __syncthreads(); /* the next tile writes the shared memory again */
  }
}

/* p <- z + beta p, q <- A p, (p, q) */
template <int BS, bool SPLIT, Mode M, class V, class O> __global__ void __launch_bounds__(bdia::max_threads) direction_product_kernel(const Pass<V> pass, const __grid_constant__ O off)
{
  const CG    &c = pass.c;
  const State &s = *c.state;

  begin_pass();
  if (s.pause) return;
  Scalar *const                         p  = direction(c, s.it);
  const bdia::Operands<V, NewDirection> in = {
    pass.A, pass.A.nbr, {c.z, direction_before(c, s.it), s.beta},
      pass.keep
  };
  Scalar sum[1] = {};
  for_tiles<BS, SPLIT, M>(in, off, [&](std::size_t i, Scalar q) {
    const Scalar own = in.x(i);

    p[i]   = own;
    c.q[i] = q;
    sum[0] += own * q;
  });
  end_pass(sum, c.state, c.partial, [&] {
    if (c.ends) end_direction(c, *c.state);
  });
}

/* z <- M r and the sums with z */
template <int BS, bool SPLIT, Mode M, class V, class O> __global__ void __launch_bounds__(bdia::max_threads) inner_product_kernel(const Pass<V> pass, const __grid_constant__ O off)
{
  const CG &c = pass.c;

  begin_pass();
  if (c.state->pause) return;
  const bdia::Operands<V, bdia::Plain> in             = {pass.A, pass.A.nbr, {c.r}, pass.keep};
  Scalar                               sum[most_sums] = {};
  for_tiles<BS, SPLIT, M>(in, off, [&](std::size_t i, Scalar z) {
    c.z[i] = z;
    add_sums(c, in.x(i), z, c.flexible ? c.q[i] : Scalar(0), sum);
  });
  end_pass(sum, c.state, c.partial, [&] {
    if (c.ends) end_update(c, *c.state);
  });
}

template <bool DIRECTION, int BS, Mode M, class V> Status launch(const Pass<V> &pass, cudaStream_t stream)
{
  const bdia::Shape s      = bdia::shape_of<BS, M>(pass.A.nbr, pass.A.nd);
  const dim3        block  = dim3(s.threads, s.parts);
  const unsigned    blocks = pass_blocks(s.tiles, 1, blocks_of_device);

  return bdia::with_offsets(pass.A, [&](const auto &off) {
    using O = std::decay_t<decltype(off)>;

    if (DIRECTION && s.parts > 1) return launch_next(true, direction_product_kernel<BS, true, M, V, O>, blocks, block, s.bytes, stream, pass, off);
    if (DIRECTION) return launch_next(true, direction_product_kernel<BS, false, M, V, O>, blocks, block, s.bytes, stream, pass, off);
    if (s.parts > 1) return launch_next(true, inner_product_kernel<BS, true, M, V, O>, blocks, block, s.bytes, stream, pass, off);
    return launch_next(true, inner_product_kernel<BS, false, M, V, O>, blocks, block, s.bytes, stream, pass, off);
  });
}

template <bool DIRECTION, Mode M, class V> Status with_block_size(const Pass<V> &pass, cudaStream_t stream)
{
  switch (pass.A.bs) {
  case 1: return launch<DIRECTION, 1, M>(pass, stream);
  case 2: return launch<DIRECTION, 2, M>(pass, stream);
  case 3: return launch<DIRECTION, 3, M>(pass, stream);
  case 4: return launch<DIRECTION, 4, M>(pass, stream);
  case 5: return launch<DIRECTION, 5, M>(pass, stream);
  case 6: return launch<DIRECTION, 6, M>(pass, stream);
  case 7: return launch<DIRECTION, 7, M>(pass, stream);
  case 8: return launch<DIRECTION, 8, M>(pass, stream);
  default: return "This block size has no fused pass";
  }
}

template <bool DIRECTION, class V> Status run(const CG &c, const bdia::View<V> &A, Stream stream)
{
  const Pass<std::remove_const_t<V>> pass = {c, bdia::constant(A), bdia::fits_cache(A)};

  return A.half ? with_block_size<DIRECTION, Mode::half>(pass, (cudaStream_t)stream) : with_block_size<DIRECTION, Mode::rows>(pass, (cudaStream_t)stream);
}

} // namespace

template <class V> Status direction_product_cuda(const CG &c, const bdia::View<V> &A, Stream stream)
{
  return run<true>(c, A, stream);
}

template <class V> Status inner_product_cuda(const CG &c, const bdia::View<V> &M, Stream stream)
{
  return run<false>(c, M, stream);
}

#define HEPTA_INSTANTIATE(V) \
  template Status direction_product_cuda(const CG &, const bdia::View<V> &, Stream); \
  template Status inner_product_cuda(const CG &, const bdia::View<V> &, Stream);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::ksp

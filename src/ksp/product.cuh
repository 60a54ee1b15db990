/*
   Passes that multiply with block diagonals on their way: the arithmetic of a row is that of MatMult(). A pass P is a Pass with
   sums, first, begin(state) and end(state) as in pass.cuh, and

     input()            a function object that reads or computes an entry of the multiplied vector
     put(x, i, y, sum)  takes row i of the product; x is the function object
*/
#pragma once

#include <type_traits>

#include "../mat/bdia/bdia_product.cuh"
#include "sums.cuh"

namespace hepta::ksp
{

/* Calls row(i, (A x)_i) for the rows of this thread block, tile by tile */
template <int BS, bool SPLIT, bdia::Mode M, int U, class V, class X, class F>
__device__ __forceinline__ void for_tiles(const bdia::Operands<V, X> &in, const bdia::Arguments &off, F row)
{
  extern __shared__ double shared[];
  const std::size_t        rows = std::size_t(in.n) * BS;

  for (std::size_t first = blockIdx.x * std::size_t(blockDim.x); first < rows; first += std::size_t(gridDim.x) * blockDim.x) {
    const std::size_t i   = first + threadIdx.x;
    const Scalar      sum = bdia::tile_sum<BS, SPLIT, M, U>(in, off, (Scalar *)shared, i < rows ? Index(i) : Index(-1));

    if (i < rows && threadIdx.y == 0) row(i, sum);
    if (SPLIT || (M != bdia::Mode::rows && BS > 1)) __syncthreads(); /* the next tile writes the shared memory again */
  }
}

template <class P, int BS, bool SPLIT, bdia::Mode M, int U, class V>
__global__ void __launch_bounds__(bdia::max_threads)
  product_kernel(P p, const bdia::View<const V> A, bool keep, const __grid_constant__ bdia::Arguments off)
{
  Scalar sum[P::sums] = {};

  begin_beside(p);
  if (p.state->pause) {
    end_beside(p);
    return;
  }
  if (p.begin(*p.state)) {
    const auto                                         x = p.input();
    const bdia::Operands<V, std::decay_t<decltype(x)>> in{A, A.nbr, x, keep};

    for_tiles<BS, SPLIT, M, U>(in, off, [&](std::size_t i, Scalar y) { p.put(x, i, y, sum); });
  }
  end_beside(p);
  end_pass(sum, p.first, p, 0, [&](State &s) {
    if (p.ends) p.end(s);
  });
}

/* As many thread blocks as the device holds of this kernel at a time, at most one for each tile */
template <class P, int BS, bool SPLIT, bdia::Mode M, class V>
Status launch_tiles(const P &p, const bdia::View<const V> &A, const bdia::Shape &s, cudaStream_t stream)
{
  const bool keep = bdia::fits_cache(A);

  return bdia::with_batch<BS, SPLIT, M>(A.nd, [&](auto u) {
    const auto kernel = product_kernel<P, BS, SPLIT, M, decltype(u)::value, V>;

    return launch_next(true, kernel, pass_blocks(s.tiles, 1, resident_blocks(kernel, s.threads * s.parts, s.bytes)),
                       dim3(s.threads, s.parts), s.bytes, stream, p, A, keep, bdia::arguments_of(A));
  });
}

template <class P, int BS, bdia::Mode M, class V>
Status launch_product(const P &p, const bdia::View<const V> &A, cudaStream_t stream)
{
  const bdia::Shape s = bdia::shape_of<BS, M>(A.nbr, A.nd);

  return s.parts > 1 ? launch_tiles<P, BS, true, M>(p, A, s, stream) : launch_tiles<P, BS, false, M>(p, A, s, stream);
}

template <class P, class V> Status run_product(const P &p, const bdia::View<V> &A, Stream stream)
{
  const auto B = bdia::constant(A);

  if (A.nd > bdia::max_arguments) return "So many block offsets have no fused pass";
  return blocked::with_block_size(A.bs, [&](auto n) -> Status {
    constexpr int BS = decltype(n)::value;

    if constexpr (BS > 0)
      return A.half ? launch_product<P, BS, bdia::Mode::half>(p, B, (cudaStream_t)stream)
                    : launch_product<P, BS, bdia::Mode::rows>(p, B, (cudaStream_t)stream);
    else return "This block size has no fused pass";
  });
}

} // namespace hepta::ksp

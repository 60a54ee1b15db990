/*
   Device products with several vectors at once. Thread (m, r) multiplies its row with a group of columns of X and reads each
   value once for the group. With half storage the thread also reads column r of the blocks above m, whose values are contiguous:
   other threads of block row m read the block's other columns, from the same cache lines.
*/
#include "../blocked/columns.cuh"
#include "bdia_kernels.hxx"
#include "bdia_product.cuh"

namespace hepta::bdia
{

namespace
{

using blocked::Columns;
using blocked::group;
using blocked::Group;

constexpr int threads = 128; /* of a thread block */

/* Loads a value past the first-level cache, which is for x; but half storage reads some values twice */
template <bool HALF, class V> __device__ __forceinline__ Scalar load(const V *v)
{
  return Scalar(HALF ? __ldg(v) : __ldcg(v));
}

/* sum <- sum + the row at v, with entries `stride` apart, times the x of its block */
template <int BS, bool HALF, class V>
__device__ __forceinline__ void add_block(const Columns &w, const Group &g, int bs, const V *v, std::size_t stride,
                                          const Scalar *x, bool inside, Scalar (&sum)[group])
{
  if constexpr (BS > 0) {
    Scalar a[BS];
#pragma unroll
    for (int s = 0; s < BS; s++) a[s] = inside ? load<HALF>(v + s * stride) : Scalar(0);
#pragma unroll
    for (int s = 0; s < BS; s++) add_entry(w, g, x + s, inside, a[s], sum);
  } else {
    for (int s = 0; s < bs && inside; s++) add_entry(w, g, x + s, true, load<HALF>(v + s * stride), sum);
  }
}

template <int BS, bool HALF, class V, class O>
__global__ void __launch_bounds__(threads)
  columns_kernel(const View<const V> A, const Columns w, const Scalar *x, Scalar *y, const __grid_constant__ O off)
{
  const int         bs = BS ? BS : A.bs;
  const std::size_t i  = std::size_t(blockIdx.x) * threads + threadIdx.x;
  const Index       m = Index(i / bs), r = Index(i % bs);
  const Group       g          = my_group(w);
  Scalar            sum[group] = {};

  if (i >= std::size_t(A.nbr) * bs) return;
  x += g.first * w.ldx;
#pragma unroll(BS == 1 ? 2 : 1)
  for (int d = 0; d < A.nd; d++) {
    const Index o = off[d], c = m + o, above = m - o;

    add_block<BS, HALF>(w, g, bs, A.v + slot(A, d, m, r, 0), A.ld, x + std::size_t(c) * bs, c >= 0 && c < A.nbc, sum);
    /* the diagonal blocks are stored completely */
    if (HALF)
      add_block<BS, HALF>(w, g, bs, A.v + slot(A, d, above, 0, r), 1, x + std::size_t(above) * bs, o > 0 && above >= 0, sum);
  }
  store_entries(w, g, y + g.first * w.ldy + i, sum);
}

template <int BS, bool HALF, class V>
Status launch(const View<const V> &A, const Columns &w, const Scalar *x, Scalar *y, cudaStream_t stream)
{
  return with_offsets(A, [&](const auto &off) {
    return blocked::each_batch(std::size_t(A.nbr) * A.bs, threads, w, [&](dim3 blocks, const Columns &columns, std::size_t c) {
      columns_kernel<BS, HALF><<<blocks, threads, 0, stream>>>(A, columns, x + c * w.ldx, y + c * w.ldy, off);
      return launched();
    });
  });
}

template <bool HALF, class V>
Status run(const View<const V> &A, const Columns &w, const Scalar *x, Scalar *y, cudaStream_t stream)
{
  return with_block_size(A.bs, [&](auto bs) { return launch<bs, HALF>(A, w, x, y, stream); });
}

} // namespace

template <class V>
Status spmm_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream)
{
  const Columns w{ldx, ldy, n};

  if (n == 1) return spmv_cuda(A, x, nullptr, y, stream);
  if (n <= 0 || !A.nbr) return nullptr;
  return A.half ? run<true>(constant(A), w, x, y, (cudaStream_t)stream) : run<false>(constant(A), w, x, y, (cudaStream_t)stream);
}

HEPTA_INSTANCES(spmm_cuda)

} // namespace hepta::bdia

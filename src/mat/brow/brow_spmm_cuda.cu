/*
   Device products with several vectors at once. Thread (b, r) of a slice multiplies row r of its block row b with `group` columns
   of X and reads each value once for the group. Block rows that stand alone are read for each column.
*/
#include "../blocked/columns.cuh"
#include "brow_load.cuh"

namespace hepta::brow
{

namespace
{

using blocked::Columns;
using blocked::group;
using blocked::Group;

constexpr int threads = 128; /* of a thread block */

template <int N, class V, class P>
__device__ __forceinline__ void add_blocks(const P &p, const Columns &w, const Group &g, const V *v, const Index *col,
                                           Index length, const Scalar *x, Scalar (&sum)[group])
{
  const int         n = N ? N : p.A.bs, h = N ? slice_height(N) : p.A.height;
  const std::size_t stride = std::size_t(h) * n;

  for (Index k = 0; k < length; k++) {
    const Index   c  = load(p, col + std::size_t(k) * h);
    const V      *a  = v + k * n * stride;
    const Scalar *xb = x + std::size_t(c) * n;

    if constexpr (N > 0) {
      V value[N];
#pragma unroll
      for (int s = 0; s < N; s++) value[s] = load(p, a + s * stride);
#pragma unroll
      for (int s = 0; s < N; s++) add_entry(w, g, xb + s, inside<N>(p, c, s), Scalar(value[s]), sum);
    } else {
      const int width = c == p.cut ? width_of(p.A, c) : n;
      for (int s = 0; s < width; s++) add_entry(w, g, xb + s, true, Scalar(load(p, a + s * stride)), sum);
    }
  }
}

template <int N, class P> __global__ void __launch_bounds__(threads) columns_kernel(const P p, const Columns w)
{
  const SlicePosition at         = position_of<N>(std::size_t(blockIdx.x) * threads + threadIdx.x, p.A.bs, p.A.height);
  const int           n          = N ? N : p.A.bs;
  const Group         g          = my_group(w);
  Scalar              sum[group] = {};

  if (at.g >= std::size_t(p.A.nslices)) return;
  const Index       m     = p.A.perm[at.q];
  const std::size_t first = p.A.first[at.g];
  add_blocks<N>(p, w, g, p.A.v + first * n * n + at.t, p.A.col + first + at.t / n, p.A.length[at.q], p.x + g.first * w.ldx, sum);
  if (m < 0 || m * n + at.r >= p.A.rows) return;
  store_entries(w, g, p.y + g.first * w.ldy + std::size_t(m) * n + at.r, sum);
}

template <int N, class P> Status launch(const P &p, const Columns &w, cudaStream_t stream)
{
  const std::size_t rows = std::size_t(p.A.nslices) * p.A.height * p.A.bs;

  return blocked::each_batch(rows, threads, w, [&](dim3 blocks, const Columns &columns, std::size_t c) {
    P part = p;

    part.x += c * w.ldx;
    part.y += c * w.ldy;
    columns_kernel<N><<<blocks, threads, 0, stream>>>(part, columns);
    return launched();
  });
}

} // namespace

template <class V>
Status spmm_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream)
{
  const auto p     = make_product<true, false>(A, x, nullptr, y);
  Status     wrong = nullptr;

  if (n == 1) return spmv_cuda(A, x, nullptr, y, stream);
  if (n > 0 && A.nslices)
    wrong = with_block_size(
      A.bs, [&](auto tile) { return launch<decltype(tile)::value>(p, Columns{ldx, ldy, n}, (cudaStream_t)stream); });
  return wrong ? wrong : alone_columns_cuda(A, n, x, ldx, y, ldy, stream);
}

HEPTA_INSTANCES(spmm_cuda)

} // namespace hepta::brow

/* Device operations on value arrays and on the ghost part, each the twin of its namesake in blocked_values_host.cxx */
#include "../../shared/cuda_check.cuh"
#include "../../shared/processors.cuh"
#include "blocked_kernels.hxx"
#include "blocked_row.hxx"

namespace hepta::blocked
{

template <class V> Status scale_cuda(std::size_t n, Scalar alpha, V *v, Stream stream)
{
  return each(n, (cudaStream_t)stream, [=] __device__(std::size_t k) { v[k] = V(alpha * v[k]); });
}

template <class V, class W> Status axpy_cuda(std::size_t n, Scalar alpha, const W *w, V *v, Stream stream)
{
  return each(n, (cudaStream_t)stream, [=] __device__(std::size_t k) { v[k] = V(v[k] + alpha * w[k]); });
}

template <class V, class W> Status copy_cuda(std::size_t n, const W *w, V *v, Stream stream)
{
  return each(n, (cudaStream_t)stream, [=] __device__(std::size_t k) { v[k] = V(w[k]); });
}

template <class V> Status coo_runs_cuda(std::size_t runs, const std::size_t *first, const std::size_t *slot, const std::size_t *perm, std::size_t n, const Scalar *w, const Scalar *r, V *v, Stream stream)
{
  return each(runs, (cudaStream_t)stream, [=] __device__(std::size_t k) { v[slot[first[k]]] = V(v[slot[first[k]]] + coo_sum(perm, first[k], first[k + 1], n, w, r)); });
}

template <class V> Status gather_cuda(std::size_t n, const std::size_t *index, const V *v, Scalar *y, Stream stream)
{
  return each(n, (cudaStream_t)stream, [=] __device__(std::size_t k) { y[k] = v ? Scalar(v[index[k]]) : Scalar(0); });
}

template <class V> Status scatter_cuda(std::size_t n, const std::size_t *index, const Scalar *w, V *v, Stream stream)
{
  return each(n, (cudaStream_t)stream, [=] __device__(std::size_t k) { v[index[k]] = V(w[k]); });
}

constexpr Index long_ghosts = 64; /* border rows of more blocks are for warps: all would wait for a thread that multiplies one */

/* They are first, and as many as have a block with this number */
template <class V> __device__ Index long_rows(const GhostView<V> &B)
{
  return B.width > long_ghosts ? B.start[long_ghosts + 1] - B.start[long_ghosts] : 0;
}

template <class V> __global__ void long_ghosts_kernel(const GhostView<V> B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy)
{
  const std::size_t rows = std::size_t(long_rows(B)) * B.bs, warps = std::size_t(gridDim.x) * blockDim.x / 32;

  for (std::size_t k = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / 32; k < rows * n; k += warps) {
    const std::size_t c = k / rows, i = k % rows;
    const Index       b = Index(i) / B.bs, r = Index(i) % B.bs, lane = Index(threadIdx.x) % 32;
    Scalar            sum = ghost_row(B, b, r, xg + c * ldx, lane, 32);
    for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[c * ldy + std::size_t(B.row[b]) * B.bs + r] += sum;
  }
}

template <class V> Status ghost_spmm_cuda(const GhostView<V> &B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream)
{
  const std::size_t rows = std::size_t(B.nb) * B.bs;

  if (B.width > long_ghosts) {
    long_ghosts_kernel<<<unsigned(4 * processors()), 256, 0, (cudaStream_t)stream>>>(B, n, xg, ldx, y, ldy);
    if (Status bad = launched()) return bad;
  }
  return each(rows * n, (cudaStream_t)stream, [=] __device__(std::size_t k) {
    const std::size_t c = k / rows, i = k % rows;
    const Index       b = Index(i) / B.bs, r = Index(i) % B.bs;
    if (b >= long_rows(B)) y[c * ldy + std::size_t(B.row[b]) * B.bs + r] += ghost_row(B, b, r, xg + c * ldx);
  });
}

template <class V> Status ghost_spmv_cuda(const GhostView<V> &B, const Scalar *xg, Scalar *y, Stream stream)
{
  return ghost_spmm_cuda(B, 1, xg, 0, y, 0, stream);
}

template <class V> Status ghost_spmv_transpose_cuda(const GhostView<V> &B, const Scalar *x, Scalar *xg, Stream stream)
{
  return each(std::size_t(B.ng) * B.bs, (cudaStream_t)stream, [=] __device__(std::size_t j) { xg[j] = ghost_column(B, Index(j) / B.bs, Index(j) % B.bs, x); });
}

template <class V> Status ghost_diagonal_scale_cuda(const GhostView<V> &B, const Scalar *l, const Scalar *rg, Stream stream)
{
  return each(std::size_t(B.nb) * B.bs, (cudaStream_t)stream, [=] __device__(std::size_t k) {
    const Index b = Index(k) / B.bs, r = Index(k) % B.bs, i = B.row[b] * B.bs + r;
    for_ghost_row(B, b, r, [&](Index j, std::size_t at) { B.v[at] = V((l ? l[i] : Scalar(1)) * B.v[at] * (rg ? rg[j] : Scalar(1))); });
  });
}

template <class V> Status ghost_norm_cuda(const GhostView<V> &B, Norm type, Scalar *work, Stream stream)
{
  const bool by_column = type == Norm::one;

  return each(std::size_t(by_column ? B.ng : B.nb) * B.bs, (cudaStream_t)stream, [=] __device__(std::size_t k) {
    const Index b = Index(k) / B.bs, r = Index(k) % B.bs;
    Scalar      sum = 0;
    const auto  add = [&](Index, std::size_t at) { sum += norm_term(type, Scalar(B.v[at])); };

    if (by_column) for_ghost_column(B, b, r, add);
    else for_ghost_row(B, b, r, add);
    work[by_column ? k : std::size_t(B.row[b]) * B.bs + r] += sum;
  });
}

#define HEPTA_INSTANTIATE(V) \
  template Status scale_cuda(std::size_t, Scalar, V *, Stream); \
  template Status axpy_cuda(std::size_t, Scalar, const double *, V *, Stream); \
  template Status axpy_cuda(std::size_t, Scalar, const float *, V *, Stream); \
  template Status copy_cuda(std::size_t, const double *, V *, Stream); \
  template Status copy_cuda(std::size_t, const float *, V *, Stream); \
  template Status gather_cuda(std::size_t, const std::size_t *, const V *, Scalar *, Stream); \
  template Status scatter_cuda(std::size_t, const std::size_t *, const Scalar *, V *, Stream); \
  template Status coo_runs_cuda(std::size_t, const std::size_t *, const std::size_t *, const std::size_t *, std::size_t, const Scalar *, const Scalar *, V *, Stream); \
  template Status ghost_spmv_cuda(const GhostView<V> &, const Scalar *, Scalar *, Stream); \
  template Status ghost_spmm_cuda(const GhostView<V> &, Index, const Scalar *, std::size_t, Scalar *, std::size_t, Stream); \
  template Status ghost_spmv_transpose_cuda(const GhostView<V> &, const Scalar *, Scalar *, Stream); \
  template Status ghost_diagonal_scale_cuda(const GhostView<V> &, const Scalar *, const Scalar *, Stream); \
  template Status ghost_norm_cuda(const GhostView<V> &, Norm, Scalar *, Stream);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::blocked

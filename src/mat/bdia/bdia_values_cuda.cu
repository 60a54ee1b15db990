/* Device operations on the stored values, each the twin of its namesake in bdia_values_host.cxx */
#include "../../shared/cuda_check.cuh"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

/* The index of offset 0, -1 if it is not stored */
template <class V> static int main_diagonal(const View<V> &A)
{
  for (int d = 0; d < A.nd; d++) {
    if (A.host_off[d] == 0) return d;
  }
  return -1;
}

template <class V> Status get_diagonal_cuda(const View<V> &A, Scalar *d, Stream stream)
{
  const int k = main_diagonal(A);

  return each(std::size_t(A.nbr) * A.bs, (cudaStream_t)stream, [=] __device__(std::size_t i) {
    const Index m = Index(i) / A.bs, r = Index(i) % A.bs;
    d[i] = k >= 0 && m < A.nbc ? Scalar(A.v[slot(A, k, m, r, r)]) : Scalar(0);
  });
}

template <class V> Status set_diagonal_cuda(const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d, Stream stream)
{
  const int k = main_diagonal(A);

  if (k < 0) return "the main diagonal is not stored";
  return each(std::size_t(A.nbr < A.nbc ? A.nbr : A.nbc) * A.bs, (cudaStream_t)stream, [=] __device__(std::size_t i) {
    V &a = A.v[slot(A, k, Index(i) / A.bs, Index(i) % A.bs, Index(i) % A.bs)];
    a    = V((beta == Scalar(0) ? Scalar(0) : beta * a) + (d ? d[i] : alpha));
  });
}

template <class V> Status diagonal_scale_cuda(const View<V> &A, const Scalar *l, const Scalar *r, Stream stream)
{
  return each(std::size_t(A.nbr) * A.bs, (cudaStream_t)stream,
              [=] __device__(std::size_t i) { for_stored_row(A, Index(i) / A.bs, Index(i) % A.bs, [&](Index j, std::size_t at) { A.v[at] = V((l ? l[i] : Scalar(1)) * A.v[at] * (r ? r[j] : Scalar(1))); }); });
}

template <class V> Status norm_cuda(const View<V> &A, Norm type, Scalar *work, Stream stream)
{
  const bool by_column = type == Norm::one && !A.half; /* with half storage columns are as rows */

  return each(std::size_t(by_column ? A.nbc : A.nbr) * A.bs, (cudaStream_t)stream, [=] __device__(std::size_t i) {
    const Index m = Index(i) / A.bs, r = Index(i) % A.bs;
    Scalar      sum = 0;
    const auto  add = [&](Index, std::size_t at) { sum += norm_term(type, Scalar(A.v[at])); };

    if (by_column) for_column(A, m, r, add);
    else for_row(A, m, r, add);
    work[i] += sum;
  });
}

template <class V> Status coo_cuda(const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w, Stream stream)
{
  /* a thread per row: the values of a row mostly stand together, so that its reads share cache lines; in batches, to have them in flight together */
  return each(std::size_t(A.nbr) * A.bs, (cudaStream_t)stream, [=] __device__(std::size_t i) {
    constexpr int batch   = 8;
    const int     columns = A.nd * A.bs;

    for (int c = 0; c < columns; c += batch) {
      Scalar        value[batch];
      std::uint32_t from[batch];

#pragma unroll
      for (int u = 0; u < batch; u++) from[u] = w && c + u < columns ? source[(c + u) * A.ld + i] : 0;
#pragma unroll
      for (int u = 0; u < batch; u++) value[u] = (from[u] ? w[from[u] - 1] : Scalar(0)) + (add && c + u < columns ? Scalar(A.v[(c + u) * A.ld + i]) : Scalar(0));
#pragma unroll
      for (int u = 0; u < batch; u++) {
        if (c + u < columns) A.v[(c + u) * A.ld + i] = V(value[u]);
      }
    }
  });
}

#define HEPTA_INSTANTIATE(V) \
  template Status get_diagonal_cuda(const View<V> &, Scalar *, Stream); \
  template Status set_diagonal_cuda(const View<V> &, Scalar, Scalar, const Scalar *, Stream); \
  template Status diagonal_scale_cuda(const View<V> &, const Scalar *, const Scalar *, Stream); \
  template Status norm_cuda(const View<V> &, Norm, Scalar *, Stream); \
  template Status coo_cuda(const View<V> &, bool, const std::uint32_t *, const Scalar *, Stream);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::bdia

/* Subdomain deflation on the host */
#include "subdeflation_launch.hxx"

namespace hepta::subdeflation
{

template <class R> Status az_values_host(std::size_t n, const R &rows, const Labels &labels, const Index *row, const Index *subdomain, Scalar *az)
{
  return az_values(HostEach(), n, rows, labels, row, subdomain, az);
}

Status gather_host(std::size_t n, const std::size_t *first, const std::size_t *at, Scalar alpha, const Scalar *partial, Scalar *out)
{
  return gather(HostEach(), n, first, at, alpha, partial, out);
}

Status prolong_host(std::size_t n, const Index *label, const Scalar *y, const Scalar *w, Scalar *z)
{
  return prolong(HostEach(), n, label, y, w, z);
}

Status az_product_host(std::size_t n, const std::size_t *first, const std::size_t *entry, const Index *subdomain, const Scalar *az, const Scalar *y, const Scalar *r, Scalar *t)
{
  return az_product(HostEach(), n, first, entry, subdomain, az, y, r, t);
}

Status add_rank_one_host(std::size_t d, Scalar alpha, const Scalar *c, Scalar *B)
{
  return add_rank_one(HostEach(), d, alpha, c, B);
}

Status identity_host(std::size_t d, Scalar *B)
{
  return identity(HostEach(), d, B);
}

Status to_float_host(std::size_t n, const Scalar *from, float *to)
{
  return to_float(HostEach(), n, from, to);
}

Status chunk_sums_host(const Chunks &c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial)
{
  for (std::size_t k = 0; k < c.n; k++) {
    Scalar sum = 0;
    for (std::size_t p = c.first[k]; p < c.first[k + 1]; p++) sum += entry_term(p, c.own[k], row, az, r, w);
    partial[k] = sum;
  }
  return nullptr;
}

template <class V> Status dense_product_host(std::size_t d, const V *B, const Scalar *q, Scalar *y)
{
  for (std::size_t i = 0; i < d; i++) {
    Scalar      sum[4] = {0, 0, 0, 0}; /* independent sums: the additions need not wait for each other */
    std::size_t j      = 0;
    for (; j + 4 <= d; j += 4) {
      for (int k = 0; k < 4; k++) sum[k] += Scalar(B[i * d + j + k]) * q[j + k];
    }
    for (; j < d; j++) sum[0] += Scalar(B[i * d + j]) * q[j];
    y[i] = sum[0] + sum[1] + (sum[2] + sum[3]);
  }
  return nullptr;
}

template Status az_values_host(std::size_t, const DiagonalRows<double> &, const Labels &, const Index *, const Index *, Scalar *);
template Status az_values_host(std::size_t, const DiagonalRows<float> &, const Labels &, const Index *, const Index *, Scalar *);
template Status az_values_host(std::size_t, const CompressedRows &, const Labels &, const Index *, const Index *, Scalar *);
template Status dense_product_host(std::size_t, const double *, const Scalar *, Scalar *);
template Status dense_product_host(std::size_t, const float *, const Scalar *, Scalar *);

} // namespace hepta::subdeflation

/* Subdomain deflation on the host */
#include "subdeflation_row.hxx"

namespace hepta::subdeflation
{

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
    Scalar      sum[4] = {0, 0, 0, 0}; /* four independent sums hide the latency of additions */
    std::size_t j      = 0;
    for (; j + 4 <= d; j += 4) {
      for (int k = 0; k < 4; k++) sum[k] += Scalar(B[i * d + j + k]) * q[j + k];
    }
    for (; j < d; j++) sum[0] += Scalar(B[i * d + j]) * q[j];
    y[i] = sum[0] + sum[1] + (sum[2] + sum[3]);
  }
  return nullptr;
}

HEPTA_INSTANCES(dense_product_host)

} // namespace hepta::subdeflation

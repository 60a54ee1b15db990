#include "subdeflation_row.hxx"

namespace hepta::subdeflation
{

template <class E, class R>
Status az_values(const E &each, std::size_t n, const R &rows, const Labels &labels, const Index *row, const Index *subdomain,
                 Scalar *az)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) { az[k] = row_sum(rows, labels, row[k], subdomain[k]); });
}

template <class E>
Status gather(const E &each, std::size_t n, const std::size_t *first, const std::size_t *at, Scalar alpha, const Scalar *partial,
              Scalar *out)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) {
    Scalar sum = 0;
    for (std::size_t p = first[k]; p < first[k + 1]; p++) sum += partial[p];
    out[at ? at[k] : k] = alpha * sum;
  });
}

template <class E> Status prolong(const E &each, std::size_t n, const Index *label, const Scalar *y, const Scalar *w, Scalar *z)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { z[i] = (w ? w[i] : Scalar(0)) + y[label[i]]; });
}

template <class E>
Status az_product(const E &each, std::size_t n, const std::size_t *first, const Index *entry, const Index *subdomain,
                  const Scalar *az, const Scalar *y, const Scalar *r, Scalar *t)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    Scalar sum = r[i];
    for (std::size_t p = first[i]; p < first[i + 1]; p++) sum -= az[entry[p]] * y[subdomain[entry[p]]];
    t[i] = sum;
  });
}

template <class E> Status add_rank_one(const E &each, std::size_t d, Scalar alpha, const Scalar *c, Scalar *B)
{
  return each(d * d, [=] HEPTA_LAMBDA(std::size_t k) { B[k] += alpha * c[k / d] * c[k % d]; });
}

template <class E> Status dense_diagonal(const E &each, std::size_t d, const Scalar *B, Scalar *b)
{
  return each(d, [=] HEPTA_LAMBDA(std::size_t k) { b[k] = B[k * d + k]; });
}

HEPTA_EACH_WITH(az_values, DiagonalRows<double>)
HEPTA_EACH_WITH(az_values, DiagonalRows<float>)
HEPTA_EACH_WITH(az_values, CompressedRows)
HEPTA_EACH(gather)
HEPTA_EACH(prolong)
HEPTA_EACH(az_product)
HEPTA_EACH(add_rank_one)
HEPTA_EACH(dense_diagonal)

} // namespace hepta::subdeflation

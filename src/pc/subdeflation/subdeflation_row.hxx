/* The arithmetic of subdomain deflation that host and device share */
#pragma once

#include "../../mat/bdia/bdia_row.hxx"
#include "subdeflation_kernels.hxx"

namespace hepta::subdeflation
{

/* The sum of row i's values in columns of subdomain e */
template <class V> HEPTA_HD Scalar row_sum(const DiagonalRows<V> &R, const Labels &labels, Index i, Index e)
{
  const Index m = i / R.A.bs, r = i % R.A.bs;
  Scalar      sum = 0;

  bdia::for_row(R.A, i, [&](Index j, std::size_t at) {
    if (labels.local[j] == e) sum += Scalar(R.A.v[at]);
  });
  if (!R.border || R.border[m] < 0) return sum;
  blocked::for_ghost_row(R.G, R.border[m], r, [&](Index j, std::size_t at) {
    if (labels.ghost[j] == e) sum += Scalar(R.G.v[at]);
  });
  return sum;
}

HEPTA_HD Scalar row_sum(const CompressedRows &R, const Labels &labels, Index i, Index e)
{
  Scalar sum = 0;

  for (Index k = R.ai[i]; k < R.ai[i + 1]; k++) {
    if (labels.local[R.aj[k]] == e) sum += R.a[k];
  }
  for (Index k = R.b ? R.bi[i] : 0; R.b && k < R.bi[i + 1]; k++) {
    if (labels.ghost[R.bj[k]] == e) sum += R.b[k];
  }
  return sum;
}

/* The term of entry k of A Z in the sum of its chunk; without vectors the entry itself */
HEPTA_HD Scalar entry_term(std::size_t k, bool own, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w)
{
  if (!r && !w) return az[k];
  return (r && own ? r[row[k]] : Scalar(0)) - (w ? az[k] * w[row[k]] : Scalar(0));
}

} // namespace hepta::subdeflation

/* Operations of the host alone on the stored values */
#include "brow_kernels.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

template <class V> Status column_norms_host(const View<V> &A, Scalar *work)
{
  for (Index i = 0; i < A.rows; i++) for_row(A, i, [&](Index j, std::size_t at) { work[j] += norm_term(Norm::one, A.v[at]); });
  return nullptr;
}

template <class V> Status set_csr_host(const View<V> &A, const Index *i, const Index *j, const Scalar *a)
{
  for (Index row = 0; row < A.rows; row++) {
    const Line  l = line(A, row / A.bs);
    const Index r = row % A.bs;
    Index       k = 0;

    for (Index p = i[row]; p < i[row + 1]; p++) {
      const Index c = A.bs == 1 ? j[p] : j[p] / A.bs;
      while (k < l.length && block_column(l, k) < c) k++; /* columns mostly ascend, and the next block is near */
      if (k == l.length || block_column(l, k) != c) k = lower_block(l, c);
      if (k == l.length || block_column(l, k) != c) return "an entry lies in no stored block";
      A.v[slot(A, l, k, r, j[p] - c * A.bs)] = V(a[p]);
    }
  }
  return nullptr;
}

HEPTA_INSTANCES(column_norms_host)
HEPTA_INSTANCES(set_csr_host)

} // namespace hepta::brow

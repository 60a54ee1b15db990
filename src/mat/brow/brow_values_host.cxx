/* Host operations on the stored values besides products: those that the host alone has, and those of brow_launch.hxx */
#include <algorithm>
#include <limits>
#include <vector>

#include "brow_launch.hxx"

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

template <class V> Status zero_rows_host(const View<V> &A, const unsigned char *row, const unsigned char *col)
{
  for (Index i = 0; i < A.rows; i++) {
    if (!row[i] && !col) continue;
    for_row(A, i, [&](Index j, std::size_t at) {
      if (row[i] || col[j]) A.v[at] = 0;
    });
  }
  return nullptr;
}

template <class V> Status subtract_columns_host(const View<V> &A, const unsigned char *row, const unsigned char *col, const Scalar *x, Scalar *b)
{
  for (Index i = 0; i < A.rows; i++) {
    if (row[i]) continue;
    for_row(A, i, [&](Index j, std::size_t at) {
      if (col[j]) b[i] -= Scalar(A.v[at]) * x[j];
    });
  }
  return nullptr;
}

template <class V> Status set_diagonal_rows_host(const View<V> &A, const unsigned char *row, Scalar alpha)
{
  for (Index i = 0; i < A.rows && i < A.cols; i++) {
    const std::size_t at = row[i] ? find_slot(A, i, i) : 0;
    if (at == no_slot) return "the diagonal entry of a row has no place in the matrix";
    if (row[i]) A.v[at] = V(alpha);
  }
  return nullptr;
}

template <class V> Status diagonal_blocks_host(const View<V> &A, Index bs, Scalar *blocks)
{
  for (Index m = 0; m < A.rows / bs; m++) {
    Scalar *block = blocks + std::size_t(m) * bs * bs;

    for (Index s = 0; s < bs; s++) {
      for (Index r = 0; r < bs; r++) {
        const std::size_t at           = m * bs + s < A.cols ? find_slot(A, m * bs + r, m * bs + s) : no_slot;
        block[std::size_t(s) * bs + r] = at == no_slot ? Scalar(0) : Scalar(A.v[at]);
      }
    }
  }
  return nullptr;
}

#define HEPTA_INSTANTIATE(V) \
  template Status column_norms_host(const View<V> &, Scalar *); \
  template Status set_csr_host(const View<V> &, const Index *, const Index *, const Scalar *); \
  template Status zero_rows_host(const View<V> &, const unsigned char *, const unsigned char *); \
  template Status subtract_columns_host(const View<V> &, const unsigned char *, const unsigned char *, const Scalar *, Scalar *); \
  template Status set_diagonal_rows_host(const View<V> &, const unsigned char *, Scalar); \
  template Status diagonal_blocks_host(const View<V> &, Index, Scalar *);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)
HEPTA_BROW_LAUNCHERS(HostEach)

} // namespace hepta::brow

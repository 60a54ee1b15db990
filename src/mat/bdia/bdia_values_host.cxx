/* Host operations on the block diagonals: everything they do besides products */
#include <algorithm>

#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

namespace
{

/* Calls f(i, j, value) for every stored slot inside the matrix, in storage order; with half storage each once */
template <class V, class F> void for_stored(const View<V> &A, F f)
{
  for (int d = 0; d < A.nd; d++) {
    const Index m0 = A.off[d] < 0 ? -A.off[d] : 0;
    const Index m1 = A.off[d] > A.nbc - A.nbr ? A.nbc - A.off[d] : A.nbr; /* nbc - off[d] itself may not fit when off[d] < 0 */

    for (Index s = 0; s < A.bs; s++) {
      V *column = A.v + (std::size_t(d) * A.bs + s) * A.ld;
      for (Index m = m0; m < m1; m++) {
        for (Index r = 0; r < A.bs; r++) f(m * A.bs + r, (m + A.off[d]) * A.bs + s, column[std::size_t(m) * A.bs + r]);
      }
    }
  }
}

} // namespace

template <class V> Status zero_rows_host(const View<V> &A, const unsigned char *row, const unsigned char *col)
{
  for (Index m = 0; m < A.nbr; m++) {
    for (Index r = 0; r < A.bs; r++) {
      const bool whole = row[m * A.bs + r];
      if (!whole && !col) continue;
      for_row(A, m, r, [&](Index j, std::size_t at) {
        if (whole || col[j]) A.v[at] = 0;
      });
    }
  }
  return nullptr;
}

template <class V> Status subtract_columns_host(const View<V> &A, const unsigned char *row, const unsigned char *col, const Scalar *x, Scalar *b)
{
  for (Index m = 0; m < A.nbr; m++) {
    for (Index r = 0; r < A.bs; r++) {
      const Index i = m * A.bs + r;
      if (row[i]) continue;
      for_row(A, m, r, [&](Index j, std::size_t at) {
        if (col[j]) b[i] -= Scalar(A.v[at]) * x[j];
      });
    }
  }
  return nullptr;
}

template <class V> Status set_diagonal_rows_host(const View<V> &A, const unsigned char *row, Scalar alpha)
{
  const int k = first_offset(A, 0);

  if (k == A.nd || A.off[k] != 0) return "the main diagonal is not stored";
  for (Index m = 0; m < A.nbr && m < A.nbc; m++) {
    for (Index r = 0; r < A.bs; r++) {
      if (row[m * A.bs + r]) A.v[slot(A, k, m, r, r)] = V(alpha);
    }
  }
  return nullptr;
}

template <class V> Status diagonal_blocks_host(const View<V> &A, Index bs, Scalar *blocks)
{
  const int  k      = first_offset(A, 0);
  const bool stored = k < A.nd && A.off[k] == 0;

  if (bs != A.bs) return "block diagonals give diagonal blocks of their own size only";
  for (Index m = 0; m < A.nbr; m++) {
    Scalar *block = blocks + std::size_t(m) * bs * bs;

    for (Index s = 0; s < bs; s++) {
      for (Index r = 0; r < bs; r++) block[s * bs + r] = stored && m < A.nbc ? Scalar(A.v[slot(A, k, m, r, s)]) : Scalar(0);
    }
  }
  return nullptr;
}

template <class V> Status get_diagonal_host(const View<V> &A, Scalar *d)
{
  const int  k      = first_offset(A, 0);
  const bool stored = k < A.nd && A.off[k] == 0;

  for (Index m = 0; m < A.nbr; m++) {
    for (Index r = 0; r < A.bs; r++) d[std::size_t(m) * A.bs + r] = stored && m < A.nbc ? Scalar(A.v[slot(A, k, m, r, r)]) : Scalar(0);
  }
  return nullptr;
}

template <class V> Status set_diagonal_host(const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d)
{
  const int k = first_offset(A, 0);

  if (k == A.nd || A.off[k] != 0) return "the main diagonal is not stored";
  for (Index m = 0; m < A.nbr && m < A.nbc; m++) {
    for (Index r = 0; r < A.bs; r++) {
      V &a = A.v[slot(A, k, m, r, r)];
      a    = V((beta == Scalar(0) ? Scalar(0) : beta * a) + (d ? d[std::size_t(m) * A.bs + r] : alpha));
    }
  }
  return nullptr;
}

template <class V> Status diagonal_scale_host(const View<V> &A, const Scalar *l, const Scalar *r)
{
  for_stored(A, [&](Index i, Index j, V &a) { a = V((l ? l[i] : Scalar(1)) * a * (r ? r[j] : Scalar(1))); });
  return nullptr;
}

template <class V> Status norm_host(const View<V> &A, Norm type, Scalar *work)
{
  const bool by_column = type == Norm::one;

  for_stored(A, [&](Index i, Index j, V &a) {
    work[by_column ? j : i] += norm_term(type, a);
    if (A.half && i / A.bs != j / A.bs) work[by_column ? i : j] += norm_term(type, a);
  });
  return nullptr;
}

template <class V> Status coo_host(const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w)
{
  constexpr std::size_t chunk = 4096; /* rows whose given values stay in the cache while their columns are filled */
  const std::size_t     rows  = std::size_t(A.nbr) * A.bs;

  for (std::size_t i0 = 0; i0 < rows; i0 += chunk) {
    for (std::size_t c = 0; c < std::size_t(A.nd) * A.bs; c++) {
      for (std::size_t k = c * A.ld + i0; k < c * A.ld + std::min(i0 + chunk, rows); k++) A.v[k] = V((add ? Scalar(A.v[k]) : Scalar(0)) + (w && source[k] ? w[source[k] - 1] : Scalar(0)));
    }
  }
  return nullptr;
}

#define HEPTA_INSTANTIATE(V) \
  template Status zero_rows_host(const View<V> &, const unsigned char *, const unsigned char *); \
  template Status subtract_columns_host(const View<V> &, const unsigned char *, const unsigned char *, const Scalar *, Scalar *); \
  template Status set_diagonal_rows_host(const View<V> &, const unsigned char *, Scalar); \
  template Status diagonal_blocks_host(const View<V> &, Index, Scalar *); \
  template Status get_diagonal_host(const View<V> &, Scalar *); \
  template Status set_diagonal_host(const View<V> &, Scalar, Scalar, const Scalar *); \
  template Status diagonal_scale_host(const View<V> &, const Scalar *, const Scalar *); \
  template Status norm_host(const View<V> &, Norm, Scalar *); \
  template Status coo_host(const View<V> &, bool, const std::uint32_t *, const Scalar *);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::bdia

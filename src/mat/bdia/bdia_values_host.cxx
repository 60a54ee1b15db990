/* Host operations on the block diagonals besides products: those that the host alone has, and those of bdia_launch.hxx */
#include <algorithm>

#include "bdia_launch.hxx"

namespace hepta::bdia
{

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
  const int k = main_diagonal(A);

  if (k < 0) return "the main diagonal is not stored";
  for (Index m = 0; m < A.nbr && m < A.nbc; m++) {
    for (Index r = 0; r < A.bs; r++) {
      if (row[m * A.bs + r]) A.v[slot(A, k, m, r, r)] = V(alpha);
    }
  }
  return nullptr;
}

template <class V> Status diagonal_blocks_host(const View<V> &A, Index bs, Scalar *blocks)
{
  const int k = main_diagonal(A);

  if (bs != A.bs) return "block diagonals give diagonal blocks of their own size only";
  for (Index m = 0; m < A.nbr; m++) {
    Scalar *block = blocks + std::size_t(m) * bs * bs;

    for (Index s = 0; s < bs; s++) {
      for (Index r = 0; r < bs; r++) block[s * bs + r] = k >= 0 && m < A.nbc ? Scalar(A.v[slot(A, k, m, r, s)]) : Scalar(0);
    }
  }
  return nullptr;
}

template <class V> Status coo(const HostEach &, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w)
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
  template Status coo(const HostEach &, const View<V> &, bool, const std::uint32_t *, const Scalar *);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)
HEPTA_BDIA_LAUNCHERS(HostEach)

} // namespace hepta::bdia

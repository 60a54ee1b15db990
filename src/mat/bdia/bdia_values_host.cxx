/* Host operations on the block diagonals other than products: operations of the host alone, and those of stored_launch.hxx */
#include <algorithm>

#include "../../shared/tuning.hxx"
#include "../blocked/stored_launch.hxx"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

template <class V> Status coo(const HostEach &, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w)
{
  const std::size_t rows = std::size_t(A.nbr) * A.bs;

  for (std::size_t i0 = 0; i0 < rows; i0 += host_columns) {
    for (std::size_t c = 0; c < std::size_t(A.nd) * A.bs; c++) {
      for (std::size_t k = c * A.ld + i0; k < c * A.ld + std::min(i0 + host_columns, rows); k++)
        A.v[k] = V((add ? Scalar(A.v[k]) : Scalar(0)) + (w && source[k] ? w[source[k] - 1] : Scalar(0)));
    }
  }
  return nullptr;
}

std::vector<Index> csr_offsets(const blocked::CSRView &A, int bs, std::size_t *slots)
{
  const std::size_t  nbr = A.rows / bs, nbc = A.cols / bs, entries = A.rows ? A.i[A.rows] : 0;
  std::vector<Index> off;

  if (nbr + nbc >= entries) { /* a mark for every offset would take longer than sorting */
    for (Index row = 0; row < A.rows; row++) {
      for (Index k = A.i[row]; k < A.i[row + 1]; k++) {
        const Index o = A.j[k] / bs - row / bs;
        if (off.empty() || off.back() != o) off.push_back(o);
      }
    }
    std::sort(off.begin(), off.end());
    off.erase(std::unique(off.begin(), off.end()), off.end());
  } else {
    std::vector<char> seen(nbr + nbc - 1); /* offset o at o + nbr - 1, since o lies between -(nbr - 1) and nbc - 1 */
    for (std::size_t m = 0; m < nbr; m++) {
      char *const at = seen.data() + (nbr - 1 - m);
      for (Index k = A.i[m * bs]; k < A.i[(m + 1) * bs]; k++) at[bs == 1 ? A.j[k] : A.j[k] / bs] = 1;
    }
    for (std::size_t k = 0; k < seen.size(); k++) {
      if (seen[k]) off.push_back(Index(std::int64_t(k) - std::int64_t(nbr - 1))); /* k itself may not fit */
    }
  }
  *slots = 0;
  for (Index o : off)
    *slots += std::size_t(std::min<std::int64_t>(nbr, std::int64_t(nbc) - o) - std::max<Index>(0, -o)) * bs * bs;
  return off;
}

template <class V> Status csr_fill_host(const blocked::CSRView &A, const View<V> &D)
{
  std::fill_n(D.v, std::size_t(D.nd) * D.bs * D.ld, V(0));
  for (Index row = 0; row < A.rows; row++) {
    const Index m = row / D.bs, r = row % D.bs;
    int         d = 0;

    for (Index k = A.i[row]; k < A.i[row + 1]; k++) {
      const Index c = D.bs == 1 ? A.j[k] : A.j[k] / D.bs;

      if (d == D.nd || D.off[d] > c - m) d = 0; /* columns that do not ascend */
      while (d < D.nd && D.off[d] < c - m) d++;
      if (d == D.nd || D.off[d] != c - m) return "an entry of the compressed rows lies on none of the block diagonals";
      D.v[slot(D, d, m, r, A.j[k] - c * D.bs)] += V(A.a[k]);
    }
  }
  return nullptr;
}

template Status coo(const HostEach &, const View<double> &, bool, const std::uint32_t *, const Scalar *);
template Status coo(const HostEach &, const View<float> &, bool, const std::uint32_t *, const Scalar *);
HEPTA_INSTANCES(csr_fill_host)

} // namespace hepta::bdia

namespace hepta::blocked
{

HEPTA_LOCAL_LAUNCHERS(bdia::View)
HEPTA_COLUMN_LAUNCHERS(bdia::View)

} // namespace hepta::blocked

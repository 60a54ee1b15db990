/* Compressed rows into block diagonals, on the host */
#include <algorithm>
#include <cstdint>

#include "../bdia/bdia_row.hxx"
#include "csr_kernels.hxx"

namespace hepta::bdia
{

Status csr_offsets_host(const CSRView &A, int bs, std::vector<Index> &off)
{
  const std::size_t nbr = A.rows / bs, nbc = A.cols / bs, entries = A.rows ? A.i[A.rows] : 0;

  off.clear();
  if (nbr + nbc >= entries) { /* a mark for every offset would take longer than sorting */
    for (Index row = 0; row < A.rows; row++) {
      for (Index k = A.i[row]; k < A.i[row + 1]; k++) {
        const Index o = A.j[k] / bs - row / bs;
        if (off.empty() || off.back() != o) off.push_back(o);
      }
    }
    std::sort(off.begin(), off.end());
    off.erase(std::unique(off.begin(), off.end()), off.end());
    return nullptr;
  }
  std::vector<char> seen(nbr + nbc - 1); /* offset o at o + nbr - 1: it lies between -(nbr - 1) and nbc - 1 */
  for (std::size_t m = 0; m < nbr; m++) {
    char *const at = seen.data() + (nbr - 1 - m);
    for (Index k = A.i[m * bs]; k < A.i[(m + 1) * bs]; k++) at[bs == 1 ? A.j[k] : A.j[k] / bs] = 1;
  }
  for (std::size_t k = 0; k < seen.size(); k++) {
    if (seen[k]) off.push_back(Index(std::int64_t(k) - std::int64_t(nbr - 1))); /* k itself may not fit */
  }
  return nullptr;
}

template <class V> Status csr_fill_host(const CSRView &A, const View<V> &D)
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

template Status csr_fill_host(const CSRView &, const View<double> &);
template Status csr_fill_host(const CSRView &, const View<float> &);

} // namespace hepta::bdia

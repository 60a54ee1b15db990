/* Host operations on the block diagonals other than products: those of the host only, and those of stored_launch.hxx */
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
      for (std::size_t k = c * A.ld + i0; k < c * A.ld + std::min(i0 + host_columns, rows); k++) A.v[k] = V((add ? Scalar(A.v[k]) : Scalar(0)) + (w && source[k] ? w[source[k] - 1] : Scalar(0)));
    }
  }
  return nullptr;
}

template Status coo(const HostEach &, const View<double> &, bool, const std::uint32_t *, const Scalar *);
template Status coo(const HostEach &, const View<float> &, bool, const std::uint32_t *, const Scalar *);

} // namespace hepta::bdia

namespace hepta::blocked
{

HEPTA_LOCAL_LAUNCHERS(HostEach, bdia::View)
HEPTA_COLUMN_LAUNCHERS(HostEach, bdia::View)

} // namespace hepta::blocked

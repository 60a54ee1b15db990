/* COO values on the device, in an order that suits its memory, and the launchers of stored_launch.hxx for the device */
#include "../../shared/cuda_check.cuh"
#include "../blocked/stored_launch.hxx"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

template <class V> Status coo(const DeviceEach &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w)
{
  /*
     a thread per row: the values of a row are mostly close to each other, so that its reads share cache lines; a batch has
     several reads in flight at once
  */
  return each(std::size_t(A.nbr) * A.bs, [=] __device__(std::size_t i) {
    constexpr int batch   = 8;
    const int     columns = A.nd * A.bs;

    for (int c = 0; c < columns; c += batch) {
      Scalar        value[batch];
      std::uint32_t from[batch];

#pragma unroll
      for (int u = 0; u < batch; u++) from[u] = w && c + u < columns ? source[(c + u) * A.ld + i] : 0;
#pragma unroll
      for (int u = 0; u < batch; u++)
        value[u] =
          (from[u] ? w[from[u] - 1] : Scalar(0)) + (add && c + u < columns ? Scalar(A.v[(c + u) * A.ld + i]) : Scalar(0));
#pragma unroll
      for (int u = 0; u < batch; u++) {
        if (c + u < columns) A.v[(c + u) * A.ld + i] = V(value[u]);
      }
    }
  });
}

template Status coo(const DeviceEach &, const View<double> &, bool, const std::uint32_t *, const Scalar *);
template Status coo(const DeviceEach &, const View<float> &, bool, const std::uint32_t *, const Scalar *);

} // namespace hepta::bdia

namespace hepta::blocked
{

HEPTA_LOCAL_LAUNCHERS(bdia::View)
HEPTA_COLUMN_LAUNCHERS(bdia::View)

} // namespace hepta::blocked

/* How block offsets reach the device products: as kernel arguments if they are few, which is faster than reading them from memory */
#pragma once

#include "../../shared/cuda_check.cuh"
#include "bdia_view.hxx"

namespace hepta::bdia
{

constexpr int max_arguments = 32; /* the largest number of offsets that are kernel arguments; more of them are read from memory */

struct Arguments {
  Index            off[max_arguments];
  __device__ Index operator[](int d) const { return off[d]; }
};

/* Calls launch(offsets), where offsets are Arguments or a pointer to device memory */
template <class V, class F> Status with_offsets(const View<V> &A, F launch)
{
  Arguments off;

  if (A.nd > max_arguments) return launch(A.off);
  for (int d = 0; d < A.nd; d++) off.off[d] = A.host_off[d];
  return launch(off);
}

} // namespace hepta::bdia

/* The passes of fused CG over vectors alone, on the device; at the end the passes with a single reduction */
#include "../pass.cuh"
#include "float_launch.hxx"

namespace hepta::ksp
{

HEPTA_DEVICE_PASS(direction, CG, NewDirection<Scalar>)
HEPTA_DEVICE_PASS(inner_sums, CG, InnerSums<Scalar>)

template <class T> Status update_cuda(const CGOf<T> &c, Inner inner, Stream stream)
{
  switch (inner) {
  case Inner::outside: return launch_pass(pass_of<Update<T, Inner::outside>>(c), stream);
  case Inner::identity: return launch_pass(pass_of<Update<T, Inner::identity>>(c), stream);
  case Inner::diagonal: return launch_pass(pass_of<Update<T, Inner::diagonal>>(c), stream);
  default: return launch_pass(by_blocks(c), stream);
  }
}

HEPTA_INSTANCES(update_cuda)

HEPTA_DEVICE_END(end_update, CG)

HEPTA_DEVICE_PASS(single_sums, SingleCG, SingleSums)

Status single_step_cuda(const SingleCG &c, Inner inner, Stream stream)
{
  switch (inner) {
  case Inner::identity: return launch_pass(pass_of<SingleStep<Inner::identity>>(c), stream);
  case Inner::diagonal: return launch_pass(pass_of<SingleStep<Inner::diagonal>>(c), stream);
  default: return launch_pass(pass_of<SingleStep<Inner::outside>>(c), stream);
  }
}

HEPTA_DEVICE_END(end_single, SingleCG)

} // namespace hepta::ksp

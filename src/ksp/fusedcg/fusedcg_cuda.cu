/* The passes of fused CG over vectors alone, on the device; at the end the passes with a single reduction */
#include "../pass.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

HEPTA_DEVICE_PASS(direction, CG, NewDirection)
HEPTA_DEVICE_PASS(inner_sums, CG, InnerSums)

Status update_cuda(const CG &c, Inner inner, Stream stream)
{
  switch (inner) {
  case Inner::outside: return launch_pass(pass_of<Update<Inner::outside>>(c), stream);
  case Inner::identity: return launch_pass(pass_of<Update<Inner::identity>>(c), stream);
  case Inner::diagonal: return launch_pass(pass_of<Update<Inner::diagonal>>(c), stream);
  default: return launch_pass(by_blocks(c), stream);
  }
}

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

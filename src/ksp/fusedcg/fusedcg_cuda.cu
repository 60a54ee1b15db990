/* The passes of fused CG over vectors alone, on the device */
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

} // namespace hepta::ksp

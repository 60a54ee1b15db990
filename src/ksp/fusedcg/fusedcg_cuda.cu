/* The passes of fused CG over vectors alone, on the device */
#include "../pass.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

Status direction_cuda(const CG &c, Stream stream)
{
  return launch_pass(pass_of<NewDirection>(c), stream);
}

Status update_cuda(const CG &c, Inner inner, Stream stream)
{
  switch (inner) {
  case Inner::outside: return launch_pass(pass_of<Update<Inner::outside>>(c), stream);
  case Inner::identity: return launch_pass(pass_of<Update<Inner::identity>>(c), stream);
  case Inner::diagonal: return launch_pass(pass_of<Update<Inner::diagonal>>(c), stream);
  default: return launch_pass(by_blocks(c), stream);
  }
}

Status inner_sums_cuda(const CG &c, Stream stream)
{
  return launch_pass(pass_of<InnerSums>(c), stream);
}

HEPTA_DEVICE_END(end_update, CG)

} // namespace hepta::ksp

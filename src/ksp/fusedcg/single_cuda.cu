/* The passes of CG with a single reduction over vectors alone, on the device */
#include "../pass.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

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

/* The passes of CG with a single reduction on the host */
#include "../pass_loop.hxx"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

HEPTA_HOST_PASS(single_sums, SingleCG, SingleSums)
HEPTA_HOST_PASS(step_outside, SingleCG, SingleStep<Inner::outside>)
HEPTA_HOST_PASS(step_identity, SingleCG, SingleStep<Inner::identity>)
HEPTA_HOST_PASS(step_diagonal, SingleCG, SingleStep<Inner::diagonal>)

Status single_step_host(const SingleCG &c, Inner inner)
{
  return inner == Inner::identity ? step_identity_host(c) : inner == Inner::diagonal ? step_diagonal_host(c) : step_outside_host(c);
}

} // namespace hepta::ksp

/* The passes of fused CG on the host; at the end the passes with a single reduction */
#include "../pass_loop.hxx"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

HEPTA_HOST_PASS(direction, CG, NewDirection)
HEPTA_HOST_PASS(inner_sums, CG, InnerSums)
HEPTA_HOST_PASS(update_outside, CG, Update<Inner::outside>)
HEPTA_HOST_PASS(update_identity, CG, Update<Inner::identity>)
HEPTA_HOST_PASS(update_diagonal, CG, Update<Inner::diagonal>)

static HEPTA_CLONES void update_blocks(const CG &c)
{
  loop_pass(by_blocks(c));
}

Status update_host(const CG &c, Inner inner)
{
  switch (inner) {
  case Inner::outside: return update_outside_host(c);
  case Inner::identity: return update_identity_host(c);
  case Inner::diagonal: return update_diagonal_host(c);
  case Inner::blocks: update_blocks(c); break;
  }
  return nullptr;
}

HEPTA_HOST_PASS(single_sums, SingleCG, SingleSums)
HEPTA_HOST_PASS(step_outside, SingleCG, SingleStep<Inner::outside>)
HEPTA_HOST_PASS(step_identity, SingleCG, SingleStep<Inner::identity>)
HEPTA_HOST_PASS(step_diagonal, SingleCG, SingleStep<Inner::diagonal>)

Status single_step_host(const SingleCG &c, Inner inner)
{
  return inner == Inner::identity   ? step_identity_host(c)
         : inner == Inner::diagonal ? step_diagonal_host(c)
                                    : step_outside_host(c);
}

} // namespace hepta::ksp

/* The passes of fused CG over vectors alone; at the end the passes with a single reduction */
#include "../passes.hxx"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

HEPTA_PASS(NewDirection)
HEPTA_PASS(InnerSums)
HEPTA_PASS_END(InnerSums)
HEPTA_PASS(Update<Inner::outside>)
HEPTA_PASS(Update<Inner::identity>)
HEPTA_PASS(Update<Inner::diagonal>)
HEPTA_PASS(UpdateBlocks)

template <class E> Status update(const E &each, const CG &c, Inner inner)
{
  switch (inner) {
  case Inner::outside: return run_pass(each, pass_of<Update<Inner::outside>>(c));
  case Inner::identity: return run_pass(each, pass_of<Update<Inner::identity>>(c));
  case Inner::diagonal: return run_pass(each, pass_of<Update<Inner::diagonal>>(c));
  default: return run_pass(each, by_blocks(c));
  }
}

HEPTA_EACH(update)

HEPTA_PASS(SingleSums)
HEPTA_PASS_END(SingleSums)
HEPTA_PASS(SingleStep<Inner::outside>)
HEPTA_PASS(SingleStep<Inner::identity>)
HEPTA_PASS(SingleStep<Inner::diagonal>)

template <class E> Status single_step(const E &each, const SingleCG &c, Inner inner)
{
  switch (inner) {
  case Inner::identity: return run_pass(each, pass_of<SingleStep<Inner::identity>>(c));
  case Inner::diagonal: return run_pass(each, pass_of<SingleStep<Inner::diagonal>>(c));
  default: return run_pass(each, pass_of<SingleStep<Inner::outside>>(c));
  }
}

HEPTA_EACH(single_step)

} // namespace hepta::ksp

/* The passes of CG with a single reduction on the host */
#include "../pass_loop.hxx"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

namespace
{

HEPTA_CLONES void identity_loop(const SingleCG &c)
{
  loop_pass(pass_of<SingleStep<Inner::identity>>(c));
}

HEPTA_CLONES void diagonal_loop(const SingleCG &c)
{
  loop_pass(pass_of<SingleStep<Inner::diagonal>>(c));
}

HEPTA_CLONES void outside_loop(const SingleCG &c)
{
  loop_pass(pass_of<SingleStep<Inner::outside>>(c));
}

HEPTA_CLONES void sums_loop(const SingleCG &c)
{
  loop_pass(pass_of<SingleSums>(c));
}

} // namespace

Status single_step_host(const SingleCG &c, Inner inner)
{
  switch (inner) {
  case Inner::identity: identity_loop(c); break;
  case Inner::diagonal: diagonal_loop(c); break;
  default: outside_loop(c); break;
  }
  return nullptr;
}

Status single_sums_host(const SingleCG &c)
{
  sums_loop(c);
  return nullptr;
}

} // namespace hepta::ksp

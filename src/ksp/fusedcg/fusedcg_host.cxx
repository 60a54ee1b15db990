/* The passes of fused CG on the host */
#include "../pass_loop.hxx"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

namespace
{

HEPTA_CLONES void direction_loop(const CG &c)
{
  loop_pass(pass_of<NewDirection>(c));
}

HEPTA_CLONES void outside_loop(const CG &c)
{
  loop_pass(pass_of<Update<Inner::outside>>(c));
}

HEPTA_CLONES void identity_loop(const CG &c)
{
  loop_pass(pass_of<Update<Inner::identity>>(c));
}

HEPTA_CLONES void diagonal_loop(const CG &c)
{
  loop_pass(pass_of<Update<Inner::diagonal>>(c));
}

HEPTA_CLONES void blocks_loop(const CG &c)
{
  loop_pass(by_blocks(c));
}

HEPTA_CLONES void inner_sums_loop(const CG &c)
{
  loop_pass(pass_of<InnerSums>(c));
}

} // namespace

Status direction_host(const CG &c)
{
  direction_loop(c);
  return nullptr;
}

Status update_host(const CG &c, Inner inner)
{
  switch (inner) {
  case Inner::outside: outside_loop(c); break;
  case Inner::identity: identity_loop(c); break;
  case Inner::diagonal: diagonal_loop(c); break;
  case Inner::blocks: blocks_loop(c); break;
  }
  return nullptr;
}

Status inner_sums_host(const CG &c)
{
  inner_sums_loop(c);
  return nullptr;
}

} // namespace hepta::ksp

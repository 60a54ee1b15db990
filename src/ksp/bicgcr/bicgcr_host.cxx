/* The passes of BiCGCR on the host */
#include "../pass_loop.hxx"
#include "bicgcr_kernels.hxx"

namespace hepta::ksp
{

namespace
{

HEPTA_CLONES void direction_loop(const BiCGCR &c)
{
  loop_pass(pass_of<BiCGCRDirection>(c));
}

HEPTA_CLONES void update_loop(const BiCGCR &c)
{
  loop_pass(pass_of<BiCGCRUpdate>(c));
}

HEPTA_CLONES void sum_loop(const BiCGCR &c)
{
  loop_pass(pass_of<BiCGCRSum>(c));
}

} // namespace

Status bicgcr_direction_host(const BiCGCR &c)
{
  direction_loop(c);
  return nullptr;
}

Status bicgcr_update_host(const BiCGCR &c)
{
  update_loop(c);
  return nullptr;
}

Status bicgcr_sum_host(const BiCGCR &c)
{
  sum_loop(c);
  return nullptr;
}

} // namespace hepta::ksp

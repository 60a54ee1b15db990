/* The passes of fused BiCGStab on the host */
#include "../pass_loop.hxx"
#include "fusedbcgs_kernels.hxx"

namespace hepta::ksp
{

namespace
{

HEPTA_CLONES void direction_loop(const BCGS &c)
{
  loop_pass(pass_of<BCGSDirection>(c));
}

HEPTA_CLONES void half_loop(const BCGS &c)
{
  loop_pass(pass_of<BCGSHalf>(c));
}

HEPTA_CLONES void update_loop(const BCGS &c)
{
  loop_pass(pass_of<BCGSUpdate>(c));
}

} // namespace

Status bcgs_direction_host(const BCGS &c)
{
  direction_loop(c);
  return nullptr;
}

Status bcgs_half_host(const BCGS &c)
{
  half_loop(c);
  return nullptr;
}

Status bcgs_update_host(const BCGS &c)
{
  update_loop(c);
  return nullptr;
}

} // namespace hepta::ksp

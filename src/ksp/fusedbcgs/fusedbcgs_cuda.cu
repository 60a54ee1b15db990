/* The passes of fused BiCGStab on the device */
#include "../pass.cuh"
#include "fusedbcgs_kernels.hxx"

namespace hepta::ksp
{

Status bcgs_direction_cuda(const BCGS &c, Stream stream)
{
  return launch_pass(pass_of<BCGSDirection>(c), stream);
}

Status bcgs_half_cuda(const BCGS &c, Stream stream)
{
  return launch_pass(pass_of<BCGSHalf>(c), stream);
}

Status bcgs_update_cuda(const BCGS &c, Stream stream)
{
  return launch_pass(pass_of<BCGSUpdate>(c), stream);
}

} // namespace hepta::ksp

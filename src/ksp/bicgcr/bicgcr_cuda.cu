/* The passes of BiCGCR on the device */
#include "../pass.cuh"
#include "bicgcr_kernels.hxx"

namespace hepta::ksp
{

Status bicgcr_direction_cuda(const BiCGCR &c, Stream stream)
{
  return launch_pass(pass_of<BiCGCRDirection>(c), stream);
}

Status bicgcr_update_cuda(const BiCGCR &c, Stream stream)
{
  return launch_pass(pass_of<BiCGCRUpdate>(c), stream);
}

Status bicgcr_sum_cuda(const BiCGCR &c, Stream stream)
{
  return launch_pass(pass_of<BiCGCRSum>(c), stream);
}

} // namespace hepta::ksp

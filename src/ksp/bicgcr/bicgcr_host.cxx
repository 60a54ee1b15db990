/* The passes of BiCGCR on the host */
#include "../pass_loop.hxx"
#include "bicgcr_kernels.hxx"

namespace hepta::ksp
{

HEPTA_HOST_PASS(bicgcr_update, BiCGCR, BiCGCRUpdate)
HEPTA_HOST_PASS(bicgcr_direction, BiCGCR, BiCGCRDirection)
HEPTA_HOST_PASS(bicgcr_sum, BiCGCR, BiCGCRSum)

} // namespace hepta::ksp

/* The passes of BiCGCR on the device */
#include "../pass.cuh"
#include "bicgcr_kernels.hxx"

namespace hepta::ksp
{

HEPTA_DEVICE_PASS(bicgcr_update, BiCGCR, BiCGCRUpdate)
HEPTA_DEVICE_PASS(bicgcr_direction, BiCGCR, BiCGCRDirection)
HEPTA_DEVICE_PASS(bicgcr_sum, BiCGCR, BiCGCRSum)
HEPTA_DEVICE_END(end_bicgcr, BiCGCR)

} // namespace hepta::ksp

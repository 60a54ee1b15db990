/* The passes of fused BiCGStab on the device */
#include "../pass.cuh"
#include "fusedbcgs_kernels.hxx"

namespace hepta::ksp
{

HEPTA_DEVICE_PASS(bcgs_direction, BCGS, BCGSDirection)
HEPTA_DEVICE_PASS(bcgs_half, BCGS, BCGSHalf)
HEPTA_DEVICE_PASS(bcgs_update, BCGS, BCGSUpdate)
HEPTA_DEVICE_END(end_bcgs, BCGS)

} // namespace hepta::ksp

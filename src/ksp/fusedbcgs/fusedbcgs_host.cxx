/* The passes of fused BiCGStab on the host */
#include "../pass_loop.hxx"
#include "fusedbcgs_kernels.hxx"

namespace hepta::ksp
{

HEPTA_HOST_PASS(bcgs_direction, BCGS, BCGSDirection)
HEPTA_HOST_PASS(bcgs_half, BCGS, BCGSHalf)
HEPTA_HOST_PASS(bcgs_update, BCGS, BCGSUpdate)

} // namespace hepta::ksp

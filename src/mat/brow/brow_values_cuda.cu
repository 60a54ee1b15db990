/* The launchers of brow_launch.hxx and stored_launch.hxx on the device */
#include "../../shared/cuda_check.cuh"
#include "../blocked/stored_launch.hxx"
#include "brow_launch.hxx"

namespace hepta::blocked
{

HEPTA_LOCAL_LAUNCHERS(brow::View)

} // namespace hepta::blocked

/* The launchers of brow_launch.hxx on the device */
#include "../../shared/cuda_check.cuh"
#include "brow_launch.hxx"

namespace hepta::brow
{

HEPTA_BROW_LAUNCHERS(DeviceEach)

} // namespace hepta::brow

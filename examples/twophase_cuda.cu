/* The loops over cells on the device */
#include "shared/cuda_check.cuh"
#include "twophase_launch.hxx"

namespace hepta::twophase
{

HEPTA_TWOPHASE_LAUNCHERS(DeviceEach)

} // namespace hepta::twophase

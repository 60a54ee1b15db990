/* The levels of any aggregates on the device */
#include "../../../shared/cuda_check.cuh"
#include "levels_launch.hxx"

namespace hepta::levels
{

HEPTA_LEVELS_LAUNCHERS(DeviceEach)

} // namespace hepta::levels

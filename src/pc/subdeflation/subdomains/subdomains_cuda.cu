/* Subdomains and the entries of A Z on the device */
#include "../../../shared/cuda_check.cuh"
#include "subdomains_launch.hxx"

namespace hepta::subdeflation
{

HEPTA_SUBDOMAINS_LAUNCHERS(DeviceEach)

} // namespace hepta::subdeflation

/* The launchers of l1jacobi_kernels.hxx on the device */
#include "../../shared/cuda_check.cuh"
#include "l1jacobi_launch.hxx"

namespace hepta::l1jacobi
{

HEPTA_L1JACOBI_LAUNCHERS(DeviceEach)

} // namespace hepta::l1jacobi

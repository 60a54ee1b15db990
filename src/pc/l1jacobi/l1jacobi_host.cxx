/* The launchers of l1jacobi_kernels.hxx on the host */
#include "l1jacobi_launch.hxx"

namespace hepta::l1jacobi
{

HEPTA_L1JACOBI_LAUNCHERS(HostEach)

} // namespace hepta::l1jacobi

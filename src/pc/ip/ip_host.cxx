/* The launchers of ip_kernels.hxx on the host */
#include "ip_launch.hxx"

namespace hepta::ip
{

HEPTA_IP_LAUNCHERS(HostEach)

} // namespace hepta::ip

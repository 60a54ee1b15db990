/* Subdomains and the entries of A Z on the host */
#include "subdomains_launch.hxx"

namespace hepta::subdeflation
{

HEPTA_SUBDOMAINS_LAUNCHERS(HostEach)

} // namespace hepta::subdeflation

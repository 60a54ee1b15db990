/* The loops over cells on the host */
#include "twophase_launch.hxx"

namespace hepta::twophase
{

HEPTA_TWOPHASE_LAUNCHERS(HostEach)

} // namespace hepta::twophase

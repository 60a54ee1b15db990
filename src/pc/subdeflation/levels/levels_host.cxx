/* The levels of any aggregates on the host */
#include "levels_launch.hxx"

namespace hepta::levels
{

HEPTA_LEVELS_LAUNCHERS(HostEach)

} // namespace hepta::levels

#include "../passes.hxx"
#include "fusedbcgs_row.hxx"

namespace hepta::ksp
{

HEPTA_PASS(BCGSDirection)
HEPTA_PASS(BCGSHalf)
HEPTA_PASS(BCGSUpdate)
HEPTA_PASS_END(BCGSUpdate)

} // namespace hepta::ksp

#include "../passes.hxx"
#include "bicgcr_row.hxx"

namespace hepta::ksp
{

HEPTA_PASS(BiCGCRUpdate)
HEPTA_PASS(BiCGCRDirection)
HEPTA_PASS(BiCGCRSum)
HEPTA_PASS_END(BiCGCRSum)

} // namespace hepta::ksp

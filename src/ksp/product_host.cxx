#include "pass_loop.hxx"
#include "product.hxx"

namespace hepta::ksp
{

HEPTA_PASS(SumProduct)
HEPTA_PASS(MultiplyBlocks)

} // namespace hepta::ksp

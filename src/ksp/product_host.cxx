/* The sums of a product, and blocks on the diagonal, on the host */
#include "pass_loop.hxx"
#include "product.hxx"

namespace hepta::ksp
{

HEPTA_HOST_PASS(product_sums, ProductSums, SumProduct)
HEPTA_HOST_PASS(blocks, Blocks, MultiplyBlocks)

} // namespace hepta::ksp

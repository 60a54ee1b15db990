/* The sums of a product, and blocks on the diagonal, on the host */
#include "pass_loop.hxx"
#include "product.hxx"

namespace hepta::ksp
{

HEPTA_HOST_PASS(product_sums, ProductSums, SumProduct)

static HEPTA_CLONES void multiply_blocks(const Blocks &b)
{
  for (std::size_t i = 0; i < b.n; i++) b.z[i] = block_row(b, i);
}

Status blocks_host(const Blocks &b)
{
  if (!b.state->pause) multiply_blocks(b);
  return nullptr;
}

} // namespace hepta::ksp

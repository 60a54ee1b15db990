/* The sums of a product, and blocks on the diagonal, on the host */
#include "pass_loop.hxx"
#include "product.hxx"

namespace hepta::ksp
{

namespace
{

HEPTA_CLONES void sum_product(const ProductSums &p)
{
  loop_pass(pass_of<SumProduct>(p));
}

HEPTA_CLONES void multiply_blocks(const Blocks &b)
{
  for (std::size_t i = 0; i < b.n; i++) b.z[i] = block_row(b, i);
}

} // namespace

Status product_sums_host(const ProductSums &p)
{
  sum_product(p);
  return nullptr;
}

Status blocks_host(const Blocks &b)
{
  if (!b.state->pause) multiply_blocks(b);
  return nullptr;
}

} // namespace hepta::ksp

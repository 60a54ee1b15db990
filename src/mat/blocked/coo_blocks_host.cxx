/* The entries of blocks on the host */
#include "coo_blocks_row.hxx"

namespace hepta::blocked
{

Status expand_blocks_host(const CooBlocks &blocks, Index *i, Index *j)
{
  return expand_blocks(HostEach(), blocks, i, j);
}

} // namespace hepta::blocked

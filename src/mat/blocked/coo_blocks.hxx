/* The entries of blocks, for COO assembly by blocks */
#pragma once

#include "../../shared/device.hxx"

namespace hepta::blocked
{

/* Blocks of `high` rows and `wide` columns, n of them by their block rows and columns, in a matrix of rows x cols */
struct CooBlocks {
  std::size_t  n;
  Index        high, wide, rows, cols;
  const Index *i, *j;
};

/* i, j <- rows and columns of their entries, those of a block one after another, row by row: negative where the block's are, and beyond the last where those are */
Status expand_blocks_host(const CooBlocks &blocks, Index *i, Index *j);
Status expand_blocks_cuda(const CooBlocks &blocks, Index *i, Index *j, Stream stream);

} // namespace hepta::blocked

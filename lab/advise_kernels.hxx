/* Counts what each format stores for the pattern of a rank's rows, on the host */
#pragma once

#include <vector>

#include "shared/hepta_hd.hxx"

namespace hepta::advise
{

/* Compressed rows, columns ascending in each */
struct Rows {
  Index              rows = 0, cols = 0;
  std::vector<Index> i{0}, j;
};

/* The blocks of a given size that have an entry */
struct Blocks {
  std::size_t blocks = 0;
  std::size_t rows   = 0; /* block rows with such a block */
};

Blocks count_blocks(const Rows &, int bs);
/* The slots of slices of `height` rows, which are as wide as their longest row */
std::size_t count_slices(const Rows &, int height);

} // namespace hepta::advise

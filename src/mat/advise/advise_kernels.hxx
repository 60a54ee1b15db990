/* What storing a rank's rows in a format would take: counts of their pattern, on the host */
#pragma once

#include <vector>

#include "../../shared/hepta_hd.hxx"

namespace hepta::advise
{

/* Compressed rows, columns ascending in each */
struct Rows {
  Index              rows = 0, cols = 0;
  std::vector<Index> i{0}, j;
};

/* The blocks of some size that hold an entry */
struct Blocks {
  std::size_t blocks = 0;
  std::size_t rows   = 0; /* block rows that have any */
};

/* The block diagonals that hold an entry */
struct Diagonals {
  std::size_t slots   = 0; /* of their blocks inside the matrix */
  std::size_t offsets = 0;
};

Blocks    count_blocks(const Rows &, int bs);
Diagonals count_diagonals(const Rows &, int bs);
/* Slots of slices of `height` rows, each as wide as its longest row */
std::size_t count_slices(const Rows &, int height);

} // namespace hepta::advise

/* The layout of block rows made on the device, from their lengths: the tables that make_layout() makes on the host */
#pragma once

#include "../../shared/device.hxx"
#include "brow_layout.hxx"

namespace hepta::brow
{

/* A layout's tables, as in Layout, on the device */
struct Tables {
  Index       *perm, *position, *length, *col, *part;
  std::size_t *first;
};

/* What a window of block rows adds to the sizes of a layout */
struct WindowSums {
  Index       positions, alone, huge, parts, huge_parts; /* positions in slices; block rows that stand alone, the huge ones of them, and the parts of both */
  Index       longest, moved;                            /* the longest block row in slices; 1 if one of those in slices has moved, otherwise 0 */
  std::size_t sliced, blocks;                            /* blocks in slices, padding included, and those that stand alone */
};

/* How the block rows of a layout are divided, on the device; `length` and `order` have nbr numbers */
struct DividedRows {
  Index      *length; /* blocks of block row m */
  Index      *order;  /* block rows, window by window: first those that stand alone, the huge ones of them first, then those in slices */
  WindowSums *before; /* for each window, and for the end, the sums over the windows before it */
};

/* order, before <- the division of block rows of these lengths; without `slices` every block row stands alone. Sets all sizes of L, whose blocks and sizes of the matrix are set, but `missing`. */
Status divide_rows_cuda(const DividedRows &R, bool slices, Layout *L, Stream stream);
/* Fills all tables but col */
Status fill_rows_cuda(const DividedRows &R, const Layout &L, const Tables &T, Stream stream);

} // namespace hepta::brow

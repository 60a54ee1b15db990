/* The layout of block rows made on the device, from the lengths of block rows: the tables that make_layout() makes on the host */
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
  /* positions in slices; block rows that stand alone, the huge ones, the parts of all and of the huge */
  Index positions, alone, huge, parts, huge_parts;
  /* the longest block row in slices; has a block row in slices moved? (1 or 0) */
  Index       longest, moved;
  std::size_t sliced, blocks; /* blocks in slices, padding included; blocks of rows that stand alone */
};

/* How the block rows of a layout are divided, on the device; `length` and `order` have nbr numbers */
struct DividedRows {
  Index      *length; /* blocks of block row m */
  Index      *order;  /* window by window: huge block rows, other block rows that stand alone, block rows in slices */
  WindowSums *before; /* for each window, and for the end, the sums over the preceding windows */
};

/*
   order, before <- the division of block rows of these lengths; without `slices` every block row stands alone. L has its blocks
   and the sizes of the matrix; sets all other sizes of L but `missing`.
*/
Status divide_rows_cuda(const DividedRows &R, bool slices, Layout *L, Stream stream);
/* Fills all tables but col */
Status fill_rows_cuda(const DividedRows &R, const Layout &L, const Tables &T, Stream stream);

} // namespace hepta::brow

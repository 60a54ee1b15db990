/* From COO entries to compressed rows, and from compressed rows to blocks, on the device */
#pragma once

#include "../blocked/coo.hxx"
#include "brow_layout.hxx"

namespace hepta::brow
{

using blocked::CSRView;

/* The distinct locations of entries as compressed rows with ascending columns; this object owns the arrays of `csr` */
class CooRows {
public:
  std::size_t entries = 0;     /* distinct locations */
  bool        outside = false; /* some entry is beyond the last row or column */
  CSRView     csr{};           /* null if some entry is outside, or with no or more than 2^31 - 2 locations */

  CooRows()                = default;
  CooRows(const CooRows &) = delete;
  ~CooRows();
  Status Take(Index rows, Index cols, const blocked::CooEntries &e, Stream stream);

private:
  void  *compressed = nullptr;
  Stream used       = nullptr;
};

/* The largest tile that the device handles, a lane of a warp for each row; the host handles larger tiles */
constexpr int most_lanes = 32;

/* Counts of the contents of blocks */
struct BlockContents {
  long long          missing; /* note_first() of the first block row without its diagonal block */
  unsigned long long entries;
  unsigned long long slots; /* inside the matrix */
  unsigned long long main;  /* entries on the main diagonal */
};

/* *ascending <- do the columns of every row ascend? The functions below require ascending columns. */
Status ascending_cuda(const CSRView &A, bool *ascending, Stream stream);
/* As count_blocks() */
Status count_blocks_cuda(const CSRView &A, BlockCounts *counts, Stream stream);
/* length[m], on the device, <- the number of blocks of size bs in block row m; *blocks, on the host, <- their sum */
Status block_lengths_cuda(const CSRView &A, int bs, Index *length, std::size_t *blocks, Stream stream);
/*
   col <- the columns of the blocks of T, whose other tables are complete; set, zero at first, <- the bits of the slots with an
   entry; col and set are on the device
*/
Status fill_structure_cuda(const CSRView &A, const View<const Scalar> &T, Index *col, std::uint32_t *set, BlockContents *contents,
                           Stream stream);
/*
   The values of T <- the values of A, columns in any order; *lost <- note_first() of the first row with an entry without a slot
*/
template <class V> Status scatter_values_cuda(const CSRView &A, const View<V> &T, long long *lost, Stream stream);

} // namespace hepta::brow

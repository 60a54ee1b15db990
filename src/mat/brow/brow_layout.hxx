/* The layout of the blocks of a brow matrix: from a pattern to slices, on the host */
#pragma once

#include <limits>
#include <vector>

#include "brow_view.hxx"

namespace hepta::brow
{

/* The stored blocks: block row m has block columns col[first[m]] ... col[first[m + 1] - 1], ascending */
struct Pattern {
  Index                    rows = 0, cols = 0; /* of the matrix; its last block row and column may be incomplete */
  int                      bs = 1;
  std::vector<std::size_t> first{0};
  std::vector<Index>       col;

  std::size_t length(Index m) const { return first[std::size_t(m) + 1] - first[m]; }
};

constexpr int max_counted = 8;    /* tile sizes 1 ... 8 are counted and chosen from */
constexpr int max_tile    = 1024; /* the largest tile, of 8 MB even for a single entry */

/* blocks[n] is the number of blocks of size n with an entry of a CSR pattern, so blocks[1] is the number of entries */
struct BlockCounts {
  Index       rows                    = 0;
  std::size_t blocks[max_counted + 1] = {};

  /* d_n = entries / (blocks*n*n), 1 without blocks */
  double density(int n) const { return blocks[n] ? double(blocks[1]) / (double(blocks[n]) * n * n) : 1; }
  /* bytes that a product reads of the matrix: blocks*(n*n*value_bytes + those of an index) + 8*block rows */
  double bytes(int n, std::size_t value_bytes) const
  {
    return double(blocks[n]) * double(n * n * value_bytes + sizeof(Index)) + 8.0 * double(rows / n + (rows % n > 0));
  }
  /* the tile size with the fewest bytes, the larger of two sizes with equally many */
  int best(std::size_t value_bytes) const;
};

/*
   Counts blocks in linear time for each tile size; columns of a row may have any order. Offsets of rows are of type Index, as in
   PETSc, or std::size_t, since a rank may have more entries than Index can count.
*/
template <class Offset> BlockCounts count_blocks(Index rows, Index cols, const Offset *i, const Index *j);
/*
   The counts for choosing a tile size: for a matrix with many rows the counts of a sample, spread over all rows, as if the matrix
   had no other rows
*/
template <class Offset> BlockCounts sample_blocks(Index rows, Index cols, const Offset *i, const Index *j);
/* The blocks with an entry of a CSR pattern; columns of a row may have any order, and the time is linear for ascending columns */
template <class Offset> Pattern block_pattern(Index rows, Index cols, int bs, const Offset *i, const Index *j);

/*
   Bounds of the layout. A window of block rows is sorted by length if its own order costs too much padding, and its longest block
   rows stand alone until the padding is bounded.
*/
constexpr Index  window       = 1024;    /* block rows that are sorted together, a multiple of every slice height */
constexpr double tidy_padding = 1. / 32; /* padding, per block, up to which the order stays as it is */
constexpr double most_padding = 1. / 4;  /* the most padding, per block and block row */
constexpr int    huge_values  = 2048;    /* a long block row with more values is for thread blocks, not for one warp */
constexpr int    part_values  = 4096;    /* values of a long block row for one thread block, about */

/* Do thread blocks take a block row that stands alone? And in how many parts is the block row multiplied? */
HEPTA_HD bool is_huge(std::size_t length, int bs)
{
  return length * bs * bs > std::size_t(huge_values);
}
HEPTA_HD Index parts_alone(std::size_t length, int bs)
{
  const std::size_t blocks = part_values > bs * bs ? part_values / (bs * bs) : 1;
  return length > blocks ? Index((length + blocks - 1) / blocks) : 1;
}

/* The most block rows: positions are of type Index, and less than a slice stays empty in each window */
constexpr Index most_block_rows = std::numeric_limits<Index>::max() / (window + 32) * window;

/* The sizes of a View with its tables on the host */
struct Layout : Sizes {
  std::vector<Index>       perm, position, length, col, part; /* all empty in the empty layout that destructors make */
  std::vector<std::size_t> first;

  /* the ratio of padding to stored blocks */
  double padding() const { return blocks ? double(total - blocks) / double(blocks) : 0; }
  /* host view with the values v */
  template <class V> View<V> view(V *v) const
  {
    View<V> A;

    static_cast<Sizes &>(A) = *this;
    A.perm                  = perm.data();
    A.position              = position.data();
    A.length                = length.data();
    A.first                 = first.data();
    A.col                   = col.data();
    A.part                  = part.data();
    A.v                     = v;
    return A;
  }
};

/* With the mappings warp and blockrow every block row stands alone, outside slices */
Layout make_layout(const Pattern &P, Mapping mapping = Mapping::automatic);
/* The layout of a matrix of `rows` rows and `cols` columns in tiles of bs that has no entries */
Layout empty_layout(Index rows, Index cols, int bs);
/*
   True if the layout is to have no slices. Called twice: when L has its sizes and the number of blocks, and again when L also has
   nlong and longest.

   A product of few block rows does not occupy a device fully and takes as long as its longest row. So all block rows stand alone
   if a block row has many blocks on average. In a small matrix all block rows also stand alone if the longest row needs more
   threads than a slice has for a row, or if some block rows stand alone anyway, because one kernel then takes less time than two.
   Mapping::automatic decides for the device.
*/
bool all_alone(const Layout &L, Mapping mapping);

/*
   The layout of the transpose, and for each of its blocks (in the order of col, padding included) the slot of row 0, column 0 of
   the corresponding block of A, no_slot for padding
*/
struct Transposed {
  Layout                   layout;
  std::vector<std::size_t> source;
};

Transposed transpose_layout(const Layout &A, Mapping mapping = Mapping::automatic);

} // namespace hepta::brow

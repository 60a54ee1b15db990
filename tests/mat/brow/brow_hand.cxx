/* A matrix small enough to draw, its storage slot by slot */
#include "brow_dense.h"

using namespace hepta;
using namespace hepta::test;

/*
   6 x 6, tiles of 2; block row 1 is empty, and what a block does not own is a dot.

     [ 1  2 |      |  3  . ]         block row   blocks in block columns
     [ 4  5 |      |  .  6 ]             0             0, 2
     [------+------+-------]             1
     [      |      |       ]             2             1
     [      |      |       ]
     [------+------+-------]
     [      | 7  8 |       ]
     [      | .  9 |       ]

   Slices are 16 block rows high here. Block rows 0 and 2 would pad one with 29 blocks, so they stand alone, at positions 16
   and 17, after the slice of the empty block row 1. 48 copies of this matrix along the diagonal, 144 block rows, fill slices.
*/
static Dense drawn(int copies)
{
  const Scalar entries[6][6] = {{1, 2, 0, 0, 3, 0}, {4, 5, 0, 0, 0, 6}, {0, 0, 0, 0, 0, 0},
                                {0, 0, 0, 0, 0, 0}, {0, 0, 7, 8, 0, 0}, {0, 0, 0, 9, 0, 0}};
  Dense        D(6 * copies, 6 * copies);

  for (Index c = 0; c < copies; c++) {
    for (Index i = 0; i < 6; i++) {
      for (Index j = 0; j < 6; j++) D(6 * c + i, 6 * c + j) = entries[i][j];
    }
  }
  return D;
}

TEST(BrowHand, Alone)
{
  Rows<double>        A(drawn(1), 2, brow::Mapping::multirow);
  const double        values[] = {1, 4, 2, 5, 3, 0, 0, 6, 7, 0, 8, 9}; /* block by block, column by column */
  const brow::Layout &L        = A.L;

  EXPECT_EQ(L.nslices, 1);
  EXPECT_EQ(L.nlong, 2);
  EXPECT_EQ(L.height, 16);
  EXPECT_EQ(L.perm[0], 1);
  for (Index p = 1; p < 16; p++) EXPECT_EQ(L.perm[p], -1);
  EXPECT_EQ(L.perm[16], 0);
  EXPECT_EQ(L.perm[17], 2);
  EXPECT_EQ(L.position, (std::vector<Index>{16, 0, 17}));
  EXPECT_EQ(L.length[0], 0);
  EXPECT_EQ(L.length[16], 2);
  EXPECT_EQ(L.length[17], 1);
  EXPECT_EQ(L.first, (std::vector<std::size_t>{0, 0, 2}));
  EXPECT_EQ(L.col, (std::vector<Index>{0, 2, 1}));
  EXPECT_EQ(L.total, 3u);
  EXPECT_EQ(L.missing, 2);
  for (std::size_t k = 0; k < 12; k++) EXPECT_EQ(A.v.values()[k], values[k]) << "slot " << k;
}

/*
   The 48 copies in a window, longest first: 48 block rows with two blocks (copies 0 ... 47), then 48 with one, then 48 with
   none: three slices of 16 of each kind. Slice 0 holds the block rows 0, 3, 6, ..., 45:

     block 0 of each: column 0   1 4 | 1 4 | ... 16 times       block columns 0, 3, 6, ...
                      column 1   2 5 | 2 5 | ...
     block 1 of each: column 0   3 . | 3 . | ...                block columns 2, 5, 8, ...
                      column 1   . 6 | . 6 | ...

   and slice 3, from slot 3*2*16*4 = 384 on, the block rows 2, 5, ..., 47:

     block 0 of each: column 0   7 . | 7 . | ...                block columns 1, 4, 7, ...
                      column 1   8 9 | 8 9 | ...
*/
TEST(BrowHand, Slices)
{
  Rows<double>        A(drawn(48), 2);
  const brow::Layout &L      = A.L;
  const double        two[8] = {1, 4, 2, 5, 3, 0, 0, 6}, one[4] = {7, 0, 8, 9};
  const auto         &v = A.v.values();

  EXPECT_EQ(L.nslices, 9);
  EXPECT_EQ(L.nlong, 0);
  EXPECT_EQ(L.blocks, 144u);
  EXPECT_EQ(L.total, 144u);
  EXPECT_EQ(L.first, (std::vector<std::size_t>{0, 32, 64, 96, 112, 128, 144, 144, 144}));
  for (Index b = 0; b < 16; b++) {
    EXPECT_EQ(L.perm[b], 3 * b);
    EXPECT_EQ(L.col[b], 3 * b);
    EXPECT_EQ(L.col[16 + b], 3 * b + 2);
    EXPECT_EQ(L.perm[48 + b], 3 * b + 2);
    EXPECT_EQ(L.col[96 + b], 3 * b + 1);
    for (Index c = 0; c < 4; c++) { /* column c % 2 of block c / 2 */
      for (Index r = 0; r < 2; r++) EXPECT_EQ(v[(c * 16 + b) * 2 + r], two[c * 2 + r]);
    }
    for (Index c = 0; c < 2; c++) {
      for (Index r = 0; r < 2; r++) EXPECT_EQ(v[384 + (c * 16 + b) * 2 + r], one[c * 2 + r]);
    }
  }
}

/* Tiles of 4: the second block row and column are cut off after two; (r, s) of the blocks beyond that are nobody's */
TEST(BrowHand, Cut)
{
  Rows<double>   A(drawn(1), 4);
  const Scalar   n        = nan_value;
  const double   values[] = {1, 4, 0, 0, 2, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 6, 0, 0,
                             n, n, n, n, n, n, n, n, 0, 0, n, n, 0, 0, n, n, 7, 0, n, n, 8, 9, n, n};
  Memory<Scalar> x(Vector{1, 2, 3, 4, 5, 6}), y(Vector(6, nan_value));

  EXPECT_EQ(A.L.nlong, 2);
  EXPECT_EQ(A.L.col, (std::vector<Index>{0, 1, 0}));
  for (std::size_t k = 0; k < 48; k++) {
    if (values[k] == values[k]) EXPECT_EQ(A.v.values()[k], values[k]) << "slot " << k;
    else EXPECT_NE(A.v.values()[k], A.v.values()[k]) << "slot " << k;
  }
  EXPECT_EQ(HEPTA_ON_BOTH(brow::spmv, A.view(), x.get(), (const Scalar *)nullptr, y.get()), nullptr);
  EXPECT_EQ(y.values(), (Vector{20, 50, 0, 0, 53, 36}));
}

/* Few entries in very many columns, not ascending: neither time nor memory for each column */
TEST(BrowHand, WideMatrix)
{
  const Index              last = 2147483646;
  const std::vector<Index> i = {0, 2, 4}, j = {last - 1, 0, last - 2, 5};
  const brow::BlockCounts  b = brow::count_blocks(2, last, i.data(), j.data());
  const brow::Pattern      P = brow::block_pattern(2, last, 2, i.data(), j.data());

  EXPECT_EQ(b.blocks[1], 4u);
  EXPECT_EQ(b.blocks[2], 3u);
  EXPECT_EQ(b.blocks[8], 2u);
  EXPECT_EQ(P.first, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(P.col, (std::vector<Index>{0, 2, last / 2 - 1}));
}

/* A sample of a matrix in blocks of 3 that is large enough for one: every second block row has a dense block beside that of the
   diagonal; of a smaller one all rows count */
TEST(BrowHand, Sample)
{
  for (const Index rows : {53757, 53760, 200001}) {
    std::vector<Index> i = {0}, j;
    for (Index row = 0; row < rows; row++) {
      const Index m = row / 3;
      for (Index c = 3 * m; c < 3 * m + (m % 2 && 3 * m + 6 <= rows ? 6 : 3); c++) j.push_back(c);
      i.push_back(Index(j.size()));
    }
    const brow::BlockCounts all = brow::count_blocks(rows, rows, i.data(), j.data()),
                            b   = brow::sample_blocks(rows, rows, i.data(), j.data());

    EXPECT_EQ(b.rows, rows < 53760 ? rows : 32 * 840);
    for (int n = 1; n <= brow::max_counted; n++)
      EXPECT_NEAR(double(b.blocks[n]) / b.rows, double(all.blocks[n]) / rows, 1e-3 * double(all.blocks[n]) / rows)
        << "size " << n;
    EXPECT_EQ(b.density(3), 1);
    EXPECT_EQ(b.best(8), 3);
  }
}

/* The first rows of a large matrix are of another kind than all others, and one without entries is not sampled in vain */
TEST(BrowHand, SampleOfAll)
{
  const Index        rows = 200000;
  std::vector<Index> i    = {0}, j;

  for (Index row = 0; row < rows; row++) {
    for (Index c = row / 4 * 4; c < row / 4 * 4 + 4; c++) {
      if (row >= rows / 20 || c == row) j.push_back(c);
    }
    i.push_back(Index(j.size()));
  }
  EXPECT_EQ(brow::sample_blocks(rows, rows, i.data(), j.data()).best(8), 4);
  const std::vector<Index> empty(rows + 1, 0);
  EXPECT_EQ(brow::sample_blocks(rows, rows, empty.data(), j.data()).blocks[1], 0u);
}

/* Blocks of size n that hold an entry, and the tile of the fewest bytes: 9 entries, 3 blocks of 2, 3 of 3 and of 4 */
TEST(BrowHand, Counts)
{
  const std::vector<Index> i = {0, 3, 6, 6, 6, 8, 9}, j = {0, 1, 4, 0, 1, 5, 2, 3, 3};
  const brow::BlockCounts  b = brow::count_blocks(6, 6, i.data(), j.data());

  EXPECT_EQ(b.blocks[1], 9u);
  EXPECT_EQ(b.blocks[2], 3u);
  EXPECT_EQ(b.blocks[3], 4u);
  EXPECT_EQ(b.blocks[4], 3u);
  EXPECT_EQ(b.blocks[5], 3u);
  EXPECT_EQ(b.blocks[6], 1u);
  EXPECT_EQ(b.blocks[7], 1u);
  EXPECT_EQ(b.blocks[8], 1u);
  EXPECT_EQ(b.density(2), 0.75);
  EXPECT_EQ(b.bytes(2, 8), 3 * (32 + sizeof(Index)) + 8 * 3);
  EXPECT_EQ(b.best(8), 2);
}

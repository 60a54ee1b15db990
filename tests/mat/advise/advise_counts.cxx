/* What the formats would store, counted by hand */
#include <gtest/gtest.h>

#include "mat/advise/advise_kernels.hxx"

using namespace hepta;

/*
   x . . x
   . x . .
   . . . .
   x . . .
*/
static const advise::Rows four = {
  4, 4, {0, 2, 3, 3, 4},
    {0, 3,  1,  0}
};

TEST(AdviseCounts, Blocks)
{
  const advise::Blocks ones = advise::count_blocks(four, 1), twos = advise::count_blocks(four, 2), threes = advise::count_blocks(four, 3);

  EXPECT_EQ(ones.blocks, 4u);
  EXPECT_EQ(ones.rows, 3u);
  EXPECT_EQ(twos.blocks, 3u);
  EXPECT_EQ(twos.rows, 2u);
  EXPECT_EQ(threes.blocks, 3u); /* the last block row has one row */
  EXPECT_EQ(threes.rows, 2u);
  EXPECT_EQ(advise::count_blocks({}, 2).blocks, 0u);
}

TEST(AdviseCounts, Diagonals)
{
  const advise::Rows wide = {
    2, 6, {0,  1, 1},
      {5}
  };

  EXPECT_EQ(advise::count_diagonals(four, 1).offsets, 3u); /* -3, 0, 3 */
  EXPECT_EQ(advise::count_diagonals(four, 1).slots, 6u);
  EXPECT_EQ(advise::count_diagonals(four, 2).offsets, 3u); /* -1, 0, 1 */
  EXPECT_EQ(advise::count_diagonals(four, 2).slots, 16u);
  EXPECT_EQ(advise::count_diagonals(wide, 2).offsets, 1u);
  EXPECT_EQ(advise::count_diagonals(wide, 2).slots, 4u);
  EXPECT_EQ(advise::count_diagonals({}, 1).offsets, 0u);
}

/* Few entries in very many columns: neither time nor memory for each column */
TEST(AdviseCounts, DiagonalsOfWideMatrix)
{
  const Index        last = 2147483646;
  const advise::Rows wide = {
    2, last, {0, 2,        3       },
      {0, last - 1, last - 1}
  };

  EXPECT_EQ(advise::count_diagonals(wide, 1).offsets, 3u); /* 0, last - 1, last - 2 */
  EXPECT_EQ(advise::count_diagonals(wide, 1).slots, 5u);
  EXPECT_EQ(advise::count_diagonals(wide, 2).offsets, 2u);
  EXPECT_EQ(advise::count_diagonals(wide, 2).slots, 8u);
}

TEST(AdviseCounts, DiagonalsBelowInWideMatrix)
{
  const advise::Rows below = {
    3, 2147483646, {0,  0, 0, 1},
      {0}
  };

  EXPECT_EQ(advise::count_diagonals(below, 1).offsets, 1u); /* -2 */
  EXPECT_EQ(advise::count_diagonals(below, 1).slots, 1u);
}

TEST(AdviseCounts, Slices)
{
  EXPECT_EQ(advise::count_slices(four, 2), 6u);
  EXPECT_EQ(advise::count_slices(four, 3), 9u);
  EXPECT_EQ(advise::count_slices({}, 16), 0u);
}

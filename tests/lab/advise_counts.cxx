/* What the formats would store, counted by hand */
#include <gtest/gtest.h>

#include "advise_kernels.hxx"

using namespace hepta;

/*
   x . . x
   . x . .
   . . . .
   x . . .
*/
static const advise::Rows four = {4, 4, {0, 2, 3, 3, 4}, {0, 3, 1, 0}};

TEST(AdviseCounts, Blocks)
{
  const advise::Blocks ones = advise::count_blocks(four, 1), twos = advise::count_blocks(four, 2),
                       threes = advise::count_blocks(four, 3);

  EXPECT_EQ(ones.blocks, 4u);
  EXPECT_EQ(ones.rows, 3u);
  EXPECT_EQ(twos.blocks, 3u);
  EXPECT_EQ(twos.rows, 2u);
  EXPECT_EQ(threes.blocks, 3u); /* the last block row has one row */
  EXPECT_EQ(threes.rows, 2u);
  EXPECT_EQ(advise::count_blocks({}, 2).blocks, 0u);
}

TEST(AdviseCounts, Slices)
{
  EXPECT_EQ(advise::count_slices(four, 2), 6u);
  EXPECT_EQ(advise::count_slices(four, 3), 9u);
  EXPECT_EQ(advise::count_slices({}, 16), 0u);
}

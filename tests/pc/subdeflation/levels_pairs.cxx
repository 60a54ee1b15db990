/* Pairs of strongly coupled rows, and sums over aggregates */
#include <gtest/gtest.h>

#include <limits>

#include "pc/subdeflation/levels/levels_kernels.hxx"
#include "pc/subdeflation/levels/strength_kernels.hxx"

#include "memory.h"

using hepta::Index;
using namespace hepta::strength;
using namespace hepta::test;

namespace
{

/* Couplings of n rows by both ends and their weight */
struct Edge {
  Index         i, j;
  hepta::Scalar weight;
};

std::vector<Index> pairs(Index n, const std::vector<Edge> &edges, bool together, Index *count)
{
  std::vector<std::size_t>   first(1, 0);
  std::vector<Index>         neighbor, number(n), partner(n), work(n);
  std::vector<hepta::Scalar> weight;

  for (Index i = 0; i < n; i++) {
    for (const Edge &e : edges) {
      if (e.i != i && e.j != i) continue;
      neighbor.push_back(e.i == i ? e.j : e.i);
      weight.push_back(e.weight);
    }
    first.push_back(neighbor.size());
  }
  EXPECT_EQ(pair_host({n, first.data(), neighbor.data(), weight.data()}, together, number.data(), partner.data(), work.data(), count), nullptr);
  return number;
}

typedef std::vector<Index> Numbers;

TEST(LevelsPairs, StrongestFirst)
{
  Index count;

  EXPECT_EQ(pairs(4,
                  {
                    {0, 1, 1},
                    {1, 2, 3},
                    {2, 3, 1}
  },
                  true, &count),
            (Numbers{0, 0, 0, 0})); /* rows 0 and 3 are left, and join */
  EXPECT_EQ(count, 1);
  EXPECT_EQ(pairs(4,
                  {
                    {0, 1, 2},
                    {1, 2, 1},
                    {2, 3, 2}
  },
                  true, &count),
            (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(count, 2);
}

/* The coupling of rows 2 and 3 is a quarter of their strongest ones, which others have taken; or less, so that they join those */
TEST(LevelsPairs, Threshold)
{
  Index             count;
  std::vector<Edge> edges = {
    {0, 1, 100},
    {1, 2, 20 },
    {2, 3, 5  },
    {3, 4, 20 },
    {4, 5, 100}
  };

  EXPECT_EQ(pairs(6, edges, true, &count), (Numbers{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(count, 3);
  edges[1].weight = edges[3].weight = 21;
  EXPECT_EQ(pairs(6, edges, true, &count), (Numbers{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(count, 2);
}

/* Equal weights on a grid: all pairs in natural order, along the first axis */
TEST(LevelsPairs, Grid)
{
  const Index       nx = 30, ny = 20;
  std::vector<Edge> edges;
  Numbers           expected;
  Index             count;

  for (Index i = 0; i < nx * ny; i++) {
    if (i % nx + 1 < nx) edges.push_back({i, i + 1, 1});
    if (i + nx < nx * ny) edges.push_back({i, i + nx, 1});
    expected.push_back(i / 2);
  }
  EXPECT_EQ(pairs(nx * ny, edges, true, &count), expected);
  EXPECT_EQ(count, nx * ny / 2);
}

/* Rows that nothing couples; weights that are not positive are none */
TEST(LevelsPairs, Alone)
{
  Index count;

  EXPECT_EQ(pairs(5,
                  {
                    {1, 3, 1 },
                    {0, 2, -1},
                    {2, 4, 0 }
  },
                  true, &count),
            (Numbers{0, 1, 0, 1, 0}));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(pairs(5,
                  {
                    {1, 3, 1 },
                    {0, 2, -1},
                    {2, 4, 0 }
  },
                  false, &count),
            (Numbers{0, 1, 2, 1, 3}));
  EXPECT_EQ(count, 4);
}

/* Weights that grow along a line, each pair of which would wait for the one above it: all rows are in aggregates of 2 to a few rows nevertheless */
TEST(LevelsPairs, Waiting)
{
  const Index       n = 2000;
  std::vector<Edge> edges;
  Index             count;

  for (Index i = 0; i + 1 < n; i++) edges.push_back({i, i + 1, 1 + 1e-3 * hepta::Scalar(i)});
  const Numbers      number = pairs(n, edges, true, &count);
  std::vector<Index> size(count, 0);
  for (Index e : number) size[e]++;
  for (Index e = 0; e < count; e++) {
    EXPECT_GE(size[e], 2);
    EXPECT_LE(size[e], 4);
  }
}

TEST(LevelsSums, Members)
{
  Memory<std::size_t>   first({0, 2, 2, 5});
  Memory<Index>         member({3, 0, 1, 2, 4});
  Memory<hepta::Scalar> v({1, 2, 4, 8, 16}), sum({-1, -1, -1});

  Memory<hepta::Scalar> w({1, 1, 0, 4, 6}), less({-1, -1, -1});
  const hepta::Scalar  *none = nullptr;

  EXPECT_EQ(HEPTA_ON_BOTH(hepta::levels::member_sums, 3, first.get(), member.get(), 0.5, v.get(), none, sum.get()), nullptr);
  EXPECT_EQ(sum.values(), (std::vector<hepta::Scalar>{4.5, 0, 11}));
  EXPECT_EQ(HEPTA_ON_BOTH(hepta::levels::member_sums, 3, first.get(), member.get(), 0.5, v.get(), w.get(), less.get()), nullptr);
  EXPECT_EQ(less.values(), (std::vector<hepta::Scalar>{2, 0, 7.5}));
}

TEST(LevelsSteps, Vectors)
{
  const double          none = std::numeric_limits<double>::quiet_NaN();
  Memory<hepta::Scalar> b({1, 2, 4}), t({5, 1, 0.5}), z({1, -2, 3}), unset({none, 1, none});

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::subtract_from, 3, (const hepta::Scalar *)b.get(), t.get()), nullptr);
  EXPECT_EQ(t.values(), (std::vector<hepta::Scalar>{-4, 1, 3.5}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::add_step, 3, 0.5, (const hepta::Scalar *)b.get(), z.get()), nullptr);
  EXPECT_EQ(z.values(), (std::vector<hepta::Scalar>{1.5, -1, 5}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::damp, 3, 0.5, z.get()), nullptr);
  EXPECT_EQ(z.values(), (std::vector<hepta::Scalar>{0.75, -0.5, 2.5}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::damp, 3, 0, unset.get()), nullptr);
  EXPECT_EQ(unset.values(), (std::vector<hepta::Scalar>{0, 0, 0}));
}

TEST(LevelsSums, Transposed)
{
  Memory<hepta::Scalar> B({1, 2, 3, 4, 5, 6, 7, 8, 9}), turned(std::vector<hepta::Scalar>(9));

  EXPECT_EQ(HEPTA_ON_BOTH(hepta::levels::transpose_dense, 3, B.get(), turned.get()), nullptr);
  EXPECT_EQ(turned.values(), (std::vector<hepta::Scalar>{1, 4, 7, 2, 5, 8, 3, 6, 9}));
}

} // namespace

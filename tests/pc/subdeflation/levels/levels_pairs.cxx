/* Couplings, pairs of strongly coupled rows, and couplings between these */
#include <gtest/gtest.h>

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

/* These, where the tests of this run are */
struct Coupled {
  std::vector<Index>         neighbors;
  std::vector<hepta::Scalar> weights;
  std::vector<std::size_t>   firsts; /* List() fills all three */
  Memory<std::size_t>        first;
  Memory<Index>              neighbor;
  Memory<hepta::Scalar>      weight;

  Coupled(Index n, const std::vector<Edge> &edges) : firsts(List(n, edges)), first(firsts), neighbor(neighbors), weight(weights) {}
  Graph graph() { return {Index(firsts.size()) - 1, first.get(), neighbor.get(), weight.get()}; }

private:
  std::vector<std::size_t> List(Index n, const std::vector<Edge> &edges)
  {
    std::vector<std::size_t> begin(1, 0);

    for (Index i = 0; i < n; i++) {
      for (const Edge &e : edges) {
        if (e.i != i && e.j != i) continue;
        neighbors.push_back(e.i == i ? e.j : e.i);
        weights.push_back(e.weight);
      }
      begin.push_back(neighbors.size());
    }
    return begin;
  }
};

std::vector<Index> pairs(Index n, const std::vector<Edge> &edges, bool alone_together, Index *count)
{
  Coupled           C(n, edges);
  Memory<Index>     number(std::vector<Index>(n, 77)), partner(std::vector<Index>(n, 77)), point(std::vector<Index>(n + 1, 77));
  Memory<long long> found({77, 77});
  const PairWork    work = {partner.get(), point.get(), found.get()};

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(pair, C.graph(), alone_together, number.get(), work, count), nullptr);
  return number.values();
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

/* Couplings of a few thousand rows with many equal weights, as grids have them, and rows that nothing couples */
std::vector<Edge> many(Index n)
{
  std::vector<Edge> edges;

  for (Index i = 0; i < n; i++) {
    for (Index step : {1, 17, 400}) {
      const std::size_t k = (std::size_t(i) * 1000 + std::size_t(step)) * 2654435761u >> 7;
      if (i + step < n && k % 7) edges.push_back({i, i + step, hepta::Scalar(k % 5) - hepta::Scalar(k % 3 == 0) / 3});
    }
  }
  return edges;
}

/* The device finds the pairs that the host does */
TEST(LevelsPairs, SameOnBoth)
{
  const Index             n     = 3000;
  const std::vector<Edge> edges = many(n);

  for (bool alone_together : {false, true}) {
    Index          count, expected;
    Coupled        C(n, edges);
    Numbers        number(n), partner(n), point(n + 1);
    long long      found[2];
    const Graph    g       = {n, C.firsts.data(), C.neighbors.data(), C.weights.data()};
    const PairWork work    = {partner.data(), point.data(), found};
    const Numbers  numbers = pairs(n, edges, alone_together, &count);
    EXPECT_EQ(pair(hepta::HostEach(), g, alone_together, number.data(), work, &expected), nullptr);
    EXPECT_EQ(count, expected);
    EXPECT_EQ(numbers, number);
  }
}

/* In the order of first rows, without the numbers that are missing */
TEST(LevelsPairs, Renumber)
{
  Memory<Index> number({5, 1, 3, 1, 5, 0, 3}), least(Numbers(6, 77)), rank(Numbers(8, 77));
  Index         count = 6;

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(renumber, 7, number.get(), least.get(), rank.get(), &count), nullptr);
  EXPECT_EQ(number.values(), (Numbers{0, 1, 2, 1, 0, 3, 2}));
  EXPECT_EQ(count, 4);
}

/* Sums over all couplings between two aggregates; rows 1 and 4 have none with others */
TEST(LevelsPairs, Coarsen)
{
  const std::vector<Edge> edges = {
    {0, 1, 1  },
    {0, 2, 2  },
    {0, 3, 4  },
    {2, 3, 8  },
    {3, 5, -16},
    {2, 5, 32 },
    {1, 4, 64 },
    {4, 4, 3  }
  };

  Coupled                    C(6, edges);
  Memory<Index>              number({0, 1, 0, 2, 1, 2}), neighbor(Numbers(16, 77));
  Memory<std::size_t>        first({77, 77, 77, 77});
  Memory<hepta::Scalar>      weight(std::vector<hepta::Scalar>(16, 77));
  std::size_t                n = 0;
  std::vector<hepta::Scalar> sums(9, 0);

  EXPECT_EQ(HEPTA_ON_BOTH(coarsen, C.graph(), number.get(), 3, first.get(), neighbor.get(), weight.get(), &n), nullptr);
  EXPECT_EQ(first.values(), (std::vector<std::size_t>{0, 2, 3, 4}));
  ASSERT_EQ(n, 4u);
  for (Index e = 0; e < 3; e++) {
    for (std::size_t p = first.values()[e]; p < first.values()[e + 1]; p++) sums[std::size_t(e) * 3 + neighbor.values()[p]] += weight.values()[p];
  }
  EXPECT_EQ(sums, (std::vector<hepta::Scalar>{0, 1, 44, 1, 0, 0, 44, 0, 0}));
}

/* No coupling is left between aggregates; and many, against sums in a dense matrix, to the last bit: their order is that of the rows */
TEST(LevelsPairs, CoarsenMany)
{
  const Index n = 3000;

  for (Index count : {1, 2, 50, 700}) {
    Coupled                    C(n, many(n));
    Numbers                    number(n);
    std::vector<hepta::Scalar> sums(std::size_t(count) * count, 0), found(sums);
    std::size_t                entries = 77;

    for (Index i = 0; i < n; i++) number[i] = (i / 2 * 11) % count;
    for (Index i = 0; i < n; i++) {
      for (std::size_t p = C.firsts[i]; p < C.firsts[i + 1]; p++) {
        if (number[i] != number[C.neighbors[p]]) sums[std::size_t(number[i]) * count + number[C.neighbors[p]]] += C.weights[p];
      }
    }
    Memory<Index>         numbers(number), neighbor(Numbers(C.neighbors.size(), 77));
    Memory<std::size_t>   first(std::vector<std::size_t>(std::size_t(count) + 1, 77));
    Memory<hepta::Scalar> weight(std::vector<hepta::Scalar>(C.neighbors.size(), 77));
    EXPECT_EQ(HEPTA_ON_BOTH(coarsen, C.graph(), numbers.get(), count, first.get(), neighbor.get(), weight.get(), &entries), nullptr);
    ASSERT_EQ(first.values()[count], entries);
    for (Index e = 0; e < count; e++) {
      for (std::size_t p = first.values()[e]; p < first.values()[e + 1]; p++) found[std::size_t(e) * count + neighbor.values()[p]] += weight.values()[p];
    }
    EXPECT_EQ(found, sums);
  }
}

/* Rows 1 and 2 have negative diagonals, row 3 none; an entry without one across is found */
TEST(LevelsPairs, Couplings)
{
  Memory<std::size_t>   first({0, 3, 5, 7, 9}), slot({8, 7, 6, 5, 4, 3, 2, 1, 0});
  Memory<Index>         column({0, 1, 3, 0, 1, 2, 3, 0, 2});
  Memory<float>         v({-3, -2, 5, -7, -4, 9, -6, 10, 4}); /* of the entries from the last one on */
  Memory<hepta::Scalar> sign({77, 77, 77, 77}), weight(std::vector<hepta::Scalar>(9, 77));
  Memory<long long>     missing({77});
  Entries<float>        A = {4, first.get(), column.get(), slot.get(), v.get()};

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(couplings, A, sign.get(), weight.get(), missing.get()), nullptr);
  EXPECT_EQ(missing.values()[0], 0);
  EXPECT_EQ(sign.values(), (std::vector<hepta::Scalar>{1, -1, -1, 1}));
  EXPECT_EQ(weight.values(), (std::vector<hepta::Scalar>{0, -0.5, 4, -0.5, 0, 0, 4, 4, 4}));
  Memory<Index> elsewhere({0, 1, 2, 0, 1, 2, 3, 2, 3}); /* (0, 2) alone has none across, where row 2 begins behind column 0 */
  A.column = elsewhere.get();
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(couplings, A, sign.get(), weight.get(), missing.get()), nullptr);
  EXPECT_EQ(missing.values()[0], 1);
}

} // namespace

/* Orders in which tiles are dense: blocks that a numbering scattered are found again; without a gain the order stays */
#include "mat/brow/brow_layout.hxx"
#include "mat/brow/brow_order.hxx"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace hepta;

namespace
{

struct Rows {
  std::vector<Index> i{0}, j;

  Index n() const { return Index(i.size()) - 1; }
};

/* Row r has column c where is(r, c) says so */
Rows rows_of(Index n, const std::function<bool(Index, Index)> &is)
{
  Rows A;

  for (Index r = 0; r < n; r++) {
    for (Index c = 0; c < n; c++) {
      if (is(r, c)) A.j.push_back(c);
    }
    A.i.push_back(Index(A.j.size()));
  }
  return A;
}

brow::BlockCounts counts_in(const Rows &A, const std::vector<Index> &order)
{
  std::vector<Index> position(A.n());
  Rows               B;

  for (Index r = 0; r < A.n(); r++) position[order[r]] = r;
  for (Index old : order) {
    for (Index p = A.i[old]; p < A.i[old + 1]; p++) B.j.push_back(position[A.j[p]]);
    B.i.push_back(Index(B.j.size()));
  }
  return brow::count_blocks(B.n(), B.n(), B.i.data(), B.j.data());
}

std::vector<Index> order_of(const Rows &A)
{
  const std::vector<Index> order  = brow::density_order(A.n(), A.i.data(), A.j.data());
  std::vector<Index>       sorted = order;

  std::sort(sorted.begin(), sorted.end());
  for (Index k = 0; k < Index(sorted.size()); k++) EXPECT_EQ(sorted[k], k);
  EXPECT_TRUE(order.empty() || Index(order.size()) == A.n());
  return order;
}

} // namespace

TEST(BrowOrder, FindsScatteredBlocks)
{
  /* a ring of nodes with n unknowns; unknown u of node k is row u*nodes + k, and the ring jumps by 7 */
  for (int n : {2, 3, 4, 8}) {
    const Index              nodes = 60;
    const Rows               A     = rows_of(n * nodes, [&](Index r, Index c) {
      const Index d = (r % nodes - c % nodes + nodes) % nodes;
      return d == 0 || d == 7 || d == nodes - 7;
    });
    const std::vector<Index> order = order_of(A);
    ASSERT_FALSE(order.empty()) << "tiles of " << n;
    EXPECT_DOUBLE_EQ(counts_in(A, order).density(n), 1) << "tiles of " << n;
  }
}

TEST(BrowOrder, PatternsWithoutSymmetryAndLongRows)
{
  /* pairs of like rows far apart, of upper triangles; one row and one column without a zero */
  const Index n = 600, half = n / 2;
  const Rows  A =
    rows_of(n, [&](Index r, Index c) { return r == 17 || c == 17 || (r % half <= c % half && c % half <= r % half + 3); });
  const std::vector<Index> order = order_of(A);

  ASSERT_FALSE(order.empty());
  EXPECT_GT(counts_in(A, order).density(2), 0.8);
}

TEST(BrowOrder, StaysWhereNothingIsGained)
{
  EXPECT_TRUE(order_of(rows_of(0, [](Index, Index) { return false; })).empty());
  EXPECT_TRUE(order_of(rows_of(1, [](Index, Index) { return true; })).empty());
  EXPECT_TRUE(order_of(rows_of(50, [](Index, Index) { return false; })).empty());
  EXPECT_TRUE(order_of(rows_of(200, [](Index r, Index c) { return r == c; })).empty());
  EXPECT_TRUE(order_of(rows_of(200, [](Index r, Index c) { return r / 4 == c / 4; })).empty());
  EXPECT_TRUE(
    order_of(rows_of(400, [](Index r, Index c) { return r == c || r == c + 1 || c == r + 1 || r == c + 20 || c == r + 20; }))
      .empty());
}

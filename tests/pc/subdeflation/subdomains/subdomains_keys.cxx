/* Keys of subdomains, and their numbers */
#include <gtest/gtest.h>

#include "pc/subdeflation/subdomains/subdomains_kernels.hxx"

#include "memory.h"

using hepta::Index;
using namespace hepta::subdeflation;
using namespace hepta::test;

namespace
{

typedef std::vector<Index> Numbers;

TEST(Subdomains, Keys)
{
  Memory<Index>   stripe(Numbers(5, 77)), box(Numbers(12, 77));
  const Cells     cells = {{3, 2, 2}, {1, 0, 2}, 0};
  const CellBoxes boxes = {{2, 2, 3}, {2, 1, 2}};

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(stripe_keys, 5, 2, 3, 7, stripe.get()), nullptr);
  EXPECT_EQ(stripe.values(), (Numbers{0, 1, 1, 2, 2}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(box_keys, 12, cells, boxes, box.get()), nullptr);
  EXPECT_EQ(box.values(), (Numbers{0, 1, 1, 0, 1, 1, 2, 3, 3, 2, 3, 3}));
}

TEST(Subdomains, Pairs)
{
  Memory<Index> major({5, 0, 5, 3, 0, 5}), minor({1, 2, 0, 2, 2, 1}), order(Numbers(6, 77)), a(Numbers(7, 77)), b(Numbers(6)),
    c(Numbers(6)), label(Numbers(6, 77));
  Memory<std::size_t> groups(std::vector<std::size_t>(7));
  const PairRoom      room  = {a.get(), b.get(), c.get(), groups.get()};
  const Index        *none  = nullptr;
  Index               count = -1;

  EXPECT_EQ(
    HEPTA_EACH_ON_BOTH(order_by_pairs, 6, (const Index *)major.get(), 6, (const Index *)minor.get(), 3, room, order.get()),
    nullptr);
  EXPECT_EQ(order.values(), (Numbers{1, 4, 3, 2, 0, 5}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(number_pairs, 6, (const Index *)major.get(), (const Index *)minor.get(),
                               (const Index *)order.get(), a.get(), label.get(), &count),
            nullptr);
  EXPECT_EQ(label.values(), (Numbers{3, 0, 2, 1, 0, 3}));
  EXPECT_EQ(count, 4);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(order_by_pairs, 6, none, 0, (const Index *)minor.get(), 3, room, order.get()), nullptr);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(number_pairs, 6, none, (const Index *)minor.get(), (const Index *)order.get(), a.get(),
                               label.get(), &count),
            nullptr);
  EXPECT_EQ(label.values(), (Numbers{1, 2, 0, 2, 2, 1}));
  EXPECT_EQ(count, 3);
}

TEST(Subdomains, Compare)
{
  Memory<Index>     a({1, 2, 3}), b({1, 2, 4});
  Memory<long long> found({0, 0});

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(compare, 2, (const Index *)a.get(), (const Index *)b.get(), found.get()), nullptr);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(compare, 3, (const Index *)a.get(), (const Index *)b.get(), found.get() + 1), nullptr);
  EXPECT_EQ(found.values(), (std::vector<long long>{0, 1}));
}

} // namespace

/* Running sums and the order by groups, in host memory or on the device */
#include "shared/group.hxx"

#include "memory.h"

using namespace hepta;
using namespace hepta::test;

TEST(Groups, RunningSums)
{
  for (std::size_t n : {0, 1, 2, 33, 5000}) {
    std::vector<std::size_t> given, expected;
    std::vector<Index>       small;
    std::size_t              sum = 0;

    for (std::size_t k = 0; k < n; k++) {
      given.push_back((k * 2654435761u >> 7) % 5);
      small.push_back(Index(given[k]));
      expected.push_back(sum);
      sum += given[k];
    }
    Memory<std::size_t> x(given);
    Memory<Index>       y(small);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(running_sums, n, x.get()), nullptr);
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(running_sums, n, y.get()), nullptr);
    EXPECT_EQ(x.values(), expected);
    EXPECT_EQ(std::vector<std::size_t>(y.values().begin(), y.values().end()), expected);
  }
}

/* One group, as many as numbers, groups without a number at both ends and between */
TEST(Groups, ByGroups)
{
  for (Index groups : {1, 2, 64, 65, 4000}) {
    const std::size_t        n = 3000;
    std::vector<Index>       group, order;
    std::vector<std::size_t> first(1, 0);

    for (std::size_t k = 0; k < n; k++) group.push_back(groups == 65 ? 7 : Index((k * 2654435761u >> 7) % std::size_t(groups)));
    for (Index e = 0; e < groups; e++) {
      for (std::size_t k = 0; k < n; k++) {
        if (group[k] == e) order.push_back(Index(k));
      }
      first.push_back(order.size());
    }
    Memory<Index>       given(group), found(std::vector<Index>(n, 77));
    Memory<std::size_t> begin(std::vector<std::size_t>(std::size_t(groups) + 1, 77));
    EXPECT_EQ(HEPTA_EACH_ON_BOTH(by_groups, n, given.get(), groups, found.get(), begin.get()), nullptr);
    EXPECT_EQ(found.values(), order);
    EXPECT_EQ(begin.values(), first);
  }
}

TEST(Groups, Fetch)
{
  Memory<long long> x({3, 5, 7});
  long long         y = 0;

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(fetch, (const long long *)x.get() + 1, &y), nullptr);
  EXPECT_EQ(y, 5);
}

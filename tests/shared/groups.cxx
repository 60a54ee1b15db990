/* Running sums and the order by groups, in host memory or on the device; sorting there */
#include <algorithm>

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

/* One group, as many as numbers, one more than bits have numbers, groups without a number at both ends and between */
TEST(Groups, ByGroups)
{
  for (Index groups : {1, 2, 64, 65, 257, 4000}) {
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

TEST(Groups, BitsOf)
{
  EXPECT_EQ(bits_of(0), 1);
  EXPECT_EQ(bits_of(1), 1);
  EXPECT_EQ(bits_of(255), 8);
  EXPECT_EQ(bits_of(256), 9);
  EXPECT_EQ(bits_of(~std::uint64_t(0)), 64);
}

#if defined(HEPTA_HAVE_CUDA)
/* Many keys, few different ones, so that most values stay in the order given */
TEST(Groups, SortOnDevice)
{
  if (!on_device()) return; /* the host has no such launchers */
  for (std::size_t n : {1, 33, 5000}) {
    std::vector<std::uint64_t> key, number, sorted, by_key;
    std::uint64_t              largest = 0;

    for (std::size_t k = 0; k < n; k++) {
      key.push_back((k * 2654435761u >> 7) % 97 << 30);
      number.push_back(k);
      largest = std::max(largest, key[k]);
    }
    by_key = number;
    std::stable_sort(by_key.begin(), by_key.end(), [&](std::uint64_t a, std::uint64_t b) { return key[a] < key[b]; });
    for (std::uint64_t k : by_key) sorted.push_back(key[k]);
    Memory<std::uint64_t> given(key), values(number), keys(std::vector<std::uint64_t>(n, 77)),
      found(std::vector<std::uint64_t>(n, 77)), count({77});
    EXPECT_EQ(sort_by_key(DeviceEach{nullptr}, n, bits_of(largest), given.get(), keys.get(), values.get(), found.get()), nullptr);
    EXPECT_EQ(keys.values(), sorted);
    EXPECT_EQ(found.values(), by_key);
    EXPECT_EQ(sort_once(DeviceEach{nullptr}, n, bits_of(largest), given.get(), count.get()), nullptr);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    EXPECT_EQ(count.values()[0], sorted.size());
    const std::vector<std::uint64_t> all = given.values();
    EXPECT_EQ(std::vector<std::uint64_t>(all.begin(), all.begin() + (std::ptrdiff_t)sorted.size()), sorted);
  }
}
#endif

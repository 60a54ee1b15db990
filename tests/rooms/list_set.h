/* The list of a matrix's set entries, against a loop over all entries, in host memory or on the device */
#pragma once

#include <optional>

#include "mat/blocked/blocked_kernels.hxx"
#include "memory.h"
#include "shared/group.hxx"

namespace hepta::test
{

/* Lists the entries of A, a view with `slots` slots, of which every third slot's bit is missing; slot_of(i, j) is the slot of an
   entry, if there is one */
template <class View, class F> void expect_list_set(const View &A, Index rows, Index cols, std::size_t slots, F slot_of)
{
  std::vector<std::uint32_t> set(slots / 32 + 1, 0);
  std::vector<std::size_t>   counts, listed;
  std::vector<Index>         columns;

  for (std::size_t at = 0; at < 32 * set.size(); at++) set[at / 32] |= std::uint32_t(at % 3 > 0) << at % 32;
  for (Index i = 0; i < rows; i++) {
    counts.push_back(0);
    for (Index j = 0; j < cols; j++) {
      const std::optional<std::size_t> at = slot_of(i, j);
      if (!at || *at % 3 == 0) continue;
      counts[i]++;
      columns.push_back(j);
      listed.push_back(*at);
    }
  }
  Memory<std::uint32_t> bits(set);
  Memory<std::size_t>   count(std::vector<std::size_t>(counts.size(), 77)), slot(std::vector<std::size_t>(listed.size(), 77));
  Memory<Index>         column(std::vector<Index>(columns.size(), 77));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::list_set, A, (const std::uint32_t *)bits.get(), count.get(), (Index *)nullptr,
                               (std::size_t *)nullptr),
            nullptr);
  EXPECT_EQ(count.values(), counts);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(running_sums, counts.size(), count.get()), nullptr);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(blocked::list_set, A, (const std::uint32_t *)bits.get(), count.get(), column.get(), slot.get()),
            nullptr);
  EXPECT_EQ(column.values(), columns);
  EXPECT_EQ(slot.values(), listed);
}

} // namespace hepta::test

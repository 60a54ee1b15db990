/* Sums over aggregates, structures from labels, and the steps of the cycle over levels of any aggregates */
#include <gtest/gtest.h>

#include <limits>

#include "pc/subdeflation/levels/levels_kernels.hxx"

#include "memory.h"

using hepta::Index;
using namespace hepta::test;

namespace
{

typedef std::vector<Index> Numbers;

TEST(LevelsSums, Members)
{
  Memory<std::size_t>   first({0, 2, 2, 5});
  Memory<Index>         member({3, 0, 1, 2, 4});
  Memory<hepta::Scalar> v({1, 2, 4, 8, 16}), sum({-1, -1, -1});

  Memory<hepta::Scalar> w({1, 1, 0, 4, 6}), less({-1, -1, -1});
  const hepta::Scalar  *none = nullptr;

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::member_sums, 3, first.get(), member.get(), 0.5, v.get(), none, sum.get()), nullptr);
  EXPECT_EQ(sum.values(), (std::vector<hepta::Scalar>{4.5, 0, 11}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::member_sums, 3, first.get(), member.get(), 0.5, v.get(), w.get(), less.get()), nullptr);
  EXPECT_EQ(less.values(), (std::vector<hepta::Scalar>{2, 0, 7.5}));
}

TEST(LevelsSteps, Vectors)
{
  const double          none = std::numeric_limits<double>::quiet_NaN();
  Memory<hepta::Scalar> b({1, 2, 4}), t({5, 1, 0.5}), z({1, -2, 3}), unset({none, 1, none});

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::combine, 3, 1, (const hepta::Scalar *)b.get(), -1, t.get()), nullptr);
  EXPECT_EQ(t.values(), (std::vector<hepta::Scalar>{-4, 1, 3.5}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::combine, 3, 0.5, (const hepta::Scalar *)b.get(), 1, z.get()), nullptr);
  EXPECT_EQ(z.values(), (std::vector<hepta::Scalar>{1.5, -1, 5}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::combine, 3, 0, (const hepta::Scalar *)nullptr, 0.5, z.get()), nullptr);
  EXPECT_EQ(z.values(), (std::vector<hepta::Scalar>{0.75, -0.5, 2.5}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::combine, 3, 0, (const hepta::Scalar *)nullptr, 0, unset.get()), nullptr);
  EXPECT_EQ(unset.values(), (std::vector<hepta::Scalar>{0, 0, 0}));
}

/* Labels of unknowns and entries, long aggregates, and a dense matrix from its entries */
TEST(LevelsSums, Structure)
{
  Memory<Index>         number({2, 0, 2}), label(Numbers(6, 77)), column({1, 2, 0, 1, 2, 0}), i(Numbers(6, 77)), j(Numbers(6, 77)), coarse({2, 5, 0});
  Memory<std::size_t>   first({0, 2, 5, 6}), slot({5, 4, 3, 2, 1, 0});
  Memory<long long>     longer({0, 0});
  Memory<float>         v({1, 2, 3, 4, 5, 6});
  Memory<hepta::Scalar> e(std::vector<hepta::Scalar>(9, 0));
  hepta::Scalar        *none = nullptr;

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::label_unknowns, 6, 2, (const Index *)number.get(), label.get()), nullptr);
  EXPECT_EQ(label.values(), (Numbers{4, 5, 0, 1, 4, 5}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::coarse_indices, 3, first.get(), (const Index *)column.get(), (const Index *)coarse.get(), 10, i.get(), j.get()), nullptr);
  EXPECT_EQ(i.values(), (Numbers{12, 12, 15, 15, 15, 10}));
  EXPECT_EQ(j.values(), (Numbers{15, 10, 12, 15, 10, 12}));
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::note_longer, 3, 3, first.get(), longer.get()), nullptr);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::note_longer, 3, 2, first.get(), longer.get() + 1), nullptr);
  EXPECT_EQ(longer.values(), (std::vector<long long>{0, 1}));
  Memory<long long> found({0});
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::fill_dense, 3, first.get(), (const Index *)column.get(), slot.get(), (const float *)v.get(), e.get(), found.get()), nullptr);
  EXPECT_EQ(e.values(), (std::vector<hepta::Scalar>{0, 6, 5, 4, 3, 2, 1, 0, 0}));
  EXPECT_EQ(found.values()[0], 0);
  Memory<float> bad({1, 2, std::numeric_limits<float>::infinity(), 4, 5, 6});
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::fill_dense, 3, first.get(), (const Index *)column.get(), slot.get(), (const float *)bad.get(), none, found.get()), nullptr);
  EXPECT_EQ(found.values()[0], 1);
}

TEST(LevelsSums, Transposed)
{
  Memory<hepta::Scalar> B({1, 2, 3, 4, 5, 6, 7, 8, 9}), transposed(std::vector<hepta::Scalar>(9));

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(hepta::levels::transpose_dense, 3, B.get(), transposed.get()), nullptr);
  EXPECT_EQ(transposed.values(), (std::vector<hepta::Scalar>{1, 4, 7, 2, 5, 8, 3, 6, 9}));
}

} // namespace

/* The analysis of COO locations on the device, step by step, against plain loops on the host */
#include "mat/blocked/coo.hxx"

#include <algorithm>
#include <random>

#include "memory.h"

using namespace hepta;
using namespace hepta::blocked;
using namespace hepta::test;

namespace
{

typedef std::vector<Index>         Indices;
typedef std::vector<std::uint64_t> Counts;

constexpr std::uint32_t none = 0xffffffffu;

/* A rank with some rows and columns in the middle of a matrix of 40 rows and 50 columns */
const CooPart part = {{10, 20}, {8, 30}, 40, 50};

/* What a loop over the entries says of them */
struct Sorted {
  Counts  number; /* entries in rows or columns of other ranks, */
  Indices i, j;   /* and their locations */
  Indices own_i, own_j;
  bool    good = true; /* no entry is beyond the matrix */

  Sorted(const Indices &rows, const Indices &cols)
  {
    for (std::size_t k = 0; k < rows.size(); k++) {
      const Index r = rows[k], c = cols[k];
      const bool  ignored = r < 0 || c < 0, own = r >= 10 && r < 20 && c >= 8 && c < 30;
      own_i.push_back(own ? r - 10 : -1);
      own_j.push_back(own ? c - 8 : -1);
      if (ignored || own) continue;
      number.push_back(k);
      i.push_back(r);
      j.push_back(c);
      good = good && r < 40 && c < 50;
    }
  }
};

void check_part(const Indices &rows, const Indices &cols)
{
  const Sorted       expected(rows, cols);
  const std::size_t  n = rows.size();
  Memory<Index>      i(rows), j(cols), own_i(Indices(n, 77)), own_j(Indices(n, 77));
  const CooEntries   entries = {n, i.get(), j.get()};
  unsigned long long count   = 77;
  bool               good    = !expected.good;

  ASSERT_EQ(coo_count_others_cuda(part, entries, &count, &good, nullptr), nullptr);
  EXPECT_EQ(good, expected.good);
  ASSERT_EQ(count, expected.number.size());
  ASSERT_EQ(coo_own_cuda(part, entries, own_i.get(), own_j.get(), nullptr), nullptr);
  EXPECT_EQ(own_i.values(), expected.own_i);
  EXPECT_EQ(own_j.values(), expected.own_j);
  if (!count) return;
  Memory<std::uint64_t> number{Counts(count, 77)};
  Memory<Index>         other_i(Indices(count, 77)), other_j(Indices(count, 77));
  ASSERT_EQ(coo_others_cuda(part, entries, count, number.get(), other_i.get(), other_j.get(), nullptr), nullptr);
  EXPECT_EQ(number.values(), expected.number);
  EXPECT_EQ(other_i.values(), expected.i);
  EXPECT_EQ(other_j.values(), expected.j);
}

/* What a loop over the entries says of slots: the entries of each, in the order given */
struct Slots {
  std::size_t                given;
  std::vector<Counts>        entries;
  std::vector<std::uint32_t> first, source, set;
  Counts                     slot, perm, begin;  /* duplicates, and where their runs begin */
  int                        arrivals_alone = 0; /* slots without a given entry */

  Slots(Stored<Scalar> &A, const Indices &i, const Indices &j, std::size_t given_) : given(given_), entries(A.v.size())
  {
    for (std::size_t k = 0; k < i.size(); k++) {
      if (i[k] >= 0 && j[k] >= 0) entries[std::size_t(&A.at(i[k], j[k]) - A.v.data())].push_back(k);
    }
    set.resize(entries.size() / 32, 0);
    for (std::size_t s = 0; s < entries.size(); s++) {
      const Counts &e = entries[s];
      first.push_back(e.empty() ? none : std::uint32_t(e[0]));
      source.push_back(e.empty() || e[0] >= given ? 0 : std::uint32_t(e[0] + 1));
      if (!e.empty()) set[s / 32] |= 1u << (s % 32);
      arrivals_alone += !e.empty() && e[0] >= given;
      const std::size_t before = perm.size();
      for (std::uint64_t k : e) {
        if (k == e[0] && k < given) continue;
        slot.push_back(s);
        perm.push_back(k);
      }
      if (perm.size() > before) begin.push_back(before);
    }
  }
};

/* The sources that the device makes of the first entries of the slots, with and without bits for those that are set */
void check_sources(const Slots &expected)
{
  for (bool bits : {true, false}) {
    Memory<std::uint32_t> source(expected.first), set(std::vector<std::uint32_t>(expected.set.size(), 77));
    ASSERT_EQ(coo_sources_cuda(expected.given, expected.first.size(), source.get(), bits ? set.get() : nullptr, nullptr),
              nullptr);
    EXPECT_EQ(source.values(), expected.source);
    for (std::uint32_t k : source.values()) EXPECT_LE(k, expected.given); /* what arrives has no number in the caller's array */
    EXPECT_EQ(set.values(), bits ? expected.set : std::vector<std::uint32_t>(expected.set.size(), 77));
  }
}

void check_slots(const Shape &p, const Indices &i, const Indices &j, const Slots &expected)
{
  Placed<Scalar>             A{Stored<Scalar>(p)};
  Memory<Index>              rows(i), cols(j);
  const CooEntries           entries = {i.size(), rows.get(), cols.get()};
  const std::size_t          slots = expected.first.size(), n = expected.perm.size();
  Memory<std::uint32_t>      first(std::vector<std::uint32_t>(slots, 77));
  Memory<unsigned long long> duplicates({5}); /* what was there is added to */
  Memory<std::uint64_t>      slot{Counts(n, 77)}, perm{Counts(n, 77)};
  Memory<std::size_t>        begin{std::vector<std::size_t>(n, 77)};
  std::size_t                runs = 77;

  ASSERT_EQ(coo_first_cuda(A.view(), entries, expected.given, slots, first.get(), duplicates.get(), nullptr), nullptr);
  EXPECT_EQ(first.values(), expected.first);
  ASSERT_EQ(duplicates.values()[0], 5 + n);
  ASSERT_NO_FATAL_FAILURE(check_sources(expected));
  if (!n) return;
  ASSERT_EQ(coo_duplicates_cuda(A.view(), entries, expected.given, first.get(), n, slot.get(), perm.get(), nullptr), nullptr);
  EXPECT_EQ(slot.values(), expected.slot);
  EXPECT_EQ(perm.values(), expected.perm);
  ASSERT_EQ(coo_begins_cuda(n, slot.get(), begin.get(), &runs, nullptr), nullptr);
  ASSERT_EQ(runs, expected.begin.size());
  EXPECT_TRUE(std::equal(expected.begin.begin(), expected.begin.end(), begin.values().begin()));
}

/* n locations of the shape's blocks at random, of which some are ignored */
void random_entries(const Shape &p, std::size_t n, Indices *i, Indices *j)
{
  std::mt19937 random(unsigned(n) + 1);

  while (i->size() < n) {
    const Index row = Index(random() % (p.nbr * p.bs)),
                col = (row / p.bs + p.off[random() % p.off.size()]) * p.bs + Index(random() % p.bs);
    if (col < 0 || col >= p.nbc * p.bs) continue;
    const int kind = int(random() % 20);
    i->push_back(kind == 0 ? -1 : row);
    j->push_back(kind == 1 ? -3 : col);
  }
}

} // namespace

/* Entries at all corners of the rank's own part and of the matrix; of those that are ignored the other index may be any */
TEST(BlockedCoo, PartByHand)
{
  if (!on_device()) GTEST_SKIP() << "on the device only";
  check_part({}, {});
  check_part({12}, {9});
  check_part({10, 10, 19, 19, 9, 20, 10, 10, 9, 20, 0, 39}, {8, 29, 8, 29, 8, 29, 7, 30, 30, 7, 0, 49});
  check_part({-1, 10, -1, -7, -1, 40, 19}, {9, -1, -1, 50, 49, -1, 29});
  check_part({10, 40}, {8, 8});
  check_part({10, 10, 12}, {8, 50, 29});
  check_part({1000000}, {1000000});
}

TEST(BlockedCoo, PartAtRandom)
{
  if (!on_device()) GTEST_SKIP() << "on the device only";
  for (int n : {1, 31, 32, 33, 1000, 100000}) {
    for (bool beyond : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + " entries" + (beyond ? ", the last beyond the matrix" : ""));
      std::mt19937 random{unsigned(n)};
      Indices      i, j;
      for (int k = 0; k < n; k++) {
        i.push_back(Index(random() % 42) - 2);
        j.push_back(Index(random() % 52) - 2);
      }
      if (beyond) i.back() = 40, j.back() = 12;
      ASSERT_NO_FATAL_FAILURE(check_part(i, j));
    }
  }
}

/* Three block diagonals of 3 rows, 32 slots each. Given: 0 and 2 for the same slot, 1, and 3, which is ignored. Arrivals: 4 and 6
   for a slot without given entries, 5 for that of 1, and 7, which is ignored. */
TEST(BlockedCoo, SlotsByHand)
{
  if (!on_device()) GTEST_SKIP() << "on the device only";
  const Shape    p = {3, 3, 1, {-1, 0, 1}};
  const Indices  i = {0, 1, 0, -1, 2, 1, 2, 2}, j = {0, 0, 0, 2, 2, 0, 2, -5};
  Stored<Scalar> A(p);
  const Slots    expected(A, i, j, 4);

  EXPECT_EQ(expected.first[1], 1u);
  EXPECT_EQ(expected.first[32], 0u);
  EXPECT_EQ(expected.first[34], 4u);
  EXPECT_EQ(expected.source[34], 0u);
  EXPECT_EQ(expected.set, (std::vector<std::uint32_t>{2, 5, 0}));
  EXPECT_EQ(expected.slot, (Counts{1, 32, 34, 34}));
  EXPECT_EQ(expected.perm, (Counts{5, 2, 4, 6}));
  EXPECT_EQ(expected.begin, (Counts{0, 1, 2}));
  check_slots(p, i, j, expected);
  const Slots apart(A, {0, 1, 2}, {0, 1, 1}, 3); /* no duplicates */
  EXPECT_TRUE(apart.perm.empty());
  check_slots(p, {0, 1, 2}, {0, 1, 1}, apart);
}

/* All given, all arriving, and some of both, with slots that get arrivals alone */
TEST(BlockedCoo, SlotsAtRandom)
{
  if (!on_device()) GTEST_SKIP() << "on the device only";
  const Shape p = {40, 37, 3, {-5, -1, 0, 2}};
  for (std::size_t n : {40, 2000, 50000}) {
    Indices i, j;
    random_entries(p, n, &i, &j);
    for (std::size_t given : {n, n / 2, n - 3, std::size_t(0)}) {
      SCOPED_TRACE(std::to_string(n) + " entries, of which " + std::to_string(given) + " are given");
      Stored<Scalar> A(p);
      const Slots    expected(A, i, j, given);
      if (n == 2000 && given == n / 2) {
        EXPECT_GT(expected.arrivals_alone, 100);
      }
      ASSERT_NO_FATAL_FAILURE(check_slots(p, i, j, expected));
    }
  }
}

/* From patterns to slices: every block is found again, padding is bounded, long block rows stand alone */
#include "brow_dense.h"

#include <sys/mman.h>

#include <algorithm>
#include <set>

using namespace hepta;
using namespace hepta::test;
using brow::Mapping;

/* Every block row once, its blocks in ascending columns, no slot twice, none outside */
static void check_layout(const brow::Pattern &P, const brow::Layout &L)
{
  const auto            A = L.view((double *)nullptr);
  std::set<std::size_t> slots;

  ASSERT_EQ(L.perm.size(), std::size_t(L.nslices) * L.height + L.nlong);
  EXPECT_EQ(L.blocks, P.col.size());
  bool natural = L.nlong == 0;
  for (Index p = 0; p < Index(L.perm.size()); p++) natural = natural && L.perm[p] == (p < L.nbr ? p : -1);
  EXPECT_EQ(L.natural, natural);
  EXPECT_EQ(L.longest,
            L.nslices ? *std::max_element(L.length.begin(), L.length.begin() + std::ptrdiff_t(L.nslices) * L.height) : 0);
  EXPECT_EQ(std::count(L.perm.begin(), L.perm.end(), -1), Index(L.perm.size()) - L.nbr);
  for (Index m = 0; m < L.nbr; m++) {
    const brow::Line l = brow::line(A, m);
    ASSERT_EQ(L.perm[L.position[m]], m);
    ASSERT_EQ(std::size_t(l.length), P.first[m + 1] - P.first[m]);
    for (Index k = 0; k < l.length; k++) {
      ASSERT_EQ(brow::block_column(l, k), P.col[P.first[m] + k]);
      for (Index r = 0; r < L.bs; r++) {
        for (Index s = 0; s < L.bs; s++) ASSERT_TRUE(slots.insert(brow::slot(A, l, k, r, s)).second);
      }
    }
  }
  EXPECT_LT(slots.empty() ? 0 : *slots.rbegin(), L.total * L.bs * L.bs + slots.empty());
  EXPECT_LE(double(L.total - L.blocks), brow::most_padding * double(L.blocks + std::size_t(L.nbr)));
}

TEST(BrowLayout, EveryBlockHasItsPlace)
{
  for_matrices([](const Dense &D, int bs) {
    const brow::Pattern P = pattern_of(D, bs);
    for (Mapping mapping : {Mapping::automatic, Mapping::warp, Mapping::blockrow, Mapping::multirow})
      check_layout(P, brow::make_layout(P, mapping));
    for (Index m = 0; m + 1 < Index(P.first.size()); m++) {
      for (Index c = 0; c < (D.cols + bs - 1) / bs; c++) { /* the pattern is that of the matrix */
        bool any = false;
        for (Index i = m * bs; i < std::min((m + 1) * bs, D.rows); i++) {
          for (Index j = c * bs; j < std::min((c + 1) * bs, D.cols); j++) any = any || D(i, j) != 0;
        }
        ASSERT_EQ(std::binary_search(P.col.begin() + P.first[m], P.col.begin() + P.first[m + 1], c), any);
      }
    }
  });
}

/* Block rows of the given lengths, with blocks in the first block columns */
static brow::Pattern with_lengths(int bs, const std::vector<Index> &lengths)
{
  brow::Pattern P;

  P.rows = Index(lengths.size()) * bs;
  P.bs   = bs;
  for (Index n : lengths) {
    for (Index c = 0; c < n; c++) P.col.push_back(c);
    P.first.push_back(P.col.size());
    P.cols = std::max(P.cols, n * bs);
  }
  return P;
}

/* Like lengths keep their order, also where a few are a little shorter */
TEST(BrowLayout, TidyOrderStays)
{
  std::vector<Index> lengths(4096, 27);
  for (std::size_t m = 0; m < lengths.size(); m += 64) lengths[m] = 18;
  const brow::Layout L = brow::make_layout(with_lengths(3, lengths));

  for (Index m = 0; m < L.nbr; m++) ASSERT_EQ(L.perm[m], m);
  EXPECT_EQ(L.nlong, 0);
  EXPECT_TRUE(L.natural);
  EXPECT_LE(L.padding(), 1. / 32);
}

/* Mixed lengths are sorted, longest first and otherwise in order, inside windows */
TEST(BrowLayout, SortedInWindows)
{
  std::vector<Index> lengths(5000);
  for (std::size_t m = 0; m < lengths.size(); m++) lengths[m] = Index(8 + number(m));
  const brow::Pattern P = with_lengths(2, lengths);
  const brow::Layout  L = brow::make_layout(P);

  check_layout(P, L);
  EXPECT_EQ(L.nlong, 0);
  EXPECT_FALSE(L.natural);
  EXPECT_LE(L.padding(), 0.1);
  for (Index p = 0; p + 1 < Index(L.perm.size()) && L.perm[p + 1] >= 0; p++) {
    const Index a = L.perm[p], b = L.perm[p + 1];
    if (a / brow::window == b / brow::window)
      ASSERT_TRUE(lengths[a] > lengths[b] || (lengths[a] == lengths[b] && a < b)) << "position " << p;
    else ASSERT_LT(a, b);
  }
}

/* A few huge block rows stand alone and do not pad the others; the hugest are shared out */
TEST(BrowLayout, HugeRows)
{
  std::vector<Index> lengths(5000, 3);
  lengths[17] = 20000, lengths[18] = 900, lengths[2500] = 30;
  const brow::Pattern P = with_lengths(2, lengths);
  const brow::Layout  L = brow::make_layout(P);

  check_layout(P, L);
  ASSERT_GE(L.nlong, 2);
  EXPECT_EQ(L.nhuge, 2);
  EXPECT_EQ(L.perm[std::size_t(L.nslices) * L.height], 17);
  EXPECT_EQ(L.perm[std::size_t(L.nslices) * L.height + 1], 18);
  EXPECT_EQ(L.part[1], (20000 * 4 + brow::part_values - 1) / brow::part_values);
  EXPECT_LE(L.padding(), 0.25);
}

/* Where some of few block rows stand alone, or are too long for slices, all do, unless slices are asked for */
TEST(BrowLayout, FewAlone)
{
  std::vector<Index> lengths(3000, 3);
  lengths[17] = 20000, lengths[2500] = 900;
  const brow::Pattern P = with_lengths(2, lengths);
  const brow::Layout  L = brow::make_layout(P);

  check_layout(P, L);
  EXPECT_EQ(L.nslices, 0);
  EXPECT_EQ(L.nlong, 3000);
  EXPECT_EQ(L.nhuge, 2);
  EXPECT_EQ(L.perm[1], 2500);
  EXPECT_EQ(L.padding(), 0);
  EXPECT_GT(brow::make_layout(P, Mapping::multirow).nslices, 0);
  /* too long for the threads of a slice */
  EXPECT_EQ(brow::make_layout(with_lengths(1, std::vector<Index>(4095, 65))).nslices, 0);
  EXPECT_EQ(brow::make_layout(with_lengths(1, std::vector<Index>(4096, 65))).nlong, 0);
  EXPECT_EQ(brow::make_layout(with_lengths(1, std::vector<Index>(4095, 64))).nlong, 0);
}

/* Few block rows that are huge on average all stand alone, in parts; many of them do not */
TEST(BrowLayout, FewRows)
{
  const brow::Layout few  = brow::make_layout(with_lengths(2, std::vector<Index>(64, 2000))),
                     many = brow::make_layout(with_lengths(2, std::vector<Index>(2048, 513)));

  EXPECT_EQ(few.nslices, 0);
  EXPECT_EQ(few.nhuge, 64);
  EXPECT_EQ(few.part.back(), 128);
  EXPECT_EQ(many.nlong, 0);
}

/* The first row without a slot on the diagonal */
TEST(BrowLayout, MissingDiagonal)
{
  EXPECT_EQ(brow::make_layout(with_lengths(3, {1, 2, 3})).missing, -1);
  EXPECT_EQ(brow::make_layout(with_lengths(3, {1, 1, 3})).missing, 3);
  EXPECT_EQ(brow::make_layout(with_lengths(3, {0, 1, 3})).missing, 0);
}

/* The choice of the tile: the fewest bytes, the larger of two */
TEST(BrowLayout, Choice)
{
  for (int bs = 1; bs <= 8; bs++) {
    Dense D(120 * bs, 120 * bs);
    for (Index m = 0; m < 120; m++) {
      for (Index i = m * bs; i < (m + 1) * bs; i++) {
        for (Index j = 0; j < bs; j++) D(i, (m * 7 % 120) * bs + j) = D(i, (m * 11 % 120) * bs + j) = 1;
      }
    }
    std::vector<Index> i(1, 0), j;
    for (Index row = 0; row < D.rows; row++) {
      for (Index c = D.cols - 1; c >= 0; c--) { /* columns in any order */
        if (D(row, c) != 0) j.push_back(c);
      }
      i.push_back(Index(j.size()));
    }
    const brow::BlockCounts b = brow::count_blocks(D.rows, D.cols, i.data(), j.data());
    EXPECT_EQ(b.density(bs), 1);
    EXPECT_EQ(b.best(8), bs);
    EXPECT_EQ(b.blocks[bs], brow::block_pattern(D.rows, D.cols, bs, i.data(), j.data()).col.size());
  }
}

/* Offsets of rows beyond what 32 bits count: the last two of 2^32 + 5 columns are looked at, so only their page is real memory */
TEST(BrowLayout, ManyEntries)
{
  const std::size_t        begin = (std::size_t(1) << 32) + 3, bytes = (begin + 2) * sizeof(Index);
  std::vector<std::size_t> i = {begin, begin, begin + 2};
  void *const memory         = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  ASSERT_NE(memory, MAP_FAILED);
  Index *const j            = (Index *)memory;
  j[begin]                  = 3;
  j[begin + 1]              = 6;
  const brow::Pattern     P = brow::block_pattern(2, 8, 1, i.data(), j);
  const brow::BlockCounts b = brow::count_blocks(2, 8, i.data(), j);
  munmap(memory, bytes);
  EXPECT_EQ(P.first, (std::vector<std::size_t>{0, 0, 2}));
  EXPECT_EQ(P.col, (std::vector<Index>{3, 6}));
  EXPECT_EQ(b.blocks[1], 2u);
  EXPECT_EQ(b.blocks[2], 2u);
  EXPECT_EQ(b.blocks[8], 1u);
}

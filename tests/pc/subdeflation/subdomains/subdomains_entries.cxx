/* Subdomains, components of strongly coupled rows, and entries of A Z with segments, beside the same by sets and sorting */
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "pc/subdeflation/subdomains/subdomains_kernels.hxx"

#include "memory.h"

using hepta::Index;
using hepta::Scalar;
using namespace hepta::subdeflation;
using namespace hepta::test;

namespace
{

typedef std::vector<Index> Numbers;

/* n rows with ones on the diagonal and entries (i, j, value), where the tests of this run are */
struct Rows {
  Numbers                                           first, column;
  std::vector<Scalar>                               value;
  std::unique_ptr<Memory<Index>>                    ai, aj;
  std::unique_ptr<Memory<Scalar>>                   a;
  typedef std::map<std::pair<Index, Index>, Scalar> Entries;

  Rows(Index n, Entries entries)
  {
    for (Index i = 0; i < n; i++) entries[{i, i}] = 1;
    first.assign(n + 1, 0);
    for (const auto &entry : entries) {
      first[entry.first.first + 1]++;
      column.push_back(entry.first.second);
      value.push_back(entry.second);
    }
    for (Index i = 0; i < n; i++) first[i + 1] += first[i];
    ai.reset(new Memory<Index>(first));
    aj.reset(new Memory<Index>(column));
    a.reset(new Memory<Scalar>(value));
  }
  CompressedRows view() { return {ai->get(), aj->get(), a->get(), nullptr, nullptr, nullptr}; }
};

Rows::Entries random_entries(Index n, int entries, unsigned seed)
{
  std::mt19937  random(seed);
  Rows::Entries e;

  for (int k = 0; k < entries; k++) {
    const Index  i = Index(random() % n), j = Index(random() % n);
    const Scalar v = random() % 3 ? -0.01 : -0.5;
    e[{i, j}] = e[{j, i}] = v;
  }
  return e;
}

Numbers names(Index n, const Rows::Entries &entries, Scalar strength)
{
  Rows           rows(n, entries);
  Memory<Index>  name(Numbers(n, 77));
  Memory<Scalar> diagonal(std::vector<Scalar>(n, 77));

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(components, std::size_t(n), rows.view(), strength, diagonal.get(), name.get()), nullptr);
  return name.values();
}

/* The least row of each component, by spreading it until nothing changes */
Numbers spread(Index n, const Rows::Entries &entries, Scalar strength)
{
  Numbers name(n);

  for (Index i = 0; i < n; i++) name[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &entry : entries) {
      Index &a = name[entry.first.first], &b = name[entry.first.second];
      if (-entry.second < strength || a == b) continue;
      a = b   = std::min(a, b);
      changed = true;
    }
  }
  return name;
}

TEST(Subdomains, Components)
{
  for (int entries : {0, 40, 200, 1000})
    EXPECT_EQ(names(300, random_entries(300, entries, 7), 0.1), spread(300, random_entries(300, entries, 7), 0.1)) << entries;
  EXPECT_EQ(names(4, {{{1, 3}, 0.2}}, 0.1), (Numbers{0, 1, 2, 1})); /* one direction and any sign do */
}

/* Two interleaved chains, numbered so that each row is joined with a far one */
TEST(Subdomains, LongChains)
{
  const Index   n = 100000;
  Rows::Entries entries;
  Numbers       expected(n);

  for (Index i = 0; i + 2 < n; i++) entries[{i, i + 2}] = -1;
  for (Index i = 0; i < n; i++) expected[i] = i % 2;
  EXPECT_EQ(names(n, entries, 0.5), expected);
}

/* The entries of A Z in their order: subdomain of the column, that of the row, row */
typedef std::set<std::tuple<Index, Index, Index>> Expected;

Expected expect(const Rows &rows, const Numbers &label)
{
  Expected all;

  for (Index i = 0; i + 1 < Index(rows.first.size()); i++) {
    for (Index k = rows.first[i]; k < rows.first[i + 1]; k++) all.insert({label[rows.column[k]], label[i], i});
  }
  return all;
}

/* All that is found for these labels below d */
struct Found {
  std::size_t entries = 0, segments = 0;
  Numbers     row, subdomain, e, f;
  Parts       parts;
};

template <class T> std::vector<T> begin_of(Memory<T> &all, std::size_t n)
{
  return std::vector<T>(all.values().begin(), all.values().begin() + n);
}

void find_parts(Found &x, const Labels &labels, const Index *row, const Index *subdomain)
{
  const std::size_t   n = x.entries;
  Memory<Index>       e(Numbers(n, 77)), f(Numbers(n, 77));
  Memory<std::size_t> before(std::vector<std::size_t>(n + 1)), begin(before.values());

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(count_segments, n, labels, row, subdomain, before.get(), &x.segments), nullptr);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(find_segments, n, labels, row, subdomain, (const std::size_t *)before.get(), begin.get(), e.get(),
                               f.get()),
            nullptr);
  x.e     = begin_of(e, x.segments);
  x.f     = begin_of(f, x.segments);
  x.parts = split_segments(begin_of(begin, x.segments + 1), x.e, x.f);
}

Found find(Rows &rows, const Numbers &label, Index d)
{
  const std::size_t   n = label.size();
  Memory<Index>       local(label);
  Memory<std::size_t> first(std::vector<std::size_t>(n + 1)), groups(std::vector<std::size_t>(d + 1));
  const Labels        labels = {local.get(), nullptr};
  Found               x;

  EXPECT_EQ(HEPTA_EACH_ON_BOTH(count_entries, n, rows.view(), labels, first.get(), &x.entries), nullptr);
  const Numbers      room(x.entries, 77);
  Memory<Index>      rs(room), e(room), f(room), order(room), a(room), b(room), c(room), row(room), subdomain(room);
  const AZEntries    unordered = {rs.get(), e.get(), f.get()};
  const PairRoom     work      = {a.get(), b.get(), c.get(), groups.get()};
  const Index       *ordered   = order.get();
  const std::size_t *firsts    = first.get();
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(find_entries, n, rows.view(), labels, firsts, unordered), nullptr);
  EXPECT_EQ(
    HEPTA_EACH_ON_BOTH(order_by_pairs, x.entries, (const Index *)e.get(), d, (const Index *)f.get(), d, work, order.get()),
    nullptr);
  EXPECT_EQ(HEPTA_EACH_ON_BOTH(order_entries, x.entries, unordered, ordered, row.get(), subdomain.get()), nullptr);
  find_parts(x, labels, row.get(), subdomain.get());
  x.row       = row.values();
  x.subdomain = subdomain.values();
  return x;
}

/* Segments and columns from the entries one by one; chunks of 1024 at most */
void check(const Found &x, const Expected &expected, const Numbers &label)
{
  std::size_t k = 0, s = 0, c = 0, chunk = 0, begin = 0;
  Index       e = -1, f = -1;

  ASSERT_EQ(x.entries, expected.size());
  for (const auto &entry : expected) {
    const bool column = std::get<0>(entry) != e, segment = column || std::get<1>(entry) != f;
    std::tie(e, f, std::ignore) = entry;
    ASSERT_EQ(x.subdomain[k], e);
    ASSERT_EQ(x.row[k], std::get<2>(entry));
    ASSERT_EQ(label[x.row[k]], f);
    if (segment) begin = k;
    if (column) {
      ASSERT_EQ(x.parts.column[c], chunk);
      ASSERT_EQ(Index(x.parts.at[c++]), e);
    }
    if (segment) {
      ASSERT_EQ(x.parts.segment[s], chunk);
      ASSERT_EQ(x.e[s], e);
      ASSERT_EQ(x.f[s++], f);
    }
    if ((k - begin) % 1024 == 0) {
      ASSERT_EQ(x.parts.chunk[chunk], k);
      ASSERT_EQ(x.parts.own[chunk++], e == f);
    }
    k++;
  }
  EXPECT_EQ(x.segments, s);
  EXPECT_EQ(x.parts.at.size(), c);
  EXPECT_EQ(x.parts.column.size(), c + 1);
  EXPECT_EQ(x.parts.own.size(), chunk);
  EXPECT_EQ(x.parts.chunk.size(), chunk + 1);
  EXPECT_EQ(x.parts.segment[s], chunk);
  EXPECT_EQ(x.parts.column[c], chunk);
  EXPECT_EQ(x.parts.chunk[chunk], k);
}

TEST(Subdomains, Entries)
{
  std::mt19937 random(3);

  for (Index d : {1, 2, 9, 400}) {
    Numbers label(5000);
    Rows    rows(5000, random_entries(5000, 9000, 11));
    for (Index &l : label) l = Index(random() % d);
    check(find(rows, label, d), expect(rows, label), label);
  }
}

/* A segment that is chunks alone, without a rest */
TEST(Subdomains, WholeChunks)
{
  const Numbers label(2048, 0);
  Rows          rows(2048, {});

  check(find(rows, label, 1), expect(rows, label), label);
}

/* A row that is coupled with more subdomains than are remembered */
TEST(Subdomains, ManyInARow)
{
  Rows::Entries entries;
  Numbers       label(300);

  for (Index j = 0; j < 300; j++) {
    entries[{7, j}] = -1;
    label[j]        = j % 90;
  }
  Rows rows(300, entries);
  check(find(rows, label, 90), expect(rows, label), label);
}

TEST(Subdomains, NoRows)
{
  Rows        rows(0, {});
  const Found x = find(rows, {}, 1);

  EXPECT_EQ(x.entries + x.segments + x.parts.own.size() + x.parts.at.size(), 0u);
}

} // namespace

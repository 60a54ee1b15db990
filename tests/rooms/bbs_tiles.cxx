/* Tiles of triangles: every entry once, and the device makes what the host makes */
#include <algorithm>
#include <tuple>

#include "../../src/pc/bbs/bbs_analysis.hxx"
#include "../../src/pc/bbs/schedule.h"
#include "memory.h"

using namespace hepta;
using namespace hepta::bbs;
using hepta::test::Memory;
using hepta::test::on_device;

namespace
{

const Limits limits = {3000, 8};

/* Block rows with their diagonal blocks; half the entries are on either side */
struct Rows {
  int                bs;
  std::vector<Index> i = {0}, j, diag;

  explicit Rows(int b) : bs(b) {}
  Index n() const { return Index(diag.size()); }
  Half  half(bool upper) const { return {n(), bs, upper, i.data(), j.data(), diag.data()}; }
  void  Add(std::vector<Index> columns)
  {
    columns.push_back(n());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    diag.push_back(i.back() + Index(std::find(columns.begin(), columns.end(), n()) - columns.begin()));
    j.insert(j.end(), columns.begin(), columns.end());
    i.push_back(Index(j.size()));
  }
};

Rows grid(Index nx, Index ny, int bs)
{
  Rows A(bs);

  for (Index m = 0; m < nx * ny; m++) {
    std::vector<Index> columns;
    if (m >= nx) columns.push_back(m - nx);
    if (m % nx) columns.push_back(m - 1);
    if (m % nx < nx - 1) columns.push_back(m + 1);
    if (m + nx < nx * ny) columns.push_back(m + nx);
    A.Add(columns);
  }
  return A;
}

/* Levels of so many rows that depend on rows all over the levels beside them; every 97th row has many entries */
Rows wide(Index levels, Index rows, Index length)
{
  Rows A(1);

  for (Index m = 0; m < levels * rows; m++) {
    std::vector<Index> columns;
    const Index        count = m % 97 ? length : std::min(rows, 40 * length);
    for (Index k = 0; k < count; k++) {
      const Index at = (37 * m + k * std::max<Index>(1, rows / count)) % rows;
      if (m >= rows) columns.push_back((m / rows - 1) * rows + at);
      if (m + rows < levels * rows) columns.push_back((m / rows + 1) * rows + at);
    }
    A.Add(columns);
  }
  return A;
}

Rows arrow(Index n)
{
  Rows               A(1);
  std::vector<Index> all(n);

  for (Index m = 0; m < n; m++) all[m] = m;
  for (Index m = 0; m < n; m++) A.Add(m ? std::vector<Index>{0} : all);
  return A;
}

StrictRows by_rows(const Half &T)
{
  StrictRows R;

  R.upper = T.upper;
  R.bs    = T.bs;
  R.first = {0};
  for (Index i = 0; i < T.n * T.bs; i++) {
    for (Index k = 0; k < half_length(T, i); k++) {
      R.col.push_back(half_column(T, i, k));
      R.from.push_back(half_from(T, i, k));
    }
    R.first.push_back(Index(R.col.size()));
  }
  return R;
}

using Triple = std::tuple<Index, Index, Index>; /* row, column, where the value comes from */

/* Each row is ended by one thread, at its chunk's places */
void check_ends(const Schedule &s, const std::vector<Entry> &entry)
{
  for (const Chunk &c : s.chunk) {
    std::vector<int> ends(c.rows, 0);
    for (std::size_t e = c.first_step * s.threads; e < (c.first_step + c.steps) * s.threads; e++) {
      ASSERT_LE(entry[e].own, std::uint32_t(c.rows));
      if (entry[e].own == std::uint32_t(c.rows)) continue;
      EXPECT_EQ(entry[e].control & row_mask, entry[e].own);
      EXPECT_TRUE(entry[e].control & ends_row);
      ends[entry[e].own]++;
    }
    EXPECT_EQ(ends, std::vector<int>(c.rows, 1));
  }
}

/* What stands in the tiles, by chunk, as rows and columns of the triangle */
std::vector<Triple> entries_of(const Schedule &s, const std::vector<Entry> &entry)
{
  std::vector<Triple> all;

  for (const Chunk &c : s.chunk) {
    const auto row = [&](Index at) { return s.order.empty() ? c.begin + at : s.order[at]; };
    for (std::size_t e = c.first_step * s.threads; e < (c.first_step + c.steps) * s.threads; e++) {
      for (int k = 0; k < 2; k++) {
        const Index col = entry[e].col[k];
        if (s.from[2 * e + k] < 0) EXPECT_EQ(col, c.rows);
        else all.push_back({row(Index(entry[e].control & row_mask)), col < c.rows ? row(col) : s.other[c.first_other + col - c.rows - 1], s.from[2 * e + k]});
      }
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

#if defined(HEPTA_HAVE_CUDA)
/* The same sizes, and the same tiles where there is a table of them */
void check_analysis(const Rows &A, bool upper, const Schedule &s, const std::vector<Entry> &host)
{
  Memory<Index> i(A.i), j(A.j), diag(A.diag), level(std::vector<Index>(A.n()));
  const Half    T = {A.n(), A.bs, upper, i.get(), j.get(), diag.get()};
  Index         levels, widest, longest;
  const bool    chunks = s.plan.engine == Engine::chunks;

  ASSERT_EQ(levels_cuda(T, level.get(), &levels, &widest, &longest, nullptr), nullptr);
  EXPECT_EQ(levels, s.levels);
  EXPECT_EQ(widest * A.bs, s.widest);
  Analysis a(T, level.get(), levels, longest, nullptr);
  ASSERT_EQ(a.Arrange(s.plan.rows, chunks ? Whole() : limits.All(s.plan.engine)), nullptr);
  EXPECT_EQ(a.threads, s.threads);
  ASSERT_EQ(a.Entries(), s.Entries());
  ASSERT_EQ(std::size_t(a.tiles), s.tile.size());
  Memory<Chunk> chunk{std::vector<Chunk>(a.chunks)};
  Memory<Tile>  tile{std::vector<Tile>(a.tiles)};
  Memory<Entry> entry{std::vector<Entry>(a.Entries())};
  Memory<Index> from(std::vector<Index>(2 * a.Entries())), other{std::vector<Index>(a.others)}, order{std::vector<Index>(s.order.size())}, place{std::vector<Index>(s.place.size())};
  ASSERT_EQ(a.Write(chunk.get(), chunks ? nullptr : tile.get(), entry.get(), from.get(), other.get(), chunks ? nullptr : order.get(), chunks ? nullptr : place.get()), nullptr);
  EXPECT_EQ(a.values, s.plan.values);
  EXPECT_EQ(from.values(), s.from);
  EXPECT_EQ(order.values(), s.order);
  EXPECT_EQ(place.values(), s.place);
  for (std::size_t k = 0; k < host.size(); k++) ASSERT_EQ(std::make_pair(entry.values()[k].control, entry.values()[k].own), std::make_pair(host[k].control, host[k].own)) << "entry " << k;
  for (std::size_t k = 0; k < s.tile.size() && !chunks; k++) {
    const Tile &t = tile.values()[k], &u = s.tile[k];
    ASSERT_EQ(std::make_tuple(t.first, t.steps, t.parts, t.last), std::make_tuple(u.first, u.steps, u.parts, u.last)) << "tile " << k;
  }
}
#endif

void check(const Rows &A)
{
  for (bool upper : {false, true}) {
    const StrictRows    T = by_rows(A.half(upper));
    std::vector<Triple> wanted;

    for (Index i = 0; i < T.n(); i++) {
      for (Index p = T.first[i]; p < T.first[i + 1]; p++) wanted.push_back({i, T.col[p], T.from[p]});
    }
    std::sort(wanted.begin(), wanted.end());
    for (Engine engine : {Engine::automatic, Engine::levels, Engine::syncfree, Engine::chunks}) {
      for (Index rows : {0, 256}) {
        Schedule           s(T, engine, rows, limits);
        std::vector<Entry> entry(s.Entries());
        s.Write(T, entry.data());
        EXPECT_EQ(entries_of(s, entry), wanted);
        check_ends(s, entry);
#if defined(HEPTA_HAVE_CUDA)
        if (on_device()) check_analysis(A, upper, s, entry);
#endif
      }
    }
  }
}

} // namespace

TEST(BbsTiles, Grid)
{
  for (int bs : {1, 2, 3}) check(grid(31, 40, bs));
}

TEST(BbsTiles, Wide)
{
  check(wide(3, 1500, 9));
}

TEST(BbsTiles, LongRow)
{
  check(arrow(5000));
}

TEST(BbsTiles, Small)
{
  for (Index n : {1, 2, 33}) check(grid(n, 1, 1));
}

/* What was measured on an H200 with the fastest engine of each */
TEST(BbsTiles, ChooseEngine)
{
  const ChunkLoad none, grid2 = {132, 135000, 32, 134144, 20389500000}, grid2_by_level = {132, 2200, 256, 90122, 2004100000}, grid3 = {132, 25000, 128, 1002851, 8684800000}, alone = {1, 552, 128, 0, 170200000};

  EXPECT_EQ(choose_engine(1048576, 2095104, 2047, 2, grid2), Engine::chunks);
  EXPECT_EQ(choose_engine(1048576, 2095104, 2047, 2, grid2_by_level), Engine::syncfree);
  EXPECT_EQ(choose_engine(1000000, 2970000, 298, 3, grid3), Engine::syncfree);
  EXPECT_EQ(choose_engine(19366, 57691, 552, 7, alone), Engine::chunks);
  EXPECT_EQ(choose_engine(300000, 18809679, 35, 190, none), Engine::syncfree);
  EXPECT_EQ(choose_engine(300000, 299999, 2, 299999, none), Engine::levels);
}

/* The tiles that the device makes of a triangle, looked at step by step on the host */
#include <set>
#include <tuple>

#include "bbs_triangles.h"

using namespace hepta;
using namespace hepta::bbs;
using namespace hepta::test;

namespace
{

/* An entry of either type of values, without values */
struct Step {
  std::int32_t  col[2];
  std::uint32_t control, own;
};

/* What the device has made of a triangle */
struct Tiled {
  TileLayout         layout;
  Index              rows, groups, tiles; /* rows of a chunk */
  int                threads;
  long long          cost;
  std::size_t        steps;
  std::vector<Chunk> chunk;
  std::vector<Tile>  tile;
  std::vector<Step>  entry;
  std::vector<Index> from, other, order, position;
};

std::vector<Index> levels_of(const List &list, int bs, bool upper)
{
  std::vector<Index> level(list.size() / bs, 0);

  for (Index k = 0; k < Index(list.size()); k++) {
    const Index i = upper ? Index(list.size()) - 1 - k : k;
    level[i / bs] = std::max(level[i / bs], Index(1));
    for (const auto &entry : list[i]) level[i / bs] = std::max(level[i / bs], level[entry.first / bs] + 1);
  }
  return level;
}

template <class V>
Tiled arrange(const StrictTriangle &T, const Index *level, Index levels, Index longest, Index rows, const TileLayout &layout)
{
  Analysis          a(T, level, levels, longest, sizeof(V) < sizeof(Scalar), nullptr);
  std::vector<Step> steps;

  EXPECT_EQ(a.Arrange(rows, layout), nullptr);
  Memory<Chunk>    chunk{std::vector<Chunk>(a.chunks)};
  Memory<Tile>     tile{std::vector<Tile>(a.tiles)};
  Memory<Entry<V>> entry{std::vector<Entry<V>>(a.Entries())};
  Memory<Index>    from(std::vector<Index>(2 * a.Entries())), other{std::vector<Index>(a.others)},
    order{std::vector<Index>(a.Rows())}, position{std::vector<Index>(a.Rows())};
  Index *o = layout.level_threads ? order.get() : nullptr;
  EXPECT_EQ(a.Write(chunk.get(), tile.get(), entry.get(), from.get(), other.get(), o, o ? position.get() : nullptr), nullptr);
  for (const Entry<V> &e : entry.values()) steps.push_back({{e.col[0], e.col[1]}, e.control, e.own});
  Tiled t = {layout,         rows,          a.groups, a.tiles,       a.threads,      a.cost, a.steps,
             chunk.values(), tile.values(), steps,    from.values(), other.values(), {},     {}};
  if (o) t.order = order.values(), t.position = position.values();
  t.other.resize(a.others);
  Index values = 0;
  for (const Chunk &c : t.chunk) values = std::max(values, c.rows + 1 + c.others);
  EXPECT_EQ(a.values, values);
  return t;
}

/* Threads, tiles and steps by the rows of each level in each chunk, the longest first */
void check_sizes(const Tiled &t, const List &list, const std::vector<Index> &level, int bs, bool single)
{
  std::vector<std::tuple<Index, Index, Index>> row; /* chunk, level, minus its length */
  std::vector<std::pair<Index, Index>>         group;
  long long                                    cost[thread_choices] = {};
  std::size_t                                  steps                = 0;
  Index                                        tiles                = 0;

  for (Index i = 0; i < Index(list.size()); i++) row.push_back({i / t.rows, level[i / bs], -Index(list[i].size())});
  std::sort(row.begin(), row.end());
  for (Index k = 0; k < Index(row.size()); k++) {
    const bool begins = !k || std::make_pair(std::get<0>(row[k]), std::get<1>(row[k])) !=
                                std::make_pair(std::get<0>(row[k - 1]), std::get<1>(row[k - 1]));
    if (begins || (t.layout.piece && k % t.layout.piece == 0)) group.push_back({k, k});
    group.back().second = k + 1;
  }
  for (const auto &g : group) {
    const auto length = [&](Index k) { return -std::get<2>(row[g.first + k]); };
    for (int c = 0; c < thread_choices; c++)
      cost[c] += level_cost(tuning(), g.second - g.first, std::max(Index(1), length(0)), thread_choice(c), entry_bytes(single));
    for_tiles(g.second - g.first, t.threads, t.layout, length, [&](Index, Index, int, Index tile_steps) {
      tiles++;
      steps += std::size_t(tile_steps);
    });
  }
  const int cheapest = int(std::min_element(cost, cost + thread_choices) - cost);
  EXPECT_EQ(t.groups, Index(group.size()));
  EXPECT_EQ(t.threads, t.layout.level_threads ? threads_of_levels(t.layout, row.size(), group.size()) : thread_choice(cheapest));
  EXPECT_EQ(t.cost, t.layout.level_threads ? 0 : cost[cheapest]);
  EXPECT_EQ(t.steps, steps);
  EXPECT_EQ(t.tiles, tiles);
}

/* Runs of neighboring rows in the order of their dependencies; what a chunk takes from others is listed once, by level */
void check_chunks(const Tiled &t, Index n, bool upper, const std::vector<Index> &level, int bs)
{
  std::size_t step   = 0;
  const Index chunks = (n + t.rows - 1) / t.rows;

  ASSERT_EQ(Index(t.chunk.size()), chunks);
  for (Index k = 0; k < chunks; k++) {
    const Chunk &c     = t.chunk[k];
    const auto   first = t.other.begin() + c.first_other;
    EXPECT_EQ(c.begin, (upper ? chunks - 1 - k : k) * t.rows);
    EXPECT_EQ(c.rows, std::min(t.rows, n - c.begin));
    EXPECT_EQ(c.first_step, step);
    EXPECT_EQ(std::set<Index>(first, first + c.others).size(), std::size_t(c.others));
    EXPECT_TRUE(std::is_sorted(first, first + c.others, [&](Index a, Index b) { return level[a / bs] < level[b / bs]; }));
    step += c.steps;
  }
  EXPECT_EQ(step, t.steps);
}

/* Goes through a chunk step by step: a row takes its entries in their order, of rows whose level has ended, and ends once; known:
   has the row's level ended? */
void walk_chunk(const Tiled &t, const Chunk &c, List *found, std::vector<char> *known)
{
  const auto         row = [&](Index at) { return t.order.empty() ? c.begin + at : t.order[at]; };
  std::vector<Index> ended;

  for (std::size_t s = c.first_step; s < c.first_step + c.steps; s++) {
    bool level_ends = false;
    for (std::size_t at = s * t.threads; at < (s + 1) * t.threads; at++) {
      const Step &e = t.entry[at];
      for (int k = 0; k < 2; k++) {
        if (t.from[2 * at + k] < 0) {
          ASSERT_EQ(e.col[k], c.rows);
        } else {
          const Index j = e.col[k] < c.rows ? row(e.col[k]) : t.other[c.first_other + e.col[k] - c.rows - 1];
          ASSERT_TRUE((*known)[j]) << "row " << j << " is taken before it is there";
          (*found)[row(Index(e.control & row_mask))].push_back({j, t.from[2 * at + k]});
        }
      }
      level_ends = level_ends || (e.control & ends_level);
      if (e.own == std::uint32_t(c.rows)) continue;
      ASSERT_EQ(e.control & row_mask, e.own);
      ASSERT_TRUE(e.control & ends_row);
      ended.push_back(row(Index(e.own)));
    }
    if (!level_ends) continue;
    for (Index i : ended) ASSERT_FALSE((*known)[i]) << "row " << i << " ends twice";
    for (Index i : ended) (*known)[i] = true;
    ended.clear();
  }
  EXPECT_TRUE(ended.empty());
}

/* The table of the tiles says what their last steps say, and positions are those of the rows by level */
void check_table(const Tiled &t, const std::vector<Index> &level, int bs)
{
  std::size_t step = 0;

  for (const Tile &tile : t.tile) {
    ASSERT_EQ(tile.first, step);
    step += tile.steps;
    const std::uint32_t control = t.entry[(step - 1) * t.threads].control;
    EXPECT_EQ(int(control >> row_bits & parts_mask), tile.parts);
    EXPECT_EQ((control & ends_level) != 0, tile.last != 0);
  }
  EXPECT_EQ(step, t.steps);
  EXPECT_TRUE(std::is_sorted(t.order.begin(), t.order.end(), [&](Index a, Index b) { return level[a / bs] < level[b / bs]; }));
  for (Index k = 0; k < Index(t.order.size()); k++) EXPECT_EQ(t.position[t.order[k]], k);
}

template <class V> void check_device(const List &list, TestTriangle &T)
{
  const int                bs     = T.strict.bs;
  const Index              n      = Index(list.size());
  const std::vector<Index> wanted = levels_of(list, bs, T.strict.upper);
  Memory<Index>            level{std::vector<Index>(wanted.size())};
  Index                    levels, longest;

  ASSERT_EQ(levels_cuda(T.strict, level.get(), &levels, &longest, nullptr), nullptr);
  EXPECT_EQ(level.values(), wanted);
  EXPECT_EQ(levels, *std::max_element(wanted.begin(), wanted.end()));
  EXPECT_EQ(longest * bs, Index(std::max_element(list.begin(), list.end(), [](const auto &a, const auto &b) {
                                  return a.size() < b.size();
                                })->size()));
  for (const TileLayout &layout : {TileLayout(), limits.Layout(Engine::levels), limits.Layout(Engine::syncfree)}) {
    for (Index rows : layout.level_threads ? std::vector<Index>{n} : std::vector<Index>{n, 252, 6}) {
      const Tiled       t = arrange<V>(T.strict, level.get(), levels, longest, rows, layout);
      List              found(list.size());
      std::vector<char> known(list.size(), false);
      check_sizes(t, list, wanted, bs, sizeof(V) < sizeof(Scalar));
      check_chunks(t, n, T.strict.upper, wanted, bs);
      for (const Chunk &c : t.chunk) walk_chunk(t, c, &found, &known);
      EXPECT_EQ(found, list);
      EXPECT_EQ(known, std::vector<char>(list.size(), true));
      if (layout.level_threads) check_table(t, wanted, bs);
    }
  }
}

} // namespace

TEST(BbsTiles, Device)
{
  if (!on_device()) GTEST_SKIP() << "on the device only";
  for (const BlockRows &A : shapes()) {
    for_triangles(A, check_device<Scalar>);
    for_triangles(A, check_device<float>);
  }
}

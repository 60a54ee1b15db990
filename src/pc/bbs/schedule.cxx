#include "schedule.h"

#include <algorithm>

#include "levels.hxx"

namespace hepta::bbs
{

Index StrictRows::Longest() const
{
  Index longest = 0;

  for (Index i = 0; i < n(); i++) longest = std::max(longest, length(i));
  return longest;
}

StrictRows StrictRows::Transposed() const
{
  StrictRows t;

  t.upper = !upper;
  t.bs    = bs;
  t.first.assign(first.size(), 0);
  t.col.resize(col.size());
  t.from.resize(col.size());
  for (Index c : col) t.first[c + 1]++;
  for (Index i = 0; i < n(); i++) t.first[i + 1] += t.first[i];
  std::vector<Index> next(t.first.begin(), t.first.end() - 1);
  for (Index i = 0; i < n(); i++) {
    for (Index p = first[i]; p < first[i + 1]; p++) {
      const Index at = next[col[p]]++;
      t.col[at]      = i;
      t.from[at]     = from[p];
    }
  }
  return t;
}

/* Chunks of as many rows, in whole blocks, and how many values each needs: it is read once and its entries are neighbors */
void Schedule::Cut(const StrictRows &T, Index rows)
{
  chunk.clear();
  others      = 0;
  plan.rows   = std::max<Index>(1, rows / T.bs) * T.bs;
  plan.values = 0;
  place.assign(n, -1);
  for (Index begin = 0; begin < n; begin += plan.rows) {
    const Index count  = std::min(plan.rows, n - begin);
    Index       needed = 0;
    if (count < n) {
      for (Index p = T.first[begin]; p < T.first[begin + count]; p++) {
        const Index j = T.col[p];
        if ((j >= begin && j < begin + count) || place[j] == begin) continue;
        place[j] = begin;
        needed++;
      }
    }
    chunk.push_back({begin, count, 0, needed, 0, 0, 0, 0});
    plan.values = std::max(plan.values, count + 1 + needed);
    others += std::size_t(needed);
  }
  if (T.upper) std::reverse(chunk.begin(), chunk.end());
}

/* A chunk's rows by level, in each level the long ones first, so that a tile holds rows of like length */
void Schedule::SortRows(const StrictRows &T, const Chunk &c, std::vector<Index> *next)
{
  const auto by_length = [&](Index i) { return -T.length(i); };
  const auto by_level  = [&](Index i) { return level[i]; };
  Index      range[2] = {by_length(c.begin), by_length(c.begin)}, deep[2] = {level[c.begin], level[c.begin]}, begin = c.begin;
  Index     *sorted = order.data() + c.begin;

  for (Index i = c.begin; i < c.begin + c.rows; i++) {
    range[0] = std::min(range[0], by_length(i));
    range[1] = std::max(range[1], by_length(i));
    deep[0]  = std::min(deep[0], level[i]);
    deep[1]  = std::max(deep[1], level[i]);
  }
  if (range[0] == range[1])
    sort_rows(
      c.rows, deep[0], deep[1], by_level, [&](Index k) { return c.begin + k; }, next, sorted);
  else {
    Index *long_first = place.data() + c.begin; /* not in use now */
    sort_rows(
      c.rows, range[0], range[1], by_length, [&](Index k) { return c.begin + k; }, next, long_first);
    sort_rows(
      c.rows, deep[0], deep[1], by_level, [&](Index k) { return long_first[k]; }, next, sorted);
  }
  for (std::size_t l = 0; l + 1 < next->size(); l++) {
    const Index end = c.begin + (*next)[l];
    while (begin < end) {
      const Index stop = whole.piece ? std::min(end, (begin / whole.piece + 1) * whole.piece) : end;
      group.push_back({begin, stop});
      begin = stop;
    }
  }
}

/* The cheapest; levels are often like the one before */
void Schedule::ChooseThreads(const StrictRows &T)
{
  long long sum[thread_choices] = {}, one[thread_choices] = {};
  Index     rows = 0, length = 0;

  for (const Group &g : group) {
    const Index l = std::max<Index>(1, T.length(order[g.begin]));
    if (g.end - g.begin != rows || l != length) {
      rows   = g.end - g.begin;
      length = l;
      for (int k = 0; k < thread_choices; k++) one[k] = level_cost(rows, length, thread_choice(k));
    }
    for (int k = 0; k < thread_choices; k++) sum[k] += one[k];
  }
  const long long *best = std::min_element(sum, sum + thread_choices);
  cost                  = *best;
  threads               = whole.fill ? threads_of_levels(whole, std::size_t(n), group.size()) : thread_choice(int(best - sum));
}

/* The tiles of a level, and where their rows begin in the order */
void Schedule::AddTiles(const StrictRows &T, Chunk *c, Group g)
{
  for_tiles(
    g.end - g.begin, threads, whole, [&](Index k) { return T.length(order[g.begin + k]); },
    [&](Index k, Index count, int code, Index tile_steps) {
      const Index end = g.begin + k + count;
      tile.push_back({steps, tile_steps, code, end == g.end});
      tile_rows.push_back({g.begin + k, end});
      steps += std::size_t(tile_steps);
      c->tiles++;
    });
}

static Entry nothing(Index none)
{
  return {
    {0,                  0                 },
    {std::int32_t(none), std::int32_t(none)},
    std::uint32_t(none), std::uint32_t(none)
  };
}

/* Where a chunk finds x_j */
Index Schedule::Column(const Chunk &c, Index j)
{
  if (whole.fill) return place[j];
  if (j >= c.begin && j < c.begin + c.rows) return j - c.begin;
  if (place[j] < c.first_other) {
    place[j] = Index(other.size());
    other.push_back(j);
  }
  return c.rows + 1 + place[j] - c.first_other;
}

/* Steps of nothing, with tile t's rows in them: the pairs of a row go around its threads */
void Schedule::WriteTile(const StrictRows &T, const Chunk &c, std::size_t t, Entry *entry)
{
  const Index       none  = c.rows;
  const std::size_t end   = (tile[t].first + tile[t].steps) * threads;
  const int         parts = threads_of_row(tile[t].parts, threads);

  std::fill(entry + tile[t].first * threads, entry + end, nothing(none));
  from.resize(2 * end, -1);
  for (Index r = tile_rows[t].begin; r < tile_rows[t].end; r++) {
    const Index i = order[r], length = T.length(i), row = whole.fill ? r : i - c.begin;
    const auto  at = [&](Index pair) { return tile[t].first * threads + pair_slot(pair, r - tile_rows[t].begin, parts, threads); };
    for (Index k = 0; k < tile[t].steps * parts; k++) entry[at(k)].control = std::uint32_t(row);
    entry[at((tile[t].steps - 1) * parts)].own = std::uint32_t(row);
    for (Index k = 0; k < length; k++) {
      entry[at(k / 2)].col[k % 2] = std::int32_t(Column(c, T.col[T.first[i] + k]));
      from[2 * at(k / 2) + k % 2] = T.from[T.first[i] + k];
    }
  }
  for (std::size_t k = end - threads; k < end; k++) entry[k].control |= std::uint32_t(tile[t].parts) << row_bits | ends_row | (tile[t].last ? ends_level : 0);
}

void Schedule::Write(const StrictRows &T, Entry *entry)
{
  const Chunk *last = chunk.empty() ? nullptr : &chunk.back();

  place.assign(n, -1);
  for (Index k = 0; k < n && whole.fill; k++) place[order[k]] = k;
  from.reserve(2 * Entries());
  other.reserve(last ? last->first_other + last->others : 0);
  for (const Chunk &c : chunk) {
    for (Index t = c.first_tile; t < c.first_tile + c.tiles; t++) WriteTile(T, c, std::size_t(t), entry);
  }
  std::fill(entry + steps * threads, entry + Entries(), nothing(0));
  from.resize(2 * Entries(), -1);
  level     = {};
  tile_rows = {};
  if (!whole.fill) order = place = {};
}

/* Order of the rows, levels of the chunks, tiles of the levels */
void Schedule::Build(const StrictRows &T)
{
  std::vector<Index> next, first_group;
  Index              listed = 0;

  order.resize(n);
  tile.clear();
  tile_rows.clear();
  group.clear();
  steps = 0;
  for (const Chunk &c : chunk) {
    first_group.push_back(Index(group.size()));
    SortRows(T, c, &next);
  }
  first_group.push_back(Index(group.size()));
  ChooseThreads(T);
  for (std::size_t k = 0; k < chunk.size(); k++) {
    Chunk &c      = chunk[k];
    c.first_tile  = Index(tile.size());
    c.first_step  = steps;
    c.first_other = listed;
    for (Index g = first_group[k]; g < first_group[k + 1]; g++) AddTiles(T, &c, group[g]);
    c.steps = steps - c.first_step;
    listed += c.others;
  }
}

/* All rows for an engine that goes through their levels */
void Schedule::BuildAll(const StrictRows &T, Engine engine, const Limits &limits)
{
  plan.engine = engine;
  whole       = limits.All(engine);
  Cut(T, n);
  Build(T);
}

/* Chunks, unless what they need does not fit or, where there is a choice, another engine does better */
void Schedule::BuildChunks(const StrictRows &T, bool automatic, Index wanted, const Limits &limits)
{
  const std::size_t entries  = T.col.size();
  Index             rows     = wanted > 0 ? wanted : limits.rows ? choose_rows(n, entries, levels, limits) : n;
  const bool        chosen   = automatic && wanted <= 0 && limits.rows;
  const auto        too_much = [&]() { return limits.rows && plan.values > limits.rows; };
  ChunkLoad         load;

  plan.engine = Engine::chunks;
  if (limits.rows) rows = std::min(rows, limits.rows);
  Cut(T, rows);
  Build(T);
  const Index built = plan.rows;
  if (chunk.size() > 1 && chosen && n / Index(group.size()) > wide_level && plan.rows > narrow_chunk) Cut(T, narrow_chunk);
  while (too_much() && plan.rows / 2 >= std::max(T.bs, 32)) Cut(T, plan.rows / 2);
  if (plan.rows != built) Build(T);
  if (!too_much()) load = {Index(chunk.size()), Index(group.size()), threads, others, cost};
  const Engine best = !chosen && load.chunks ? Engine::chunks : choose_engine(n, entries, levels, T.Longest(), load);
  if (best != Engine::chunks) BuildAll(T, best, limits);
}

Schedule::Schedule(const StrictRows &T, Engine engine, Index wanted, const Limits &limits) : n(T.n())
{
  level.resize(n);
  levels = find_levels({n, T.first.data(), T.col.data()}, T.upper, level.data()).levels;
  std::vector<Index> count(levels + 1, 0);
  for (Index l : level) widest = std::max(widest, ++count[l]);
  if (engine == Engine::automatic && levels <= 1) engine = Engine::levels;
  if (engine == Engine::automatic || engine == Engine::chunks) BuildChunks(T, engine == Engine::automatic, wanted, limits);
  else BuildAll(T, engine, limits);
  group = {};
}

} // namespace hepta::bbs

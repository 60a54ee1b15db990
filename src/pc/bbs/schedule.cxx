#include "schedule.h"

#include <algorithm>

#include "levels.hxx"

namespace hepta::bbs
{

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
    if (end > begin) group.push_back({begin, end});
    begin = end;
  }
}

/* The cheapest; levels are often like the one before */
void Schedule::ChooseThreads(const StrictRows &T)
{
  long long sum[thread_choices] = {}, cost[thread_choices] = {};
  Index     rows = 0, length = 0;

  for (const Group &g : group) {
    const Index l = std::max<Index>(1, T.length(order[g.begin]));
    if (g.end - g.begin != rows || l != length) {
      rows   = g.end - g.begin;
      length = l;
      for (int k = 0; k < thread_choices; k++) cost[k] = level_cost(rows, length, thread_choice(k));
    }
    for (int k = 0; k < thread_choices; k++) sum[k] += cost[k];
  }
  threads = plan.engine == Engine::chunks ? thread_choice(int(std::min_element(sum, sum + thread_choices) - sum)) : threads_of_levels(std::size_t(n), group.size());
}

/* The tiles of a level, and where their rows begin in the order */
void Schedule::AddTiles(const StrictRows &T, Chunk *c, Group g)
{
  for_tiles(
    g.end - g.begin, threads, fill, [&](Index k) { return T.length(order[g.begin + k]); },
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
    const Index i = order[r], length = T.length(i);
    const auto  at = [&](Index pair) { return tile[t].first * threads + pair_slot(pair, r - tile_rows[t].begin, parts, threads); };
    for (Index k = 0; k < tile[t].steps * parts; k++) entry[at(k)].control = std::uint32_t(i - c.begin);
    entry[at((tile[t].steps - 1) * parts)].own = std::uint32_t(i - c.begin);
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
  from.reserve(2 * Entries());
  other.reserve(last ? last->first_other + last->others : 0);
  for (const Chunk &c : chunk) {
    for (Index t = c.first_tile; t < c.first_tile + c.tiles; t++) WriteTile(T, c, std::size_t(t), entry);
  }
  std::fill(entry + steps * threads, entry + Entries(), nothing(0));
  from.resize(2 * Entries(), -1);
  level = order = place = {};
  tile_rows             = {};
}

/* Rows of a level that a chunk has, on the average: a level that fills a thread block many times is better shared by more of them */
double Schedule::RowsOfGroup(Index chunk_rows) const
{
  std::vector<Index> seen(levels + 1, -1); /* the last chunk with a row of this level */
  std::size_t        groups = 0;

  for (Index begin = 0; begin < n; begin += chunk_rows) {
    for (Index i = begin; i < std::min(n, begin + chunk_rows); i++) {
      groups += seen[level[i]] != begin;
      seen[level[i]] = begin;
    }
  }
  return n / double(groups);
}

/* Order of the rows, levels of the chunks, tiles of the levels */
void Schedule::Build(const StrictRows &T)
{
  std::vector<Index> next, first_group;
  Index              listed = 0;

  order.resize(n);
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
  group = {};
}

Schedule::Schedule(const StrictRows &T, Engine engine, Index wanted, const Limits &limits) : n(T.n())
{
  Index chunk_rows = wanted;

  level.resize(n);
  levels = find_levels({n, T.first.data(), T.col.data()}, T.upper, level.data()).levels;
  std::vector<Index> count(levels + 1, 0);
  for (Index l : level) widest = std::max(widest, ++count[l]);
  plan.engine = engine != Engine::automatic ? engine : levels <= 1 ? Engine::levels : Engine::chunks;
  if (plan.engine != Engine::chunks) chunk_rows = n;
  else if (chunk_rows <= 0) chunk_rows = limits.rows ? choose_rows(n, T.col.size(), levels, limits) : n;
  if (plan.engine == Engine::chunks && limits.rows) chunk_rows = std::min(chunk_rows, limits.rows);
  const bool chosen = plan.engine == Engine::chunks && limits.rows && chunk_rows < n && wanted <= 0;
  if (chosen && RowsOfGroup(chunk_rows) > wide_level) chunk_rows = narrow_chunk;
  const auto too_much = [&]() { return plan.engine == Engine::chunks && limits.rows && plan.values > limits.rows; };
  do { /* until what each chunk needs fits */
    Cut(T, chunk_rows);
    chunk_rows = plan.rows / 2;
    if (engine == Engine::automatic && chosen && levels_pay(n, T.col.size(), levels, others)) plan.engine = Engine::levels;
  } while (too_much() && chunk_rows >= std::max(T.bs, 32));
  if (too_much()) plan.engine = Engine::levels;
  if (plan.engine != Engine::chunks && chunk.size() > 1) Cut(T, n);
  fill = plan.engine == Engine::chunks ? 0 : limits.Threads(plan.engine);
  Build(T);
}

} // namespace hepta::bbs

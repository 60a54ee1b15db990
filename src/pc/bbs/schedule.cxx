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

/*
   One thread block walks all levels at about 0.2 us each and reads 0.1 TB/s; where chunks share the work a level that waits
   for another chunk costs about 0.9 us. Grids have fewer such levels than levels, so chunks are also taken when x does not fit:
   as large as leaves each multiprocessor one.
*/
Index Schedule::ChooseRows(const StrictRows &T, const Limits &limits) const
{
  constexpr double alone_level = 0.2, shared_level = 0.9, bytes_per_us = 1e5;
  const double     bytes = double(T.col.size()) * sizeof(Entry) + 24. * n;
  const Index      share = std::max<Index>(256, (n + limits.multiprocessors - 1) / std::max(1, limits.multiprocessors));
  const double     alone = alone_level * levels + bytes / bytes_per_us, shared = shared_level * levels + bytes / (bytes_per_us * ((n + share - 1) / share));

  return n <= limits.rows && alone <= shared ? n : std::min(share, limits.rows);
}

/* Chunks of as many rows, in whole blocks, and the order of the rows */
void Schedule::SetChunks(const StrictRows &T, Index rows)
{
  plan.rows = std::max<Index>(1, rows / T.bs) * T.bs;
  order.resize(n);
  for (Index begin = 0; begin < n; begin += plan.rows) {
    const Index count = std::min(plan.rows, n - begin);
    chunk.push_back({begin, count, 0, 0, 0, 0, 0, 0});
    sort_by_level(count, levels, level.data() + begin, order.data() + begin);
    for (Index k = begin; k < begin + count; k++) order[k] += begin;
  }
  if (T.upper) std::reverse(chunk.begin(), chunk.end());
}

/* Levels of the chunks, in each the long rows first, so that a tile holds rows of like length */
void Schedule::SetGroups(const StrictRows &T)
{
  for (const Chunk &c : chunk) {
    first_group.push_back(Index(group.size()));
    for (Index k = c.begin; k < c.begin + c.rows;) {
      Index end = k;
      while (end < c.begin + c.rows && level[order[end]] == level[order[k]]) end++;
      std::stable_sort(order.begin() + k, order.begin() + end, [&](Index a, Index b) { return T.length(a) / 4 > T.length(b) / 4; });
      group.push_back({k, end});
      k = end;
    }
  }
  first_group.push_back(Index(group.size()));
}

/* The power of two of the threads that each of `rows` rows gets; the first, longest one decides whether more are of use */
static int share(Index rows, Index length, int threads)
{
  int parts = 0;

  if (length > 512 && threads > 32) return whole_block;
  while (parts < 5 && (Index(2) << parts) * rows <= threads && (Index(2) << parts) < length) parts++;
  return parts;
}

/* Microseconds for the levels: their steps, sums of a row's threads and barriers, where a multiprocessor reads 0.1 TB/s at most */
void Schedule::ChooseThreads(const StrictRows &T)
{
  constexpr double step_us = 0.12, share_us = 0.02, barrier_us = 0.03, bytes_per_us = 1e5;
  double           best = 0;

  if (plan.engine != Engine::chunks) {
    threads = 256;
    return;
  }
  for (int t : {32, 64, 128, 256, 512}) {
    double cost = 0;
    for (const Group &g : group) {
      const Index  rows = g.end - g.begin, length = std::max<Index>(1, T.length(order[g.begin]));
      const int    code = share(rows, length, t), parts = code == whole_block ? t : 1 << code;
      const double steps = double((rows * parts + t - 1) / t) * double((length + 2 * parts - 1) / (2 * parts));
      cost += steps * std::max(step_us * (1 + t / 128.), t * sizeof(Entry) / bytes_per_us) + share_us * std::min(code, 5) + (t > 32 ? barrier_us * (1 + t / 256.) : 0);
    }
    if (t == 32 || cost < best) {
      best    = cost;
      threads = t;
    }
  }
}

/* Steps of nothing */
void Schedule::AddSteps(std::size_t steps, Index rows)
{
  entry.resize(entry.size() + steps * threads, {
                                                 {0,                  0                 },
                                                 {std::int32_t(rows), std::int32_t(rows)},
                                                 std::uint32_t(rows), 0
  });
  from.resize(2 * entry.size(), -1);
}

/* Where a chunk finds x_j */
Index Schedule::Column(Chunk *c, Index j)
{
  if (j >= c->begin && j < c->begin + c->rows) return j - c->begin;
  if (place[j] < c->first_other) {
    place[j] = Index(other.size());
    other.push_back(j);
    c->others++;
  }
  return c->rows + 1 + place[j] - c->first_other;
}

/* A tile of `rows` rows from order[begin] on */
void Schedule::AddTile(const StrictRows &T, Chunk *c, Index begin, Index rows, int code, bool last)
{
  const int         parts = code == whole_block ? threads : 1 << code;
  const std::size_t at    = entry.size();
  Index             steps = 1;

  for (Index r = 0; r < rows; r++) steps = std::max(steps, (T.length(order[begin + r]) + 2 * parts - 1) / (2 * parts));
  AddSteps(steps, c->rows);
  for (Index r = 0; r < rows; r++) {
    const Index i = order[begin + r];
    for (Index k = 0; k < steps * parts; k++) entry[at + std::size_t(k / parts) * threads + r * parts + k % parts].control = std::uint32_t(i - c->begin);
    for (Index p = T.first[i]; p < T.first[i + 1]; p++) {
      const Index       k = p - T.first[i], pair = k / 2;
      const std::size_t slot = at + std::size_t(pair / parts) * threads + r * parts + pair % parts;
      entry[slot].col[k % 2] = std::int32_t(Column(c, T.col[p]));
      from[2 * slot + k % 2] = T.from[p];
    }
  }
  for (std::size_t slot = entry.size() - threads; slot < entry.size(); slot++) entry[slot].control |= std::uint32_t(code) << row_bits | ends_row | (last ? ends_level : 0);
  tile.push_back({at / threads, steps, code, last});
}

void Schedule::AddTiles(const StrictRows &T, Chunk *c, Group g)
{
  for (Index k = g.begin; k < g.end;) {
    const int   code = share(g.end - k, T.length(order[k]), threads), parts = code == whole_block ? threads : 1 << code;
    const Index rows = std::min<Index>(threads / parts, g.end - k);
    AddTile(T, c, k, rows, code, k + rows == g.end);
    c->tiles++;
    k += rows;
  }
}

/* Rows of a level that a chunk has, on the average: a level that fills a thread block many times is better shared by more of them */
double Schedule::RowsOfGroup(const StrictRows &T, Index chunk_rows)
{
  std::size_t groups = 0;

  for (Index begin = 0; begin < n; begin += chunk_rows) {
    std::vector<Index> found(level.begin() + begin, level.begin() + std::min(n, begin + chunk_rows));
    std::sort(found.begin(), found.end());
    groups += std::size_t(std::unique(found.begin(), found.end()) - found.begin());
  }
  return T.n() / double(groups);
}

void Schedule::Build(const StrictRows &T, Index chunk_rows)
{
  chunk = {};
  tile  = {};
  entry = {};
  group = {};
  from = other = first_group = {};
  place.assign(n, -1);
  SetChunks(T, chunk_rows);
  SetGroups(T);
  ChooseThreads(T);
  entry.reserve(T.col.size() * 2);
  from.reserve(T.col.size() * 2);
  for (std::size_t c = 0; c < chunk.size(); c++) {
    chunk[c].first_tile  = Index(tile.size());
    chunk[c].first_step  = entry.size() / threads;
    chunk[c].first_other = Index(other.size());
    for (Index g = first_group[c]; g < first_group[c + 1]; g++) AddTiles(T, &chunk[c], group[g]);
    chunk[c].steps = entry.size() / threads - chunk[c].first_step;
    plan.values    = std::max(plan.values, chunk[c].rows + 1 + chunk[c].others);
  }
  AddSteps(ahead, 0);
}

Schedule::Schedule(const StrictRows &T, Engine engine, Index wanted, const Limits &limits) : n(T.n())
{
  constexpr Index wide = 2048, narrow = 512;
  Index           chunk_rows = wanted;

  level.resize(n);
  levels = find_levels({n, T.first.data(), T.col.data()}, T.upper, level.data()).levels;
  std::vector<Index> count(levels + 1, 0);
  for (Index l : level) widest = std::max(widest, ++count[l]);
  plan.engine = engine != Engine::automatic ? engine : levels <= 1 ? Engine::levels : Engine::chunks;
  if (plan.engine != Engine::chunks) chunk_rows = n;
  else if (chunk_rows <= 0) chunk_rows = limits.rows ? ChooseRows(T, limits) : n;
  if (plan.engine == Engine::chunks && limits.rows) chunk_rows = std::min(chunk_rows, limits.rows);
  const bool chosen = plan.engine == Engine::chunks && limits.rows && chunk_rows < n && wanted <= 0;
  if (chosen && RowsOfGroup(T, chunk_rows) > wide) chunk_rows = narrow;
  do { /* until what each chunk needs fits */
    plan.values = 0;
    Build(T, chunk_rows);
    chunk_rows /= 2;
  } while (plan.engine == Engine::chunks && limits.rows && plan.values > limits.rows && chunk_rows >= std::max(T.bs, 32));
  if (plan.engine == Engine::chunks && limits.rows && plan.values > limits.rows) {
    plan.engine = Engine::levels;
    Build(T, n);
  }
  level = order = first_group = place = {};
  group                               = {};
}

} // namespace hepta::bbs

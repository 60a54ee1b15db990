/* Levels and transposed rows on the host, and the estimates by which an engine is chosen */
#include <algorithm>
#include <cmath>
#include <vector>

#include "bbs_analysis.hxx"

namespace hepta::bbs
{

/* U from the bottom, L from the top. A level block grows from its row `first` until a row depends on one of those that it has: of the rows walked so far they are those from `first` on. */
Parallelism find_levels(const Pattern &P, bool upper, Index *level)
{
  Parallelism found;
  Index       first = 0;

  for (Index k = 0; k < P.n; k++) {
    const Index i       = upper ? P.n - 1 - k : k;
    Index       deepest = 0, entries = 0;
    bool        new_block = k == 0;

    for (Index q = P.start[i]; q < P.start[i + 1]; q++) {
      const Index j = P.column[q];

      if (j == i) entries++;
      else if (upper ? j > i : j < i) {
        entries++;
        deepest   = std::max(deepest, level[j]);
        new_block = new_block || (upper ? j <= first : j >= first);
      }
    }
    level[i] = deepest + 1;
    if (new_block) {
      found.blocks++;
      first = i;
    }
    found.levels = std::max(found.levels, level[i]);
    found.ell    = std::max(found.ell, entries);
  }
  return found;
}

/* When the rows of m are reached, its level has been raised by every a_ij above it; what it depends on by entries of its own rows is final, too */
Index find_order_levels(const Pattern &A, Index bs, Index *level)
{
  const Index n      = A.n / bs;
  Index       levels = 0;

  std::fill_n(level, n, Index(1));
  for (Index m = 0; m < n; m++) {
    const Index *begin = A.column + A.start[m * bs], *end = A.column + A.start[(m + 1) * bs];

    for (const Index *j = begin; j < end; j++) {
      if (*j / bs < m) level[m] = std::max(level[m], level[*j / bs] + 1);
    }
    for (const Index *j = begin; j < end; j++) {
      if (*j / bs > m) level[*j / bs] = std::max(level[*j / bs], level[m] + 1);
    }
    levels = std::max(levels, level[m]);
  }
  return levels;
}

void sort_by_level(Index n, Index levels, const Index *level, Index *order)
{
  std::vector<Index> next(std::size_t(levels) + 1, 0); /* of each level */

  for (Index i = 0; i < n; i++) next[level[i]]++;
  for (Index l = 1; l <= levels; l++) next[l] += next[l - 1];
  for (Index i = 0; i < n; i++) order[next[level[i] - 1]++] = i;
}

Status transpose_host(const Half &T, Index, Index *i, Index *j, Index *block)
{
  std::fill_n(i, T.n + 1, Index(0));
  for (Index m = 0; m < T.n; m++) {
    for (Index p = half_begin(T, m); p < half_end(T, m); p++) i[T.j[p] + 1]++;
  }
  for (Index c = 0; c < T.n; c++) i[c + 1] += i[c];
  std::vector<Index> next(i, i + T.n);
  for (Index m = 0; m < T.n; m++) {
    for (Index p = half_begin(T, m); p < half_end(T, m); p++) {
      const Index at = next[T.j[p]]++;
      j[at]          = m;
      block[at]      = p;
    }
  }
  return nullptr;
}

/*
   One thread block walks all levels at about 0.2 us each and reads 0.1 TB/s; where chunks share the work a level that waits
   for another chunk costs about 0.9 us. Grids have fewer such levels than levels, so chunks are also taken when x does not fit:
   as large as leaves each multiprocessor one.
*/
Index choose_rows(Index n, std::size_t entries, Index levels, const Limits &limits)
{
  constexpr double alone_level = 0.2, shared_level = 0.9, bytes_per_us = 1e5;
  const double     bytes = double(entries) * sizeof(Entry) + 24. * n;
  const Index      even  = std::max<Index>(256, (n + limits.multiprocessors - 1) / std::max(1, limits.multiprocessors));
  const double     alone = alone_level * levels + bytes / bytes_per_us, shared = shared_level * levels + bytes / (bytes_per_us * ((n + even - 1) / even));

  return n <= limits.rows && alone <= shared ? n : std::min(even, limits.rows);
}

/* Of entries and what a row takes besides */
static double bytes_of(Index n, std::size_t entries)
{
  return double(entries) * sizeof(Entry) / 2 + 28. * n;
}

/*
   A level of a chunk takes its level_cost(), nearly twice that where chunks of the same level wait for each other; values of others come at 12 000 a microsecond. With
   `syncfree` a level takes 0.45 us for each 128 entries of a row, of which the longest is waited for once, and all is read at 1.3 TB/s; with `levels` 5 us, and 2 TB/s
*/
Engine choose_engine(Index n, std::size_t entries, Index levels, Index longest, const ChunkLoad &load)
{
  constexpr double others_per_us = 12e3, many = 8, waiting = 1.8, level = 0.45, launch = 5;
  const double     rounds = levels * std::max(1., std::ceil(double(entries) / std::max<double>(1, n) / 128)) + longest / 128., share = std::max(1., double(load.groups) / levels);
  const double     chunks   = (double(load.cost) * 1e-6 / share + double(load.others) / others_per_us) * (share > many ? waiting : 1);
  const double     syncfree = level * rounds + bytes_of(n, entries) / 1.3e6, all = launch * levels + bytes_of(n, entries) / 2e6;

  if (load.chunks && (load.chunks == 1 || chunks <= std::min(syncfree, all))) return Engine::chunks;
  return syncfree <= all ? Engine::syncfree : Engine::levels;
}

/*
   Chunks take turns with the room that a multiprocessor has, one of several waits for others besides, and one alone takes less than level_cost()
   says; a value of another chunk takes 60 ps, where that is more. Other engines read all anew for each vector
*/
double vector_time(Index n, std::size_t entries, const ChunkLoad &load, const Plan &plan, const Limits &limits)
{
  constexpr double several = 1.2, alone = 0.7, other = 60e-6, threads = 2048, most = 4;

  if (plan.engine != Engine::chunks) return bytes_of(n, entries) / 1.3e6;
  const double resident = std::min({double(limits.rows) / plan.values, threads / chunk_threads(plan, load.threads, load.chunks == 1), most});
  const double steps    = double(load.cost) * 1e-6 / (std::max(1., std::floor(resident)) * limits.multiprocessors);
  return load.chunks == 1 ? alone * steps : several * std::max(steps, other * double(load.others));
}

/* A level, a value that is brought to its place and back, an entry, and an entry of a row that others wait for */
int together_from(Index n, std::size_t entries, Index levels, Index longest, double each)
{
  constexpr double level = 1.25, value = 22e-6, entry = 2e-6, long_entry = 0.25, least = 16, most = 1e6;
  const double     saving = each - n * value - double(entries) * entry, once = level * levels + long_entry * longest;

  return saving <= 0 || once > most * saving ? 0 : int(std::max(least, std::ceil(once / saving)));
}

} // namespace hepta::bbs

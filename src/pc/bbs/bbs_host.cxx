/* The launchers of bbs_kernels.hxx on the host, levels on the host, and the estimates that choose an engine */
#include <algorithm>
#include <cmath>
#include <vector>

#include "../../shared/group.hxx"
#include "bbs_analysis.hxx"
#include "bbs_row.hxx"

namespace hepta::bbs
{

HEPTA_EACH(add_to_diagonal)
HEPTA_EACH_OF(fill)
HEPTA_INSTANCES(solve_rows_host)

Status factor_host(const Blocks &B, const factor::PivotRule &rule, factor::Report *report)
{
  std::vector<Index> position(std::size_t(B.n), -1);

  for (Index m = 0; m < B.n; m++) { /* ascending m: each row after its dependencies */
    for (Index p = B.i[m]; p < B.i[m + 1]; p++) position[B.j[p]] = p;
    eliminate_row(B, SingleThread{position.data()}, m, rule, report);
    for (Index p = B.i[m]; p < B.i[m + 1]; p++) position[B.j[p]] = -1;
  }
  return nullptr;
}

Status scale_rows_host(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report)
{
  for (Index m = 0; m < B.n; m++) scale_row_of(B, SingleThread(), m, upper, rule, report);
  return nullptr;
}

/* y <- R^-1 b of right-hand side k */
template <class V> static void solve_rows(const TriangleRows<V> &R, const Vectors &v, int k, Scalar *y)
{
  for (Index n = 0; n < R.n; n++) {
    const Index i = R.upper ? R.n - 1 - n : n;
    Scalar      a = right_hand_side(v, k, i);
    for (Index p = R.first[i]; p < R.first[i + 1]; p++) a += R.val[p] * y[R.col[p]];
    y[i] = a;
  }
}

/* y <- R^-T b by the rows of R: a complete solution y_i is subtracted from the right-hand sides of the rows that depend on i */
template <class V> static void solve_transposed_rows(const TriangleRows<V> &R, const Vectors &v, int k, Scalar *y)
{
  for (Index i = 0; i < R.n; i++) y[i] = right_hand_side(v, k, i);
  for (Index n = 0; n < R.n; n++) {
    const Index  i = R.upper ? n : R.n - 1 - n;
    const Scalar a = y[i];
    for (Index p = R.first[i]; p < R.first[i + 1]; p++) y[R.col[p]] += R.val[p] * a;
  }
}

template <class V> Status solve_rows_host(const TriangleRows<V> &R, const Vectors &v)
{
  const bool apart = needs_work(v);

  for (int k = 0; k < v.count; k++) {
    Scalar *y = apart ? (Scalar *)v.work + std::size_t(k) * R.n : v.x + k * v.ldx;
    if (v.transposed) solve_transposed_rows(R, v, k, y);
    else solve_rows(R, v, k, y);
    for (Index i = 0; i < R.n && apart; i++) store_solution(v, k, i, [&](Index c) { return y[c]; });
  }
  return nullptr;
}

/*
   Rows of U are visited from the last row, rows of L from the first row. A level block begins with the row `first`, and ends
   before a row that depends on a row of the block.
*/
Parallelism find_levels(const SparsityPattern &P, bool upper, Index *level)
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

/* At the visit of block row m all levels of rows above m are final, and entries of these rows have raised the level of m */
Index find_order_levels(const SparsityPattern &A, Index bs, Index *level)
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

std::vector<Index> sort_by_level(Index n, Index levels, const Index *level, Index *order)
{
  /* first[l]: the position of the first row of level l; levels count from 1 */
  std::vector<std::size_t> first(std::size_t(levels) + 2);

  (void)by_groups(HostEach(), std::size_t(n), level, levels + 1, order, first.data());
  return {first.begin() + 1, first.end()};
}

/*
   One chunk reads slowly, since one thread block reads alone. With several chunks a level takes longer, since chunks wait for
   each other. Several chunks are one for each multiprocessor, or more if a chunk of that size exceeds the shared memory.
*/
Index choose_rows(Index n, std::size_t entries, Index levels, const ChunkLimits &limits)
{
  const Tuning &t     = tuning();
  const double  read  = (double(entries) * double(entry_bytes(limits.single)) + 24. * n) / t.chunk_bandwidth;
  const Index   even  = std::max<Index>(256, (n + limits.multiprocessors - 1) / std::max(1, limits.multiprocessors));
  const double  alone = t.level_alone * levels + read, shared = t.level_shared * levels + read / ((n + even - 1) / even);

  return n <= limits.Values(512) && alone <= shared ? n : std::min(even, limits.rows);
}

/* Bytes that a solve reads and writes: the entries, and 28 bytes for each row */
static double bytes_of(Index n, std::size_t entries, bool single)
{
  return double(entries) * double(entry_bytes(single)) / 2 + 28. * n;
}

/*
   The most chunks of so many values and threads that work at a time, as the shared memory, beside a ring for ring_threads, and
   the threads of the multiprocessors allow
*/
static double active_chunks(double values, int ring_threads, int threads, const ChunkLimits &limits)
{
  const double resident =
    std::min({double(limits.Values(ring_threads)) / values, double(limits.threads) / threads, resident_chunks});

  return limits.multiprocessors * std::max(1., std::floor(resident));
}

/*
   Engine `chunks`: level_cost() and a wait for each level of a chunk, shared by the chunks that have rows of one level and work
   at a time; the time to fetch values of other chunks; and the hand-overs. A chunk waits for values of earlier chunks at each of
   its levels, so the longest chain of levels may change chunks at each level, and is in each chunk once: at most min(chunks,
   levels) - 1 hand-overs.
*/
static double chunks_time(Index n, Index levels, const ChunkLoad &load, const ChunkLimits &limits)
{
  const Tuning &t      = tuning();
  const double  active = active_chunks(double(n) / std::max<Index>(1, load.chunks), load.threads, load.threads, limits);
  const double  share = std::max(1., std::min(double(load.groups) / levels, active)), steps = double(load.cost) * 1e-6 / share;

  if (load.chunks <= 1) return load.chunks ? steps : 0;
  return steps + t.chunk_wait * double(load.groups) / share + t.chunk_handover * (std::min(load.chunks, levels) - 1) +
         double(load.fetched) / t.chunk_fetches;
}

/*
   Estimates. Engine `syncfree`: for each level the level time for each 128 entries of a row of average length, times 1 + 0.4 for
   each factor of two in this length, for the sums over threads that share a row; once the level time for each 128 entries of the
   longest row; the time to read memory. Engine `levels`: a kernel for each level, and the time to read memory.
*/
EngineTimes engine_times(Index n, std::size_t entries, Index levels, Index longest, const ChunkLoad &load,
                         const ChunkLimits &limits)
{
  const Tuning &t        = tuning();
  const double  average  = std::max(1., double(entries) / std::max<double>(1, n));
  const double  rounds   = levels * std::ceil(average / 128) * (1 + 0.4 * std::log2(std::min(average, 128.))) + longest / 128.;
  const double  syncfree = t.syncfree_level * rounds + bytes_of(n, entries, limits.single) / t.syncfree_bandwidth;
  const double  all      = t.level_kernel * levels + bytes_of(n, entries, limits.single) / t.level_bandwidth;

  return {chunks_time(n, levels, load, limits), syncfree, all};
}

Engine choose_engine(const EngineTimes &t, Index chunks)
{
  if (chunks && (chunks == 1 || t.chunks <= std::min(t.syncfree, t.levels))) return Engine::chunks;
  return t.syncfree <= t.levels ? Engine::syncfree : Engine::levels;
}

/*
   Engine `chunks`: a multiprocessor works on as many chunks at once as its shared memory and its threads allow, at most
   resident_chunks. A single chunk takes a part of its cost. Several chunks take more, since chunks wait for each other, or the
   time to fetch the values of other chunks, if longer. Other engines read all entries again for each vector.
*/
double vector_time(std::size_t entries, const ChunkLoad &load, const TiledTriangle &T, const ChunkLimits &limits)
{
  if (T.engine != Engine::chunks) return bytes_of(T.n, entries, T.single) / tuning().syncfree_bandwidth;
  const double steps = double(load.cost) * 1e-6 / active_chunks(T.values, 512, chunk_threads(T), limits);
  return load.chunks == 1 ? alone_time * steps : several_time * std::max(steps, tuning().chunk_fetch * double(load.fetched));
}

/*
   Engine `together` takes, once for all right-hand sides, a time for each level and each entry of the longest row; and, for each
   right-hand side, a time for each row and each entry.
*/
int multi_rhs_from(Index n, std::size_t entries, Index levels, Index longest, double each)
{
  const Tuning &t      = tuning();
  const double  saving = each - n * t.together_value - double(entries) * t.together_entry,
                once   = t.together_level * levels + t.together_long_entry * longest;

  return saving <= 0 || once > most_together * saving ? 0 : int(std::max(least_together, std::ceil(once / saving)));
}

} // namespace hepta::bbs

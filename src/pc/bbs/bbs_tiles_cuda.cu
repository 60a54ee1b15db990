/* Tiles of a triangle on the device, from the rows sorted by bbs_analysis_cuda.cu */
#include "bbs_analysis.cuh"

namespace hepta::bbs
{

/*
   other <- the rows of other chunks on which each chunk depends, without duplicates; w.other <- the keys of these rows. n: the
   number of entries in columns of other chunks
*/
static Status list_others(AnalysisWork &w, Index n, Index *other)
{
  Status bad = w.of_other.Take(std::size_t(n), &w.other);

  const AnalysisArrays a = w;
  if (!bad)
    bad = each(std::size_t(a.keys.strict.n), w.stream, [=] __device__(std::size_t k) {
      const StrictTriangle &T = a.keys.strict;
      const Index           m = Index(k), chunk = a.keys.chunk_of(m * T.bs);
      Key                  *to = a.other + std::size_t(a.outside[m]) * T.bs;
      if (a.outside[m] == a.outside[m + 1]) return;
      for (Index p = strict_begin(T, m); p < strict_end(T, m); p++) {
        if (a.keys.chunk_of(T.j[p] * T.bs) == chunk) continue;
        for (Index e = 0; e < T.bs; e++) *to++ = a.keys.outside(chunk, T.j[p] * T.bs + e);
      }
    });
  if (!bad)
    bad = sort_once(DeviceEach{w.stream}, std::size_t(n), bits_of(Key(a.keys.chunks) * a.keys.levels * Key(a.Rows())), a.other,
                    &a.totals->others);
  return bad ? bad : each(std::size_t(n), w.stream, [=] __device__(std::size_t k) {
    if (k < a.totals->others) other[k] = a.keys.row_outside(a.other[k]);
  });
}

/* Writes the entries, a thread block for each tile. The last thread block writes the prefetched steps without entries. */
template <class V>
static __global__ void write_kernel(const AnalysisArrays a, const Tile *tile, const Index *position, const Chunk *chunk,
                                    std::size_t end, Entry<V> *entry, Index *from)
{
  const StrictTriangle &T       = a.keys.strict;
  const bool            beyond  = blockIdx.x + 1 == gridDim.x;
  const Tile            t       = beyond ? Tile{end, prefetched_steps, 0, 0, 0, 0} : tile[blockIdx.x];
  const int             threads = int(blockDim.x), thread = int(threadIdx.x), parts = threads_of_row(t.parts, threads);
  const bool            used   = thread / parts < t.count;
  const Index           i      = used ? a.order[t.begin + thread / parts] : -1;
  const Chunk           c      = beyond ? Chunk() : chunk[a.keys.chunk_of(a.order[t.begin])];
  const Index           length = used ? strict_length(T, i) : 0;
  const auto            column = [&](Index k) {
    if (k >= length) return c.rows;
    const Index j = strict_column(T, i, k);
    if (position) return position[j];
    if (j >= c.begin && j < c.begin + c.rows) return j - c.begin;
    const Key wanted = a.keys.outside(a.keys.chunk_of(i), j);
    return c.rows + 1 + first_above(c.others, [&](Index o) { return a.other[c.first_other + o] >= wanted; });
  };

  for (Index s = 0; s < t.steps; s++) {
    const std::size_t at = (t.first + s) * threads + thread;
    const Index       k  = 2 * (s * parts + thread % parts);
    Entry<V>          e  = {};

    e.col[0]  = std::int32_t(column(k));
    e.col[1]  = std::int32_t(column(k + 1));
    e.control = std::uint32_t(used ? (position ? t.begin + thread / parts : i - c.begin) : c.rows);
    e.own     = std::uint32_t(c.rows);
    if (s + 1 == t.steps && thread % parts == 0) e.own = e.control;
    if (!beyond && s + 1 == t.steps) e.control |= std::uint32_t(t.parts) << row_bits | ends_row | (t.last ? ends_level : 0);
    entry[at]        = e;
    from[2 * at]     = k < length ? strict_source(T, i, k) : -1;
    from[2 * at + 1] = k + 1 < length ? strict_source(T, i, k + 1) : -1;
  }
}

/* The tiles of each level of a chunk */
static Status write_tiles(const AnalysisWork &w, Index groups, Tile *tile)
{
  const AnalysisArrays a = w;

  return each(std::size_t(groups), w.stream, [=] __device__(std::size_t k) {
    const Index g = Index(k), rows = a.rows_of(g);
    TileCount   at = a.extent[g];
    for_tiles(
      rows, a.totals->threads, a.layout, [&](Index r) { return a.length(g, r); },
      [&](Index r, Index count, int code, Index steps) {
        tile[at.tiles] = {at.steps, steps, code, r + count == rows, a.group[g] + r, count};
        at             = at + TileCount{std::size_t(steps), 1};
      });
  });
}

/* Writes the table of the chunks, and finds the largest number of values that a chunk keeps */
static Status write_chunks(const AnalysisWork &w, Chunk *chunk)
{
  const AnalysisArrays a = w;

  return each(std::size_t(a.keys.chunks), w.stream, [=] __device__(std::size_t k) {
    const Index c = Index(k), n = a.Rows(), begin = a.keys.begin_of(c), rows = n - begin < a.keys.rows ? n - begin : a.keys.rows;
    const auto  first_group = [&](Index ch) {
      return first_above(a.totals->groups,
                         [&](Index g) { return a.keys.group_of(a.key[a.group[g]]) >= Key(ch) * a.keys.levels; });
    };
    const auto first_other = [&](Index ch) {
      return a.other
               ? first_above(Index(a.totals->others), [&](Index o) { return a.other[o] >= Key(ch) * a.keys.levels * Key(n); })
               : Index(0);
    };
    const Index       o = first_other(c), others = first_other(c + 1) - o;
    const std::size_t first = a.extent[first_group(c)].steps;
    chunk[c]                = {begin, rows, o, others, first, a.extent[first_group(c + 1)].steps - first};
    atomicMax((int *)&a.totals->values, int(rows + 1 + others));
  });
}

/* order <- the sorted rows, position <- the position of each row in order */
static Status write_order(const AnalysisWork &w, Index *order, Index *position)
{
  const Index *sorted = w.order;

  return each(std::size_t(w.Rows()), w.stream, [=] __device__(std::size_t k) {
    order[k]            = sorted[k];
    position[sorted[k]] = Index(k);
  });
}

Status Analysis::Write(Chunk *chunk, Tile *tile, void *entry, Index *from, Index *other, Index *order, Index *position)
{
  AnalysisWork &w     = *work;
  Totals        found = {};

  Status bad = others ? list_others(w, others, other) : nullptr;
  if (!bad) bad = write_tiles(w, groups, tile);
  if (!bad && w.layout.level_threads) bad = write_order(w, order, position);
  if (!bad) bad = write_chunks(w, chunk);
  if (bad) return bad;
  bad    = with_values(single, [&](auto v) {
    write_kernel<<<unsigned(tiles) + 1, unsigned(threads), 0, w.stream>>>(w, tile, position, chunk, steps,
                                                                          (Entry<decltype(v)> *)entry, from);
    return launched();
  });
  values = Rows() + 1; /* right for a single chunk (see TiledTriangle), so that the host need not wait for the count */
  if (!bad && chunks > 1) {
    bad    = copy_to_host(&found, w.totals, sizeof(found), stream);
    others = Index(found.others);
    values = found.values;
  }
  work.reset();
  return bad;
}

} // namespace hepta::bbs

/* Tiles of a triangle on the device, from the rows sorted by bbs_analysis_cuda.cu */
#include "bbs_analysis.cuh"

namespace hepta::bbs
{

struct TileRows {
  Tile  tile;
  Index begin, count; /* its rows are order[begin] ... order[begin + count - 1] */
};

/* other <- the rows of other chunks that each chunk depends on, without duplicates; w.other <- their keys. n: the number of entries whose columns belong to other chunks */
static Status list_others(AnalysisWork &w, Index n, Index *other)
{
  const RowKeys        keys    = w.keys;
  const StrictTriangle T       = keys.strict;
  const Index         *outside = w.outside;
  const Totals        *total   = w.totals;

  Status     bad = w.of_other.Take(std::size_t(n), &w.other);
  Key *const all = w.other;
  if (!bad)
    bad = each(std::size_t(T.n), w.stream, [=] __device__(std::size_t k) {
      const Index m = Index(k), chunk = keys.chunk_of(m * T.bs);
      Key        *to = all + std::size_t(outside[m]) * T.bs;
      if (outside[m] == outside[m + 1]) return;
      for (Index p = strict_begin(T, m); p < strict_end(T, m); p++) {
        if (keys.chunk_of(T.j[p] * T.bs) == chunk) continue;
        for (Index e = 0; e < T.bs; e++) *to++ = keys.outside(chunk, T.j[p] * T.bs + e);
      }
    });
  if (!bad) bad = sort_once(DeviceEach{w.stream}, std::size_t(n), bits_of(Key(keys.chunks) * keys.levels * Key(w.Rows())), all, &w.totals->others);
  return bad ? bad : each(std::size_t(n), w.stream, [=] __device__(std::size_t k) {
    if (k < total->others) other[k] = keys.row_outside(all[k]);
  });
}

/* Writes the entries, a thread block for each tile. The last thread block writes the steps without entries after them, which are prefetched. */
static __global__ void write_kernel(const RowKeys keys, const TileRows *tile, const Index *order, const Index *position, const Chunk *chunk, const Key *other, std::size_t end, Entry *entry, Index *from)
{
  const StrictTriangle &T       = keys.strict;
  const Tile            behind  = {end, prefetched_steps, 0, 0};
  const bool            beyond  = blockIdx.x + 1 == gridDim.x;
  const TileRows        t       = beyond ? TileRows{behind, 0, 0} : tile[blockIdx.x];
  const int             threads = int(blockDim.x), thread = int(threadIdx.x), parts = threads_of_row(t.tile.parts, threads);
  const bool            used   = thread / parts < t.count;
  const Index           i      = used ? order[t.begin + thread / parts] : -1;
  const Chunk           c      = beyond ? Chunk() : chunk[keys.chunk_of(order[t.begin])];
  const Index           length = used ? strict_length(T, i) : 0;
  const auto            column = [&](Index k) {
    if (k >= length) return c.rows;
    const Index j = strict_column(T, i, k);
    if (position) return position[j];
    if (j >= c.begin && j < c.begin + c.rows) return j - c.begin;
    const Key wanted = keys.outside(keys.chunk_of(i), j);
    return c.rows + 1 + first_above(c.others, [&](Index o) { return other[c.first_other + o] >= wanted; });
  };

  for (Index s = 0; s < t.tile.steps; s++) {
    const std::size_t at = (t.tile.first + s) * threads + thread;
    const Index       k  = 2 * (s * parts + thread % parts);
    Entry             e  = {};

    e.col[0]  = std::int32_t(column(k));
    e.col[1]  = std::int32_t(column(k + 1));
    e.control = std::uint32_t(used ? (position ? t.begin + thread / parts : i - c.begin) : c.rows);
    e.own     = std::uint32_t(c.rows);
    if (s + 1 == t.tile.steps && thread % parts == 0) e.own = e.control;
    if (!beyond && s + 1 == t.tile.steps) e.control |= std::uint32_t(t.tile.parts) << row_bits | ends_row | (t.tile.last ? ends_level : 0);
    entry[at]        = e;
    from[2 * at]     = k < length ? strict_source(T, i, k) : -1;
    from[2 * at + 1] = k + 1 < length ? strict_source(T, i, k + 1) : -1;
  }
}

/* The tiles of each level of a chunk, with their rows for write_kernel(); tile may be null */
static Status write_tiles(Index n, Index groups, const RowKeys &keys, const Key *key, const Index *group, const TileCount *before, int threads, const TileLayout &all, TileRows *rows_of, Tile *tile, cudaStream_t s)
{
  const TileLayout layout = all;

  return each(std::size_t(groups), s, [=] __device__(std::size_t g) {
    const Index begin = group[g], rows = rows_of_group(group, Index(g), groups, n);
    TileCount   at = before[g];
    for_tiles(
      rows, threads, layout, [&](Index k) { return keys.length_of(key[begin + k]); },
      [&](Index k, Index count, int code, Index steps) {
        const Tile t      = {at.steps, steps, code, k + count == rows};
        rows_of[at.tiles] = {t, begin + k, count};
        if (tile) tile[at.tiles] = t;
        at = at + TileCount{std::size_t(steps), 1};
      });
  });
}

/* Writes the table of the chunks, and finds the largest number of values that a chunk keeps */
static Status write_chunks(const RowKeys &keys, Index groups, const Key *key, const Index *group, const TileCount *before, const Key *other, Totals *total, Chunk *chunk, cudaStream_t s)
{
  return each(std::size_t(keys.chunks), s, [=] __device__(std::size_t k) {
    const Index     c = Index(k), n = keys.strict.n * keys.strict.bs, begin = keys.begin_of(c), rows = n - begin < keys.rows ? n - begin : keys.rows;
    const auto      first_group = [&](Index ch) { return first_above(groups, [&](Index g) { return keys.group_of(key[group[g]]) >= Key(ch) * keys.levels; }); };
    const auto      first_other = [&](Index ch) { return other ? first_above(Index(total->others), [&](Index o) { return other[o] >= Key(ch) * keys.levels * Key(n); }) : Index(0); };
    const TileCount a = before[first_group(c)], b = before[first_group(c + 1)];
    const Index     o = first_other(c), others = first_other(c + 1) - o;
    chunk[c] = {begin, rows, o, others, a.tiles, b.tiles - a.tiles, a.steps, b.steps - a.steps};
    atomicMax((int *)&total->values, int(rows + 1 + others));
  });
}

/* order <- the sorted rows, position <- where each row is among them */
static Status write_order(Index n, const Index *sorted, Index *order, Index *position, cudaStream_t s)
{
  return each(std::size_t(n), s, [=] __device__(std::size_t k) {
    order[k]            = sorted[k];
    position[sorted[k]] = Index(k);
  });
}

Status Analysis::Write(Chunk *chunk, Tile *tile, Entry *entry, Index *from, Index *other, Index *order, Index *position)
{
  const cudaStream_t s = (cudaStream_t)stream;
  AnalysisWork      &w = *work;
  Scratch            scratch(s);
  TileRows          *rows_of;
  Totals             found = {};

  Status bad = scratch.Take(std::size_t(tiles), &rows_of);
  if (!bad && others) bad = list_others(w, others, other);
  if (!bad) bad = write_tiles(Rows(), groups, w.keys, w.key, w.group, w.extent, threads, layout, rows_of, tile, s);
  if (!bad && layout.level_threads) bad = write_order(Rows(), w.order, order, position, s);
  if (!bad) bad = write_chunks(w.keys, groups, w.key, w.group, w.extent, w.other, w.totals, chunk, s);
  if (bad) return bad;
  write_kernel<<<unsigned(tiles) + 1, unsigned(threads), 0, s>>>(w.keys, rows_of, w.order, position, chunk, w.other, steps, entry, from);
  bad    = launched();
  values = Rows() + 1; /* the number for a single chunk (see TiledTriangle), so that the host need not wait for the count */
  if (!bad && chunks > 1) {
    bad    = copy_to_host(&found, w.totals, sizeof(found), stream);
    others = Index(found.others);
    values = found.values;
  }
  work.reset();
  return bad;
}

} // namespace hepta::bbs

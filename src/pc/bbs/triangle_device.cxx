/* Triangles on the device: the choice of an engine, its tiles, and solves for many right-hand sides */
#include "triangle.h"

#include <algorithm>

#include "../../shared/group.hxx"

#if defined(HEPTA_HAVE_CUDA)
using namespace hepta;
using namespace hepta::bbs;

PetscErrorCode HeptaTriangle::FindLevels(const HeptaSpace &space, const StrictTriangle &T, const Index **of_rows)
{
  PetscFunctionBegin;
  if (!levels) {
    Index *found;
    PetscCall(level.Make(space, (size_t)T.n, &found));
    PetscCallHepta(levels_cuda(T, found, &levels, &longest, space.stream));
  }
  PetscCall(level.Access(space, HeptaAccess::read, of_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Order(const HeptaSpace &space, const Blocks &B, const Index **of_levels)
{
  const Index *of_rows;
  Index       *o;
  size_t      *begin;
  HeptaValues  sorted, begins; /* sorted: swapped in when complete, so that an error leaves nothing incomplete */

  PetscFunctionBegin;
  if (!order.IsOnDevice()) {
    PetscCall(FindLevels(space, {B.n, B.bs, upper, B.i, B.j, B.diag}, &of_rows));
    PetscCall(sorted.Make(space, (size_t)B.n, &o));
    PetscCall(begins.Make(space, (size_t)levels + 2, &begin));
    PetscCallHepta(by_groups(DeviceEach{space.stream}, (size_t)B.n, of_rows, levels + 1, o, begin));
    order.Swap(sorted);
  }
  PetscCall(order.Access(space, HeptaAccess::read, of_levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the tables of the arranged chunks and tiles */
PetscErrorCode HeptaTriangle::Write(const HeptaSpace &space, Analysis &analysis)
{
  Chunk *c;
  Tile  *t;
  char  *e;
  Index *f, *o, *p = nullptr;

  PetscFunctionBegin;
  pairs = analysis.Entries();
  PetscCall(chunk.Make(space, (size_t)analysis.chunks, &c));
  PetscCall(tile.Make(space, (size_t)analysis.tiles, &t));
  if (tiled.engine != Engine::chunks) PetscCall(position.Make(space, 2 * (size_t)n, &p));
  PetscCall(entry.Make(space, pairs * entry_bytes(options.single), &e));
  PetscCall(from.Make(space, 2 * pairs, &f));
  PetscCall(other.Make(space, (size_t)analysis.others, &o));
  PetscCallHepta(analysis.Write(c, t, e, f, o, p, p ? p + n : nullptr));
  if (!p) PetscCall(tile.Free()); /* a chunk's entries say where its tiles end */
  tiled.nchunks = analysis.chunks;
  tiled.ntiles  = analysis.tiles;
  tiled.threads = analysis.threads;
  tiled.values  = analysis.values;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaTriangle::Arrangeable(Index rows, Index most) const
{
  /* do the values of other chunks that the longest row needs fit? */
  const bool may_fit = rows >= n || longest * bs - rows < most;

  return may_fit && (double)n / rows * n * levels < 1e19; /* do the keys have at most 64 bits? */
}

/*
   Arranges chunks of `wanted` rows, rounded down to whole blocks, or of narrow_chunk rows for wide levels without option
   -mat_bbs_chunk
*/
PetscErrorCode HeptaTriangle::ArrangeChunks(Analysis &analysis, Index wanted)
{
  const auto whole_blocks = [&](Index r) { return std::max<Index>(1, std::min(r, n) / bs) * bs; };

  PetscFunctionBegin;
  tiled.rows = whole_blocks(wanted);
  PetscCallHepta(analysis.Arrange(tiled.rows));
  if (!options.chunk && analysis.chunks > 1 && n / analysis.groups > wide_level && tiled.rows > narrow_chunk) {
    tiled.rows = whole_blocks(narrow_chunk);
    PetscCallHepta(analysis.Arrange(tiled.rows));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Fewer rows for a chunk whose values exceed the shared memory by `excess`. A chunk with fewer rows takes about as many values of
   other chunks, so that the excess is subtracted: a sixteenth of the rows at least, half of the rows at most
*/
static Index fewer_rows(Index rows, Index excess)
{
  return std::max(rows / 2, rows - std::max(excess, rows / 16));
}

/*
   Chooses the engine and the rows of a chunk, and arranges the tiles. Chunks lose rows until a chunk's values fit into the
   shared memory of a thread block. Another engine is chosen if chunks become too small, or if no option gives an engine or chunks
   and the other engine's estimate is less.
*/
PetscErrorCode HeptaTriangle::Decide(const HeptaSpace &space, const StrictTriangle &T, const Index *of_rows)
{
  const bool  together  = options.engine == Engine::together; /* a transposed triangle, which `together` cannot solve */
  const bool  automatic = together || options.engine == Engine::automatic, free = automatic && !options.chunk;
  const Index longest_row = longest * T.bs;
  Analysis    analysis(T, of_rows, levels, longest, options.single, space.stream);
  ChunkLimits limits;
  ChunkLoad   load;

  PetscFunctionBegin;
  PetscCallHepta(device_limits_cuda(options.single, &limits));
  tiled.engine = !automatic ? options.engine : levels <= 1 ? Engine::levels : Engine::chunks;
  built        = automatic && levels <= 1; /* one loop over the rows, without tiles */
  const Index most =
    std::min(options.chunk ? (Index)options.chunk : choose_rows(n, entries, levels, limits), limits.rows);
  for (Index r = most, excess = 0; tiled.engine == Engine::chunks && !built; r = fewer_rows(tiled.rows, excess)) {
    const bool too_small = r != most && r < std::max(T.bs, 32);
    const bool arrange   = !too_small && Arrangeable(r, limits.rows);
    if (arrange) PetscCall(ArrangeChunks(analysis, r));
    load = arrange ? analysis : ChunkLoad();
    if (free || !arrange) {
      times        = engine_times(n, entries, levels, longest_row, load, limits);
      tiled.engine = choose_engine(times, load.chunks);
    }
    if (tiled.engine == Engine::chunks) PetscCall(Write(space, analysis));
    excess = analysis.values - limits.Values(analysis.threads);
    built  = tiled.engine == Engine::chunks && excess <= 0;
  }
  if (!built) {
    tiled.rows = n;
    PetscCallHepta(analysis.Arrange(n, limits.Layout(tiled.engine)));
    PetscCall(Write(space, analysis));
    built = true;
  }
  if (tiled.engine == Engine::syncfree) PetscCallHepta(syncfree_blocks_cuda(options.single, &tiled.blocks));
  if (!free || levels <= 1) PetscFunctionReturn(PETSC_SUCCESS);
  each_of_many = vector_time(entries, load, tiled, limits);
  if (!transposed) multi_rhs_from = bbs::multi_rhs_from(n, entries, levels, longest_row, each_of_many);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Analyzes the triangle; the row lists of a transposed triangle are freed afterwards */
PetscErrorCode HeptaTriangle::Build(const HeptaSpace &space, const Blocks &B)
{
  const size_t   blocks = entries / ((size_t)bs * bs);
  StrictTriangle T      = {B.n, bs, upper, B.i, B.j, B.diag};
  HeptaValues    list[3];
  Index         *i, *j, *block;
  const Index   *of_rows;

  PetscFunctionBegin;
  PetscCheck(n < (PetscInt)row_mask, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "bbs: %" PetscInt_FMT " rows on an MPI process are more than %d", (PetscInt)n, (int)row_mask - 1);
  built = !n;
  if (built) PetscFunctionReturn(PETSC_SUCCESS);
  if (transposed) {
    PetscCall(list[0].Make(space, (size_t)B.n + 1, &i));
    /* at least one element: `block` is not null and marks a transpose, even of an empty triangle */
    PetscCall(list[1].Make(space, blocks + 1, &j));
    PetscCall(list[2].Make(space, blocks + 1, &block));
    HeptaLaunchTimed(transpose_cuda(T, (Index)blocks, i, j, block, space.stream));
    T = bbs::transposed(T, i, j, block);
  }
  PetscCall(FindLevels(space, T, &of_rows));
  tiled.n       = n;
  tiled.single  = options.single;
  tiled.depends = levels > 1;
  PetscCall(Decide(space, T, of_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills in the values, and copies all tables that a solve reads to its memory, so that no solve waits for copies */
PetscErrorCode HeptaTriangle::FillTiles(const HeptaSpace &space, const Blocks &B)
{
  const Index *f;
  void        *e;

  PetscFunctionBegin;
  if (OnlyMultiRHS()) { /* without tiles */
    PetscCall(Order(space, B, &f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!built) PetscCall(Build(space, B));
  PetscCall(from.Access(space, HeptaAccess::read, &f));
  PetscCall(entry.Access(space, HeptaAccess::read_write, &e));
  PetscCall(FillValues(space, 2 * pairs, f, B, e));
  PetscCall(GetTiles(space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The tables of the tiles */
PetscErrorCode HeptaTriangle::GetTiles(const HeptaSpace &space)
{
  PetscFunctionBegin;
  PetscCall(chunk.Access(space, HeptaAccess::read, &tiled.chunk));
  PetscCall(tile.Access(space, HeptaAccess::read, &tiled.tile));
  PetscCall(other.Access(space, HeptaAccess::read, &tiled.other));
  PetscCall(entry.Access(space, HeptaAccess::read, &tiled.entry));
  PetscCall(position.Access(space, HeptaAccess::read, &tiled.order));
  tiled.position = tiled.order ? tiled.order + n : nullptr;
  if (tiled.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &tiled.host_tile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sizes of the right-hand sides, for a solve in floats */
PetscErrorCode HeptaTriangle::FindSizes(const HeptaSpace &space, Vectors *v)
{
  PetscFunctionBegin;
  if (!options.single) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(sizes.Reserve((size_t)v->count * sizeof(*v->largest)));
  PetscCall(sizes.Zero(space));
  PetscCall(sizes.Access(space, HeptaAccess::read_write, &v->largest));
  HeptaLaunchTimed(largest_cuda(n, *v, space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   A recorded solve has its own buffer, and fills the buffer first, since other solves may run between two replays of the
   recording
*/
PetscErrorCode HeptaTriangle::SolveTiles(const HeptaSpace &space, Vectors v)
{
  const bool has_work = HasWork(v), in_turn = has_work && !HeptaRecording::Stream();
  char      *w = nullptr;

  PetscFunctionBegin;
  PetscCall(GetTiles(space));
  PetscCall(FindSizes(space, &v));
  if (has_work) {
    PetscCall(buffers.Reserve(3 * (size_t)n * value_bytes(options.single)));
    PetscCall(buffers.Access(space, HeptaAccess::write, &w));
    v.work = w + (in_turn ? buffer : 2) * (size_t)n * value_bytes(options.single);
  }
  tiled.next  = in_turn ? w + (1 - buffer) * (size_t)n * value_bytes(options.single) : nullptr;
  tiled.ready = in_turn && buffer_ready;
  if (in_turn) {
    buffer       = 1 - buffer;
    buffer_ready = false; /* in case the launch fails */
  }
  HeptaLaunchTimed(solve_cuda(tiled, v, space.stream));
  buffer_ready = in_turn || buffer_ready;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

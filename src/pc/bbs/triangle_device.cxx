/* Triangles on the device: the plan, the tiles that it determines, and solves for many right-hand sides */
#include "triangle.h"

#include <algorithm>

#if defined(HEPTA_HAVE_CUDA)
using namespace hepta;
using namespace hepta::bbs;

PetscErrorCode HeptaRowLevels::Find(const HeptaSpace &space, const StrictTriangle &T, const Index **of_rows)
{
  PetscFunctionBegin;
  if (!levels) {
    Index *found = nullptr;
    PetscCall(level.Make(space, (size_t)T.n, &found));
    PetscCallHepta(levels_cuda(T, found, &levels, &widest, &longest, space.stream));
  }
  PetscCall(level.Access(space, HeptaAccess::read, of_rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaRowLevels::Order(const HeptaSpace &space, const StrictTriangle &T, const Index **of_levels)
{
  const Index *of_rows;
  Index       *o = nullptr;
  HeptaValues  made; /* swapped in when complete, so that an error leaves nothing incomplete */

  PetscFunctionBegin;
  if (!order.IsOnDevice()) {
    PetscCall(Find(space, T, &of_rows));
    PetscCall(made.Make(space, (size_t)T.n, &o));
    PetscCallHepta(level_order_cuda(T.n, levels, of_rows, o, space.stream));
    order.Swap(made);
  }
  PetscCall(order.Access(space, HeptaAccess::read, of_levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the tables of the chunks and tiles that were arranged */
PetscErrorCode HeptaTriangleTiles::Write(const HeptaSpace &space, Analysis &analysis)
{
  const size_t n = (size_t)analysis.Rows();
  Chunk       *c = nullptr;
  Tile        *t = nullptr;
  Entry       *e = nullptr;
  Index       *f = nullptr, *o = nullptr, *p = nullptr;

  PetscFunctionBegin;
  PetscCall(chunk.Make(space, (size_t)analysis.chunks, &c));
  if (plan.engine != Engine::chunks) {
    PetscCall(tile.Make(space, (size_t)analysis.tiles, &t));
    PetscCall(position.Make(space, 2 * n, &p));
  }
  PetscCall(entry.Make(space, analysis.Entries(), &e));
  PetscCall(from.Make(space, 2 * analysis.Entries(), &f));
  PetscCall(other.Make(space, (size_t)analysis.others, &o));
  PetscCallHepta(analysis.Write(c, t, e, f, o, p, p ? p + n : nullptr));
  chunks      = analysis.chunks;
  tiles       = analysis.tiles;
  threads     = analysis.threads;
  entries     = analysis.Entries();
  plan.values = analysis.values;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arranges chunks of rows_wanted rows, rounded down to whole blocks, or of narrow_chunk rows if `narrow` allows it and levels are wide */
PetscErrorCode HeptaTriangleTiles::ArrangeChunks(Analysis &analysis, Index rows_wanted, bool narrow, ChunkLoad *load)
{
  const Index n = analysis.Rows(), bs = analysis.BlockSize();
  const auto  whole_blocks = [&](Index r) { return std::max<Index>(1, std::min(r, n) / bs) * bs; };

  PetscFunctionBegin;
  plan.rows = whole_blocks(rows_wanted);
  PetscCallHepta(analysis.Arrange(plan.rows));
  if (narrow && analysis.chunks > 1 && n / analysis.groups > wide_level && plan.rows > narrow_chunk) {
    plan.rows = whole_blocks(narrow_chunk);
    PetscCallHepta(analysis.Arrange(plan.rows));
  }
  *load = {analysis.chunks, analysis.groups, analysis.threads, (size_t)analysis.others, analysis.cost};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Decides how the device solves the triangle: by which engine, and by chunks of how many rows; and arranges the tiles accordingly. Chunks are halved
   until the values that they keep fit into a thread block's shared memory. Another engine is chosen if the chunks become too small for that, or
   if no option asks for an engine or for chunks and the other engine is estimated to be faster.
*/
PetscErrorCode HeptaTriangleTiles::Decide(const HeptaSpace &space, const HeptaTriangleShape &shape, const HeptaBBSOptions &options, const StrictTriangle &T, const Index *level)
{
  const bool  together  = options.engine == Engine::together; /* which cannot solve this triangle, as it is transposed */
  const bool  automatic = together || options.engine == Engine::automatic, free = automatic && !options.chunk;
  const Index n = shape.n, longest = shape.levels->longest * T.bs;
  Analysis    analysis(T, level, levels, shape.levels->longest, space.stream);
  ChunkLimits limits;
  ChunkLoad   load;

  PetscFunctionBegin;
  PetscCallHepta(device_limits_cuda(&limits.rows, &limits.multiprocessors, &limits.threads));
  plan.engine       = !automatic ? options.engine : levels <= 1 ? Engine::levels : Engine::chunks;
  built             = automatic && levels <= 1; /* one loop over the rows, without tiles */
  const Index first = std::min(options.chunk ? (Index)options.chunk : choose_rows(n, shape.entries, levels, limits), limits.rows);
  for (Index r = first; plan.engine == Engine::chunks && !built; r = plan.rows / 2) {
    const bool too_small = r != first && r < std::max(T.bs, 32);
    const bool may_fit   = r >= n || longest - r < limits.rows; /* do the values of other chunks that the longest row needs fit? */
    const bool sortable  = (double)n / r * n * levels < 1e19;   /* do the keys have at most 64 bits? */
    load                 = ChunkLoad();
    if (may_fit && sortable && !too_small) PetscCall(ArrangeChunks(analysis, r, !options.chunk, &load));
    if (free || !load.chunks) plan.engine = choose_engine(n, shape.entries, levels, longest, load);
    if (plan.engine == Engine::chunks) PetscCall(Write(space, analysis));
    built = plan.engine == Engine::chunks && analysis.values <= limits.rows;
  }
  if (!built) {
    plan.rows = n;
    PetscCallHepta(analysis.Arrange(n, limits.Layout(plan.engine)));
    PetscCall(Write(space, analysis));
    built = true;
  }
  if (plan.engine == Engine::syncfree) PetscCallHepta(syncfree_blocks_cuda(&plan.blocks));
  if (free && levels > 1 && !shape.transposed) multi_rhs_from = bbs::multi_rhs_from(n, shape.entries, levels, longest, vector_time(n, shape.entries, load, plan, limits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Analyzes the triangle; for a transposed one lists of its rows are made, which are freed afterwards. */
PetscErrorCode HeptaTriangleTiles::Build(const HeptaSpace &space, const HeptaTriangleShape &shape, const HeptaBBSOptions &options, const Blocks &B)
{
  const size_t   blocks = shape.entries / ((size_t)B.bs * B.bs);
  StrictTriangle T      = shape.Of(B);
  HeptaValues    list[3];
  Index         *i = nullptr, *j = nullptr, *block = nullptr;
  const Index   *level;

  PetscFunctionBegin;
  PetscCheck(shape.n < (PetscInt)row_mask, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: %" PetscInt_FMT " rows on an MPI process are more than %d", (PetscInt)shape.n, (int)row_mask - 1);
  PetscCall(ticket.Resize(sizeof(unsigned)));
  built = !shape.n;
  if (built) PetscFunctionReturn(PETSC_SUCCESS);
  if (shape.transposed) {
    PetscCall(list[0].Make(space, (size_t)B.n + 1, &i));
    PetscCall(list[1].Make(space, blocks + 1, &j));
    PetscCall(list[2].Make(space, blocks + 1, &block));
    PetscCallHepta(transpose_cuda(T, (Index)blocks, i, j, block, space.stream));
    T = transposed(T, i, j, block);
  }
  PetscCall(shape.levels->Find(space, T, &level));
  levels = shape.levels->levels;
  widest = shape.levels->widest * B.bs;
  PetscCall(Decide(space, shape, options, T, level));
  if (shape.transposed) PetscCall(shape.levels->Forget());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills in the values, and copies all tables that a solve reads to its memory, so that no solve waits for copies */
PetscErrorCode HeptaTriangleTiles::Fill(const HeptaSpace &space, const HeptaTriangleShape &shape, const HeptaBBSOptions &options, const Blocks &B, bool scale)
{
  const Index  *f;
  const Tile   *t;
  Entry        *e;
  TiledTriangle T;

  PetscFunctionBegin;
  if (!built) PetscCall(Build(space, shape, options, B));
  PetscCall(from.Access(space, HeptaAccess::read, &f));
  PetscCall(entry.Access(space, HeptaAccess::read_write, &e));
  HeptaLaunchTimed(fill(DeviceEach{space.stream}, 2 * entries, f, B, scale, e));
  PetscCall(Get(space, shape, &T));
  if (plan.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangleTiles::Get(const HeptaSpace &space, const HeptaTriangleShape &shape, TiledTriangle *T)
{
  PetscFunctionBegin;
  *T = {shape.n, chunks, tiles, levels > 1, threads, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  PetscCall(chunk.Access(space, HeptaAccess::read, &T->chunk));
  PetscCall(tile.Access(space, HeptaAccess::read, &T->tile));
  PetscCall(other.Access(space, HeptaAccess::read, &T->other));
  PetscCall(entry.Access(space, HeptaAccess::read, &T->entry));
  PetscCall(position.Access(space, HeptaAccess::read, &T->order));
  T->position = T->order ? T->order + shape.n : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A recorded solve has a buffer of its own, and fills it first, since other solves may run between two replays of the recording */
PetscErrorCode HeptaTriangleTiles::Solve(const HeptaSpace &space, const HeptaTriangleShape &shape, Vectors v)
{
  TiledTriangle T;
  Plan          now      = plan;
  const size_t  n        = (size_t)shape.n;
  const bool    has_work = HasWork(v), in_turn = has_work && !HeptaRecording::Stream();
  const Tile   *host_tile = nullptr;
  Scalar       *w         = nullptr;

  PetscFunctionBegin;
  PetscCall(Get(space, shape, &T));
  PetscCall(ticket.Access(space, HeptaAccess::write, &now.ticket));
  if (plan.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &host_tile));
  if (has_work) {
    PetscCall(buffers.Reserve(3 * n * sizeof(Scalar)));
    PetscCall(buffers.Access(space, HeptaAccess::write, &w));
    v.work = w + 2 * n;
  }
  if (in_turn) {
    v.work       = w + buffer * n;
    now.next     = w + (1 - buffer) * n;
    now.ready    = buffer_ready;
    buffer       = 1 - buffer;
    buffer_ready = false; /* in case the launch fails */
  }
  HeptaLaunchTimed(solve_cuda(T, v, host_tile, now, space.stream));
  buffer_ready = in_turn || buffer_ready;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::SolveMultiRHS(const HeptaSpace &space, const Blocks &blocks, const Vectors &v)
{
  Blocks    B = blocks;
  unsigned *t;

  PetscFunctionBegin;
  PetscCall(shape.levels->Order(space, shape.Of(B), &B.order));
  PetscCall(ticket.Reserve(sizeof(unsigned)));
  PetscCall(ticket.Access(space, HeptaAccess::write, &t));
  HeptaLaunchTimed(solve_multi_rhs_cuda(B, shape.upper, scaled, v, t, space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

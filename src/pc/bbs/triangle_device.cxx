/* Triangles on the device: the plan, the tiles that follow from it, and many right-hand sides at a time */
#include "triangle.h"

#include <algorithm>

#if defined(HEPTA_HAVE_CUDA)
using namespace hepta;
using namespace hepta::bbs;

/* *p <- n numbers of a type on the device, in place of what `values` had */
template <class T> static PetscErrorCode DeviceArray(const HeptaSpace &space, size_t n, HeptaValues &values, T **p)
{
  void *v;

  PetscFunctionBegin;
  PetscCall(values.Resize(n * sizeof(T)));
  PetscCall(values.Access(space, HeptaAccess::write, &v));
  *p = (T *)v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls a launcher and counts its work as GPU time; that log is closed before an error is raised */
template <class F> static PetscErrorCode Timed(const F &launch)
{
  PetscFunctionBegin;
  PetscCall(PetscLogGpuTimeBegin());
  const Status bad = launch();
  PetscCall(PetscLogGpuTimeEnd());
  PetscCallHepta(bad);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::Find(const HeptaSpace &space, const StrictTriangle &T, const Index **of_rows)
{
  void *l;

  PetscFunctionBegin;
  if (!levels) {
    Index *found = nullptr;
    PetscCall(DeviceArray(space, (size_t)T.n, level, &found));
    PetscCallHepta(levels_cuda(T, found, &levels, &widest, &longest, space.stream));
  }
  PetscCall(level.Access(space, HeptaAccess::read, &l));
  *of_rows = (const Index *)l;
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
  PetscCall(DeviceArray(space, (size_t)analysis.chunks, chunk, &c));
  if (plan.engine != Engine::chunks) {
    PetscCall(DeviceArray(space, (size_t)analysis.tiles, tile, &t));
    PetscCall(DeviceArray(space, 2 * n, position, &p));
  }
  PetscCall(DeviceArray(space, analysis.Entries(), entry, &e));
  PetscCall(DeviceArray(space, 2 * analysis.Entries(), from, &f));
  PetscCall(DeviceArray(space, (size_t)analysis.others, other, &o));
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
   until the values that they keep fit into a thread block's shared memory. Another engine is taken where the chunks become too small for that, or
   where no option asks for an engine or for chunks and the other engine is estimated to be faster.
*/
PetscErrorCode HeptaTriangleTiles::Decide(const HeptaSpace &space, const HeptaTriangleShape &shape, const HeptaBBSOptions &options, const StrictTriangle &T, const Index *level)
{
  const bool   together  = options.engine == Engine::together; /* which cannot solve this triangle, as it is transposed */
  const bool   automatic = together || options.engine == Engine::automatic, free = automatic && !options.chunk;
  const Index  n = shape.n, longest = shape.levels->longest * T.bs;
  Analysis     analysis(T, level, levels, shape.levels->longest, space.stream);
  DeviceLimits limits;
  ChunkLoad    load;

  PetscFunctionBegin;
  PetscCallHepta(device_limits_cuda(&limits.rows, &limits.multiprocessors));
  plan.engine       = !automatic ? options.engine : levels <= 1 ? Engine::levels : Engine::chunks;
  built             = automatic && levels <= 1; /* one loop over the rows, without tiles */
  const Index first = std::min(options.chunk ? (Index)options.chunk : choose_rows(n, shape.entries, levels, limits), limits.rows);
  for (Index r = first; plan.engine == Engine::chunks && !built; r = plan.rows / 2) {
    const bool too_small = r != first && r < std::max(T.bs, 32);
    const bool may_fit   = r >= n || longest - r < limits.rows; /* does what the longest row takes from other chunks fit? */
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

/* Analyzes the triangle. One that is transposed gets lists of its rows for that, which are not needed afterwards. */
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
    PetscCall(DeviceArray(space, (size_t)B.n + 1, list[0], &i));
    PetscCall(DeviceArray(space, blocks + 1, list[1], &j));
    PetscCall(DeviceArray(space, blocks + 1, list[2], &block));
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

/* Fills in the values, and copies what a solve reads to where it is read, so that no solve waits for copies */
PetscErrorCode HeptaTriangleTiles::Fill(const HeptaSpace &space, const HeptaTriangleShape &shape, const HeptaBBSOptions &options, const Blocks &B, bool scale)
{
  void         *f, *e, *t;
  TiledTriangle T;

  PetscFunctionBegin;
  if (!built) PetscCall(Build(space, shape, options, B));
  PetscCall(from.Access(space, HeptaAccess::read, &f));
  PetscCall(entry.Access(space, HeptaAccess::read_write, &e));
  PetscCall(Timed([&]() { return fill_cuda(2 * entries, (const Index *)f, B, scale, (Entry *)e, space.stream); }));
  PetscCall(Get(space, shape, &T));
  if (plan.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangleTiles::Get(const HeptaSpace &space, const HeptaTriangleShape &shape, TiledTriangle *T)
{
  void *c, *t, *o, *e, *p;

  PetscFunctionBegin;
  PetscCall(position.Access(space, HeptaAccess::read, &p));
  PetscCall(chunk.Access(space, HeptaAccess::read, &c));
  PetscCall(tile.Access(space, HeptaAccess::read, &t));
  PetscCall(other.Access(space, HeptaAccess::read, &o));
  PetscCall(entry.Access(space, HeptaAccess::read, &e));
  *T = {shape.n, chunks, tiles, levels > 1, threads, (const Chunk *)c, (const Tile *)t, (const Index *)o, (const Entry *)e, (const Index *)p, p ? (const Index *)p + shape.n : nullptr};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangleTiles::Solve(const HeptaSpace &space, const HeptaTriangleShape &shape, Vectors v)
{
  TiledTriangle T;
  Plan          now      = plan;
  const bool    has_work = HasWork(v);
  void         *t, *host_tile = nullptr, *w;

  PetscFunctionBegin;
  PetscCall(Get(space, shape, &T));
  PetscCall(ticket.Access(space, HeptaAccess::write, &t));
  now.ticket = (unsigned *)t;
  if (plan.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &host_tile));
  if (has_work) {
    PetscCall(buffers.Reserve(2 * (size_t)shape.n * sizeof(Scalar)));
    PetscCall(buffers.Access(space, HeptaAccess::write, &w));
    v.work       = (Scalar *)w + buffer * (size_t)shape.n;
    now.next     = (Scalar *)w + (1 - buffer) * (size_t)shape.n;
    now.ready    = buffer_ready;
    buffer       = 1 - buffer;
    buffer_ready = false; /* should the launch fail */
  }
  PetscCall(Timed([&]() { return solve_cuda(T, v, (const Tile *)host_tile, now, space.stream); }));
  buffer_ready = has_work || buffer_ready;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For L the factors have an order already, the one in which they were eliminated */
PetscErrorCode HeptaMultiRHS::SetOrder(const HeptaSpace &space, const HeptaTriangleShape &shape, const Blocks &B)
{
  const Index *level;
  Index       *o = nullptr;

  PetscFunctionBegin;
  PetscCall(ticket.Reserve(sizeof(unsigned)));
  if (!B.n || order.IsOnDevice() || (B.order && !shape.upper)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(shape.levels->Find(space, shape.Of(B), &level));
  PetscCall(DeviceArray(space, (size_t)B.n, order, &o));
  PetscCallHepta(level_order_cuda(B.n, shape.levels->levels, level, o, space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaMultiRHS::Solve(const HeptaSpace &space, const HeptaTriangleShape &shape, const Blocks &blocks, bool scale, const Vectors &v)
{
  Blocks B = blocks;
  void  *o, *t;

  PetscFunctionBegin;
  PetscCall(SetOrder(space, shape, B));
  PetscCall(order.Access(space, HeptaAccess::read, &o));
  PetscCall(ticket.Access(space, HeptaAccess::write, &t));
  if (o) B.order = (const Index *)o;
  PetscCall(Timed([&]() { return solve_together_cuda(B, shape.upper, scale, v, (unsigned *)t, space.stream); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* A triangle on the device: what it finds out and arranges itself, and many right-hand sides at a time */
#include "triangle.h"

#include <algorithm>

#if defined(HEPTA_HAVE_CUDA)
using namespace hepta;
using namespace hepta::bbs;

/* Memory on the device for n of a type */
template <class T> static PetscErrorCode Room(const HeptaSpace &space, size_t n, HeptaValues &values, T **p)
{
  void *v;

  PetscFunctionBegin;
  PetscCall(values.Resize(n * sizeof(T)));
  PetscCall(values.Access(space, HeptaAccess::write, &v));
  *p = (T *)v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaLevels::Find(const HeptaSpace &space, const Half &T, const Index **of_rows)
{
  void *l;

  PetscFunctionBegin;
  if (!levels) {
    Index *found = nullptr;
    PetscCall(Room(space, (size_t)T.n, level, &found));
    PetscCallHepta(levels_cuda(T, found, &levels, &widest, &longest, space.stream));
  }
  PetscCall(level.Access(space, HeptaAccess::read, &l));
  *of_rows = (const Index *)l;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was arranged */
PetscErrorCode HeptaTriangle::Write(const HeptaSpace &space, Analysis &analysis)
{
  Chunk *c = nullptr;
  Tile  *t = nullptr;
  Entry *e = nullptr;
  Index *f = nullptr, *o = nullptr, *p = nullptr;

  PetscFunctionBegin;
  PetscCall(Room(space, (size_t)analysis.chunks, chunk, &c));
  if (size.plan.engine != Engine::chunks) {
    PetscCall(Room(space, (size_t)analysis.tiles, tile, &t));
    PetscCall(Room(space, 2 * (size_t)source.n, position, &p));
  }
  PetscCall(Room(space, analysis.Entries(), entry, &e));
  PetscCall(Room(space, 2 * analysis.Entries(), from, &f));
  PetscCall(Room(space, (size_t)analysis.others, other, &o));
  PetscCallHepta(analysis.Write(c, t, e, f, o, p, p ? p + source.n : nullptr));
  size.chunks      = analysis.chunks;
  size.tiles       = analysis.tiles;
  size.threads     = analysis.threads;
  size.entries     = analysis.Entries();
  size.plan.values = analysis.values;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chunks of about so many rows, in whole blocks */
PetscErrorCode HeptaTriangle::ArrangeChunks(Analysis &analysis, Index rows_wanted)
{
  PetscFunctionBegin;
  const auto whole = [&](Index r) { return std::max<Index>(1, std::min(r, source.n) / analysis.BlockSize()) * analysis.BlockSize(); };
  size.plan.rows   = whole(rows_wanted);
  PetscCallHepta(analysis.Arrange(size.plan.rows));
  if (!options.chunk && analysis.chunks > 1 && source.n / analysis.groups > wide_level && size.plan.rows > narrow_chunk) {
    size.plan.rows = whole(narrow_chunk);
    PetscCallHepta(analysis.Arrange(size.plan.rows));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chunks, unless another engine does better or what they need does not fit into a thread block's shared memory: then smaller ones, or another engine in the end */
PetscErrorCode HeptaTriangle::BuildChunks(const HeptaSpace &space, Analysis &analysis, const Limits &limits, ChunkLoad *load)
{
  const Index longest = source.levels->longest * analysis.BlockSize(), wanted = options.chunk ? (Index)options.chunk : choose_rows(source.n, source.entries, size.levels, limits);

  PetscFunctionBegin;
  for (Index r = std::min(wanted, limits.rows); size.plan.engine == Engine::chunks && !built; r = size.plan.rows / 2) {
    const bool small    = load->chunks && r < std::max(analysis.BlockSize(), 32); /* they only become smaller */
    const bool may_fit  = r >= source.n || longest - r < limits.rows;             /* the longest row alone */
    const bool sortable = (double)source.n / r * source.n * size.levels < 1e19;   /* keys of 64 bits */
    if (!may_fit || !sortable || small) {
      size.plan.engine = choose_engine(source.n, source.entries, size.levels, longest, ChunkLoad());
      break;
    }
    PetscCall(ArrangeChunks(analysis, r));
    *load = {analysis.chunks, analysis.groups, analysis.threads, (size_t)analysis.others, analysis.cost};
    if (IsFree()) size.plan.engine = choose_engine(source.n, source.entries, size.levels, longest, *load);
    if (size.plan.engine != Engine::chunks) break;
    PetscCall(Write(space, analysis));
    built = analysis.values <= limits.rows;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::BuildOnDevice(const HeptaSpace &space, const Blocks &B, const Limits &limits)
{
  const Half   T         = {B.n, B.bs, source.upper, B.i, B.j, B.diag};
  const bool   automatic = options.engine == Engine::automatic;
  const Index *level;
  ChunkLoad    load;

  PetscFunctionBegin;
  PetscCall(source.levels->Find(space, T, &level));
  size.levels      = source.levels->levels;
  size.widest      = source.levels->widest * B.bs;
  size.plan.engine = !automatic ? options.engine : size.levels <= 1 ? Engine::levels : Engine::chunks;
  built            = automatic && size.levels <= 1; /* without tiles */
  Analysis analysis(T, level, size.levels, source.levels->longest, space.stream);
  PetscCall(BuildChunks(space, analysis, limits, &load));
  if (!built) {
    size.plan.rows = source.n;
    PetscCallHepta(analysis.Arrange(source.n, limits.All(size.plan.engine)));
    PetscCall(Write(space, analysis));
    built = true;
  }
  if (IsFree() && size.levels > 1) {
    size.together_from = together_from(source.n, source.entries, size.levels, source.levels->longest * B.bs, vector_time(source.n, source.entries, load, size.plan, limits));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values <- a table made on the host */
template <class T> static PetscErrorCode Keep(std::vector<T> &table, HeptaValues &values)
{
  void *p;

  PetscFunctionBegin;
  PetscCall(values.Resize(table.size() * sizeof(T)));
  PetscCall(values.Access(HeptaSpace(), HeptaAccess::write, &p));
  PetscCall(PetscArraycpy((T *)p, table.data(), table.size()));
  std::vector<T>().swap(table);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::BuildOnHost(const Limits &limits)
{
  StrictRows T;
  void      *e;

  PetscFunctionBegin;
  PetscCall(source.rows(&T));
  Schedule schedule(T, TileEngine(), (Index)options.chunk, limits);
  size = {schedule.levels, schedule.widest, (Index)schedule.chunk.size(), (Index)schedule.tile.size(), schedule.threads, schedule.Entries(), 0, schedule.plan};
  PetscCall(entry.Resize(size.entries * sizeof(Entry)));
  PetscCall(entry.Access(HeptaSpace(), HeptaAccess::write, &e));
  schedule.Write(T, (Entry *)e);
  PetscCall(Keep(schedule.chunk, chunk));
  PetscCall(Keep(schedule.tile, tile));
  PetscCall(Keep(schedule.from, from));
  PetscCall(Keep(schedule.other, other));
  schedule.order.insert(schedule.order.end(), schedule.place.begin(), schedule.place.end());
  PetscCall(Keep(schedule.order, position));
  built = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Build(const HeptaSpace &space, const Blocks &B)
{
  Limits limits;

  PetscFunctionBegin;
  PetscCheck(source.n < (PetscInt)row_mask, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: %" PetscInt_FMT " rows on an MPI process are more than %d", (PetscInt)source.n, (int)row_mask - 1);
  PetscCallHepta(device_limits_cuda(&limits.rows, &limits.multiprocessors));
  if (!source.transposed && source.n) PetscCall(BuildOnDevice(space, B, limits));
  else PetscCall(BuildOnHost(limits));
  PetscCall(ticket.Resize(sizeof(unsigned)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values, and all that a solve reads, where it is read, so that no solve waits for it */
PetscErrorCode HeptaTriangle::FillTiles(const HeptaSpace &space, const Blocks &B)
{
  void    *f, *e, *t;
  Triangle T;

  PetscFunctionBegin;
  if (!built) PetscCall(Build(space, B));
  PetscCall(from.Access(space, HeptaAccess::read, &f));
  PetscCall(entry.Access(space, HeptaAccess::read_write, &e));
  PetscCall(PetscLogGpuTimeBegin());
  const hepta::Status filled_in = fill_cuda(2 * size.entries, (const Index *)f, B, right, (Entry *)e, space.stream);
  PetscCall(PetscLogGpuTimeEnd());
  PetscCallHepta(filled_in);
  PetscCall(GetTiles(space, &T));
  if (size.plan.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::GetTiles(const HeptaSpace &space, Triangle *T)
{
  void *c, *t, *o, *e, *p;

  PetscFunctionBegin;
  PetscCall(position.Access(space, HeptaAccess::read, &p));
  PetscCall(chunk.Access(space, HeptaAccess::read, &c));
  PetscCall(tile.Access(space, HeptaAccess::read, &t));
  PetscCall(other.Access(space, HeptaAccess::read, &o));
  PetscCall(entry.Access(space, HeptaAccess::read, &e));
  *T = {source.n, size.chunks, size.tiles, size.levels > 1, size.threads, (const Chunk *)c, (const Tile *)t, (const Index *)o, (const Entry *)e, (const Index *)p, p ? (const Index *)p + source.n : nullptr};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::SolveTiles(const HeptaSpace &space, Vectors v)
{
  Triangle   T;
  Plan       plan    = size.plan;
  const bool in_turn = TakesTurns(space, v);
  void      *t, *host_tile = nullptr, *w;

  PetscFunctionBegin;
  PetscCall(GetTiles(space, &T));
  PetscCall(ticket.Access(space, HeptaAccess::write, &t));
  plan.ticket = (unsigned *)t;
  if (plan.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &host_tile));
  if (in_turn) {
    PetscCall(turns.Reserve(2 * (size_t)source.n * sizeof(Scalar)));
    PetscCall(turns.Access(space, HeptaAccess::write, &w));
    v.work     = (Scalar *)w + turn * (size_t)source.n;
    plan.next  = (Scalar *)w + (1 - turn) * (size_t)source.n;
    plan.ready = turn_ready;
    turn       = 1 - turn;
    turn_ready = false;
  }
  PetscCall(PetscLogGpuTimeBegin());
  const hepta::Status solved = solve_cuda(T, v, (const Tile *)host_tile, plan, space.stream);
  PetscCall(PetscLogGpuTimeEnd());
  PetscCallHepta(solved);
  if (in_turn) turn_ready = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block rows for engine `together`, once for a structure; the factors of L have them from their elimination */
PetscErrorCode HeptaTriangle::OrderByLevel(const HeptaSpace &space, const Blocks &B)
{
  const Index *level;
  Index       *o = nullptr;

  PetscFunctionBegin;
  PetscCall(ticket.Reserve(sizeof(unsigned)));
  if (!B.n || order.IsOnDevice() || (B.order && !source.upper)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(source.levels->Find(space, {B.n, B.bs, source.upper, B.i, B.j, B.diag}, &level));
  PetscCall(Room(space, (size_t)B.n, order, &o));
  PetscCallHepta(level_order_cuda(B.n, source.levels->levels, level, o, space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::SolveTogether(const HeptaSpace &space, const Blocks &blocks, const Vectors &v)
{
  Blocks B = blocks;
  void  *o, *t;

  PetscFunctionBegin;
  PetscCall(OrderByLevel(space, B));
  PetscCall(order.Access(space, HeptaAccess::read, &o));
  PetscCall(ticket.Access(space, HeptaAccess::write, &t));
  if (o) B.order = (const Index *)o;
  PetscCall(PetscLogGpuTimeBegin());
  const hepta::Status solved = solve_together_cuda(B, source.upper, right, v, (unsigned *)t, space.stream);
  PetscCall(PetscLogGpuTimeEnd());
  PetscCallHepta(solved);
  PetscCall(HeptaLogFlops(space, 2. * (PetscLogDouble)source.entries * v.count));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode HeptaTriangle::FillTiles(const HeptaSpace &, const hepta::bbs::Blocks &)
{
  return PETSC_SUCCESS;
}

PetscErrorCode HeptaTriangle::SolveTiles(const HeptaSpace &, hepta::bbs::Vectors)
{
  return PETSC_SUCCESS;
}

PetscErrorCode HeptaTriangle::OrderByLevel(const HeptaSpace &, const hepta::bbs::Blocks &)
{
  return PETSC_SUCCESS;
}

PetscErrorCode HeptaTriangle::SolveTogether(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Vectors &)
{
  return PETSC_SUCCESS;
}
#endif

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
  Index *f = nullptr, *o = nullptr;

  PetscFunctionBegin;
  PetscCall(Room(space, (size_t)analysis.chunks, chunk, &c));
  if (size.plan.engine != Engine::chunks) PetscCall(Room(space, (size_t)analysis.tiles, tile, &t));
  PetscCall(Room(space, analysis.Entries(), entry, &e));
  PetscCall(Room(space, 2 * analysis.Entries(), from, &f));
  PetscCall(Room(space, (size_t)analysis.others, other, &o));
  PetscCallHepta(analysis.Write(c, t, e, f, o));
  size.chunks      = analysis.chunks;
  size.tiles       = analysis.tiles;
  size.threads     = analysis.threads;
  size.entries     = analysis.Entries();
  size.plan.values = analysis.values;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chunks of about so many rows, in whole blocks; built: what each needs fits in a thread block's shared memory */
PetscErrorCode HeptaTriangle::TryChunks(const HeptaSpace &space, Analysis &analysis, Index rows_wanted, const Limits &limits)
{
  PetscFunctionBegin;
  const auto whole = [&](Index r) { return std::max<Index>(1, std::min(r, source.n) / analysis.BlockSize()) * analysis.BlockSize(); };
  size.plan.rows   = whole(rows_wanted);
  PetscCallHepta(analysis.Arrange(size.plan.rows));
  if (!options.chunk && analysis.chunks > 1 && source.n / analysis.groups > wide_level && size.plan.rows > narrow_chunk) {
    size.plan.rows = whole(narrow_chunk);
    PetscCallHepta(analysis.Arrange(size.plan.rows));
  }
  PetscCall(Write(space, analysis));
  built = analysis.values <= limits.rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows for a kernel that goes through their levels */
PetscErrorCode HeptaTriangle::BuildLevels(const HeptaSpace &space, Analysis &analysis, const Limits &limits)
{
  PetscFunctionBegin;
  size.plan.rows = source.n;
  PetscCallHepta(analysis.Arrange(source.n, limits.Threads(size.plan.engine)));
  PetscCall(Write(space, analysis));
  built = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chunks, unless another engine was asked for, does better or is left because none fit */
PetscErrorCode HeptaTriangle::BuildOnDevice(const HeptaSpace &space, const Blocks &B, const Limits &limits)
{
  const Half   T = {B.n, B.bs, source.upper, B.i, B.j, B.diag};
  const Index *level;

  PetscFunctionBegin;
  PetscCall(source.levels->Find(space, T, &level));
  size.levels           = source.levels->levels;
  size.widest           = source.levels->widest * B.bs;
  const bool  automatic = TileEngine() == Engine::automatic;
  const Index longest = source.levels->longest * B.bs, rows_wanted = options.chunk ? (Index)options.chunk : choose_rows(source.n, source.entries, size.levels, limits);
  size.plan.engine = !automatic ? options.engine : size.levels <= 1 ? Engine::levels : Engine::chunks;
  built            = automatic && size.levels <= 1; /* without tiles */
  Analysis analysis(T, level, size.levels, source.levels->longest, space.stream);
  for (Index r = std::min(rows_wanted, limits.rows); size.plan.engine == Engine::chunks && !built; r = size.plan.rows / 2) {
    const bool small    = analysis.chunks && r < std::max(B.bs, 32);            /* they only become smaller */
    const bool may_fit  = r >= source.n || longest - r < limits.rows;           /* the longest row alone */
    const bool sortable = (double)source.n / r * source.n * size.levels < 1e19; /* keys of 64 bits */
    if (may_fit && sortable && !small) PetscCall(TryChunks(space, analysis, r, limits));
    else size.plan.engine = Engine::levels;
    if (automatic && !options.chunk && analysis.chunks > 1 && levels_pay(source.n, source.entries, size.levels, (size_t)analysis.others)) {
      size.plan.engine = Engine::levels;
      built            = false;
    }
  }
  if (!built) PetscCall(BuildLevels(space, analysis, limits));
  if (automatic && !options.chunk && size.levels > 1) {
    const ChunkLoad load = {analysis.chunks, analysis.threads, (size_t)analysis.others, analysis.cost};
    size.together_from   = together_from(source.n, source.entries, size.levels, longest, size.plan.engine == Engine::chunks ? chunks_time(load, size.plan, limits) : levels_time(source.entries));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block rows for engine `together`, once for a structure */
PetscErrorCode HeptaTriangle::OrderByLevel(const HeptaSpace &space, const Blocks &B)
{
  const Index *level;
  Index       *o = nullptr;

  PetscFunctionBegin;
  if (!B.n || order.IsOnDevice()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(source.levels->Find(space, {B.n, B.bs, source.upper, B.i, B.j, B.diag}, &level));
  PetscCall(Room(space, (size_t)B.n, order, &o));
  PetscCallHepta(level_order_cuda(B.n, source.levels->levels, level, o, space.stream));
  PetscCall(ticket.Reserve(sizeof(unsigned)));
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
  B.order = (const Index *)o;
  PetscCall(PetscLogGpuTimeBegin());
  PetscCallHepta(solve_together_cuda(B, source.upper, right, v, (unsigned *)t, space.stream));
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(HeptaLogFlops(space, 2. * (PetscLogDouble)source.entries * v.count));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode HeptaTriangle::OrderByLevel(const HeptaSpace &, const hepta::bbs::Blocks &)
{
  return PETSC_SUCCESS;
}

PetscErrorCode HeptaTriangle::SolveTogether(const HeptaSpace &, const hepta::bbs::Blocks &, const hepta::bbs::Vectors &)
{
  return PETSC_SUCCESS;
}
#endif

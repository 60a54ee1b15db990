#include "triangle.h"

#include <algorithm>

using namespace hepta;
using namespace hepta::bbs;

const char *const HeptaBBSEngines[] = {"auto", "levels", "persistent", "syncfree", "chunks"};

PetscErrorCode HeptaBBSOptions::SetFromOptions(PetscOptionItems PetscOptionsObject)
{
  PetscInt  kind = (PetscInt)engine;
  PetscBool set[2];

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-mat_bbs_engine", "How the device goes through the levels", "MATSOLVERBBS", HeptaBBSEngines, HeptaBBSEngineCount, HeptaBBSEngines[kind], &kind, nullptr));
  PetscCall(PetscOptionsInt("-mat_bbs_chunk", "Rows that a thread block solves (engine chunks)", "MATSOLVERBBS", chunk, &chunk, &set[0]));
  PetscCall(PetscOptionsInt("-mat_bbs_blocks", "Thread blocks (engines persistent and syncfree): as many as the device holds at a time, or fewer", "MATSOLVERBBS", blocks, &blocks, &set[1]));
  PetscCheck(!set[0] || chunk > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-mat_bbs_chunk %" PetscInt_FMT " must be positive", chunk);
  PetscCheck(!set[1] || blocks > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-mat_bbs_blocks %" PetscInt_FMT " must be positive", blocks);
  engine = (Engine)kind;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the device offers; nothing where there is none */
static PetscErrorCode GetLimits(Limits *limits)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (device_limits_cuda(&limits->rows, &limits->multiprocessors)) *limits = Limits();
#else
  (void)limits;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

HeptaTriangle::HeptaTriangle(HeptaTriangleSource &&s, const HeptaBBSOptions &o) : source(std::move(s)), options(o)
{
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
  Schedule schedule(T, options.engine, (Index)options.chunk, limits);
  size = {schedule.levels, schedule.widest, (Index)schedule.chunk.size(), (Index)schedule.tile.size(), schedule.threads, schedule.Entries(), schedule.plan};
  PetscCall(entry.Resize(size.entries * sizeof(Entry)));
  PetscCall(entry.Access(HeptaSpace(), HeptaAccess::write, &e));
  schedule.Write(T, (Entry *)e);
  PetscCall(Keep(schedule.chunk, chunk));
  PetscCall(Keep(schedule.tile, tile));
  PetscCall(Keep(schedule.from, from));
  PetscCall(Keep(schedule.other, other));
  built = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
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
  const bool  automatic = options.engine == Engine::automatic;
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
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode HeptaTriangle::Build(const HeptaSpace &space, const Blocks &B)
{
  Limits limits;

  PetscFunctionBegin;
  PetscCheck(source.n < (PetscInt)row_mask, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: %" PetscInt_FMT " rows on an MPI process are more than %d", (PetscInt)source.n, (int)row_mask - 1);
  PetscCall(GetLimits(&limits));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device && !source.transposed && limits.rows && source.n) PetscCall(BuildOnDevice(space, B, limits));
#else
  (void)space;
  (void)B;
#endif
  if (!built) PetscCall(BuildOnHost(limits));
  size.plan.blocks = (int)options.blocks;
  PetscCall(ticket.Resize(sizeof(unsigned)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Fill(const HeptaSpace &space, const Blocks &B, bool scale)
{
  void    *f, *e, *t;
  Triangle T; /* where it is solved, once here so that no solve waits for it */

  PetscFunctionBegin;
  if (ByRows(space)) {
    if (rows.first.empty()) PetscCall(source.rows(&rows));
    value.resize(rows.from.size());
    PetscCallHepta(fill_rows_host(value.size(), rows.from.data(), B, scale, value.data()));
  } else {
    if (!built) PetscCall(Build(space, B));
    PetscCall(from.Access(space, HeptaAccess::read, &f));
    PetscCall(entry.Access(space, HeptaAccess::read_write, &e));
    HeptaLaunch(space, fill, 2 * size.entries, (const Index *)f, B, scale, (Entry *)e);
    PetscCall(GetTiles(space, &T));
    if (size.plan.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &t));
  }
  filled[ByRows(space)] = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::GetTiles(const HeptaSpace &space, Triangle *T)
{
  void *c, *t, *o, *e;

  PetscFunctionBegin;
  PetscCall(chunk.Access(space, HeptaAccess::read, &c));
  PetscCall(tile.Access(space, HeptaAccess::read, &t));
  PetscCall(other.Access(space, HeptaAccess::read, &o));
  PetscCall(entry.Access(space, HeptaAccess::read, &e));
  *T = {source.n, size.chunks, size.tiles, size.levels > 1, size.threads, (const Chunk *)c, (const Tile *)t, (const Index *)o, (const Entry *)e};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::SolveTiles(const HeptaSpace &space, const Vectors &v)
{
  Triangle T;
  Plan     plan = size.plan;
  void    *t, *host_tile = nullptr;

  PetscFunctionBegin;
  PetscCall(GetTiles(space, &T));
  PetscCall(ticket.Access(space, HeptaAccess::write, &t));
  plan.ticket = (unsigned *)t;
  if (plan.engine == Engine::levels) PetscCall(tile.Access(HeptaSpace(), HeptaAccess::read, &host_tile));
  HeptaLaunch(space, solve, T, v, (const Tile *)host_tile, plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Solve(const HeptaSpace &space, const Vectors &v)
{
  PetscFunctionBegin;
  if (ByRows(space)) PetscCallHepta(solve_rows_host({source.n, rows.upper, rows.first.data(), rows.col.data(), value.data()}, v));
  else PetscCall(SolveTiles(space, v));
  PetscCall(HeptaLogFlops(space, 2. * (PetscLogDouble)source.entries * v.count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::View(PetscViewer viewer, const char name[]) const
{
  PetscFunctionBegin;
  if (!built) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows, one after the other on the host\n", name, (PetscInt)source.n));
  else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows in %" PetscInt_FMT " levels, at most %" PetscInt_FMT " in one; engine %s, %" PetscInt_FMT " chunks of %" PetscInt_FMT " rows, %" PetscInt_FMT " tiles of %d threads\n", name,
                                     (PetscInt)source.n, (PetscInt)size.levels, (PetscInt)size.widest, HeptaBBSEngines[(int)size.plan.engine], (PetscInt)size.chunks, (PetscInt)size.plan.rows, (PetscInt)size.tiles, size.threads));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

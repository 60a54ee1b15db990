#include "triangle.h"

#include <algorithm>

using namespace hepta;
using namespace hepta::bbs;

const char *const HeptaBBSEngines[] = {"auto", "levels", "syncfree", "chunks", "together"};

PetscErrorCode HeptaBBSOptions::SetFromOptions(PetscOptionItems PetscOptionsObject)
{
  PetscInt  kind = (PetscInt)engine;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-mat_bbs_engine", "How the device goes through the levels", "MATSOLVERBBS", HeptaBBSEngines, HeptaBBSEngineCount, HeptaBBSEngines[kind], &kind, nullptr));
  PetscCall(PetscOptionsInt("-mat_bbs_chunk", "Rows that a thread block solves (engine chunks)", "MATSOLVERBBS", chunk, &chunk, &set));
  PetscCheck(!set || chunk > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-mat_bbs_chunk %" PetscInt_FMT " must be positive", chunk);
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
  PetscCall(GetLimits(&limits));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device && !source.transposed && limits.rows && source.n) PetscCall(BuildOnDevice(space, B, limits));
#else
  (void)space;
  (void)B;
#endif
  if (!built) PetscCall(BuildOnHost(limits));
  PetscCall(ticket.Resize(sizeof(unsigned)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Fill(const HeptaSpace &space, const Blocks &B, bool scale)
{
  void    *f, *e, *t;
  Triangle T; /* where it is solved, once here so that no solve waits for it */

  PetscFunctionBegin;
  right = scale;
  if (ByRows(space)) {
    if (rows.first.empty()) PetscCall(source.rows(&rows));
    value.resize(rows.from.size());
    PetscCallHepta(fill_rows_host(value.size(), rows.from.data(), B, scale, value.data()));
  } else if (OnlyTogether(space)) PetscCall(OrderByLevel(space, B));
  else {
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
  HeptaLaunch(space, solve, T, v, (const Tile *)host_tile, plan);
  if (in_turn) turn_ready = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not with a transposed triangle, which has no rows of its own but in tiles */
bool HeptaTriangle::IsTogether(const HeptaSpace &space, const Vectors &v) const
{
  return OnlyTogether(space) || (space.device && size.together_from && v.count >= size.together_from);
}

size_t HeptaTriangle::WorkVectors(const HeptaSpace &space, const Vectors &v) const
{
  if (IsTogether(space, v)) return 2 * (size_t)packs_of(v) * vectors_together;
  return (ByRows(space) ? is_apart(v) : !TakesTurns(space, v)) ? (size_t)v.count : 0;
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
  if (built) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows in %" PetscInt_FMT " levels, at most %" PetscInt_FMT " in one; engine %s, %" PetscInt_FMT " chunks of %" PetscInt_FMT " rows, %" PetscInt_FMT " tiles of %d threads\n", name,
                                     (PetscInt)source.n, (PetscInt)size.levels, (PetscInt)size.widest, HeptaBBSEngines[(int)size.plan.engine], (PetscInt)size.chunks, (PetscInt)size.plan.rows, (PetscInt)size.tiles, size.threads));
    if (size.together_from) PetscCall(PetscViewerASCIIPrintf(viewer, "    engine together from %d right-hand sides on\n", size.together_from));
  } else if (filled[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows in %" PetscInt_FMT " levels; engine together\n", name, (PetscInt)source.n, (PetscInt)source.levels->levels));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows, one after the other on the host\n", name, (PetscInt)source.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

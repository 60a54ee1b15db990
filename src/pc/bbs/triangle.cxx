#include "triangle.h"

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

HeptaTriangle::HeptaTriangle(StrictRows &&r, const HeptaBBSOptions &o) : rows(std::move(r)), options(o)
{
}

PetscErrorCode HeptaTriangle::BuildTiles()
{
  Limits limits;
  void  *e;

  PetscFunctionBegin;
  PetscCheck(rows.n() < (PetscInt)row_mask, PETSC_COMM_SELF, PETSC_ERR_SUP, "bbs: %" PetscInt_FMT " rows on an MPI process are more than %d", (PetscInt)rows.n(), (int)row_mask - 1);
  PetscCall(GetLimits(&limits));
  schedule             = hepta::bbs::Schedule(rows, options.engine, options.chunk, limits);
  schedule.plan.blocks = (int)options.blocks;
  PetscCall(entry.Resize(schedule.Entries() * sizeof(Entry)));
  PetscCall(entry.Access(HeptaSpace(), HeptaAccess::write, &e));
  schedule.Write(rows, (Entry *)e);
  PetscCall(ticket.Resize(sizeof(unsigned)));
  built = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Fill(const HeptaSpace &space, const Blocks &B, bool scale)
{
  const Index *source;
  void        *e;
  Triangle     T; /* where it is solved, once here so that no solve waits for it */

  PetscFunctionBegin;
  if (ByRows(space)) {
    value.resize(rows.from.size());
    PetscCallHepta(fill_rows_host(value.size(), rows.from.data(), B, scale, value.data()));
  } else {
    if (!built) PetscCall(BuildTiles());
    PetscCall(from.Get(space, schedule.from, &source));
    PetscCall(entry.Access(space, HeptaAccess::read_write, &e));
    HeptaLaunch(space, fill, schedule.from.size(), source, B, scale, (Entry *)e);
    PetscCall(GetTiles(space, &T));
  }
  filled[ByRows(space)] = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::GetTiles(const HeptaSpace &space, Triangle *T)
{
  void *e;

  PetscFunctionBegin;
  *T = {schedule.n, (Index)schedule.chunk.size(), (Index)schedule.tile.size(), schedule.levels > 1, schedule.threads, nullptr, nullptr, nullptr, nullptr};
  PetscCall(chunk.Get(space, schedule.chunk, &T->chunk));
  PetscCall(tile.Get(space, schedule.tile, &T->tile));
  PetscCall(other.Get(space, schedule.other, &T->other));
  PetscCall(entry.Access(space, HeptaAccess::read, &e));
  T->entry = (const Entry *)e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::SolveTiles(const HeptaSpace &space, const Vectors &v)
{
  Triangle T;
  Plan     plan = schedule.plan;
  void    *t;

  PetscFunctionBegin;
  PetscCall(GetTiles(space, &T));
  PetscCall(ticket.Access(space, HeptaAccess::write, &t));
  plan.ticket = (unsigned *)t;
  HeptaLaunch(space, solve, T, v, schedule.tile.data(), plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Solve(const HeptaSpace &space, const Vectors &v)
{
  PetscFunctionBegin;
  if (ByRows(space)) PetscCallHepta(solve_rows_host({rows.n(), rows.upper, rows.first.data(), rows.col.data(), value.data()}, v));
  else PetscCall(SolveTiles(space, v));
  PetscCall(HeptaLogFlops(space, 2. * (PetscLogDouble)rows.col.size() * v.count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::View(PetscViewer viewer, const char name[]) const
{
  PetscFunctionBegin;
  if (!built) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows, one after the other on the host\n", name, (PetscInt)rows.n()));
  else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows in %" PetscInt_FMT " levels, at most %" PetscInt_FMT " in one; engine %s, %" PetscInt_FMT " chunks of %" PetscInt_FMT " rows, %" PetscInt_FMT " tiles of %d threads\n", name,
                                     (PetscInt)schedule.n, (PetscInt)schedule.levels, (PetscInt)schedule.widest, HeptaBBSEngines[(int)schedule.plan.engine], (PetscInt)schedule.chunk.size(), (PetscInt)schedule.plan.rows,
                                     (PetscInt)schedule.tile.size(), schedule.threads));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

HeptaTriangle::HeptaTriangle(HeptaTriangleSource &&s, const HeptaBBSOptions &o) : source(std::move(s)), options(o)
{
}

PetscErrorCode HeptaTriangle::Fill(const HeptaSpace &space, const Blocks &B, bool scale)
{
  PetscFunctionBegin;
  right = scale;
  if (!space.device) {
    if (rows.first.empty()) PetscCall(source.rows(&rows));
    value.resize(rows.from.size());
    PetscCallHepta(fill_rows_host(value.size(), rows.from.data(), B, scale, value.data()));
  } else if (OnlyTogether(space)) PetscCall(OrderByLevel(space, B));
  else PetscCall(FillTiles(space, B));
  filled[space.device] = true;
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
  return (!space.device ? is_apart(v) : !TakesTurns(space, v)) ? (size_t)v.count : 0;
}

PetscErrorCode HeptaTriangle::Solve(const HeptaSpace &space, const Vectors &v)
{
  PetscFunctionBegin;
  if (!space.device) PetscCallHepta(solve_rows_host({source.n, rows.upper, rows.first.data(), rows.col.data(), value.data()}, v));
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
  } else if (filled[1]) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows in %" PetscInt_FMT " levels; engine together\n", name, (PetscInt)source.n, (PetscInt)source.levels->levels));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows, one after the other on the host\n", name, (PetscInt)source.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

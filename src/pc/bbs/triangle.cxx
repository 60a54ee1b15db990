/* Triangles by rows on the host, and the choice among the forms of a triangle */
#include "triangle.h"

using namespace hepta;
using namespace hepta::bbs;

const char *const HeptaBBSEngines[] = {"auto", "levels", "syncfree", "chunks", "together"};

PetscErrorCode HeptaBBSOptions::SetFromOptions(PetscOptionItems PetscOptionsObject)
{
  PetscInt  kind = (PetscInt)engine;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-mat_bbs_engine", "How the device goes through the levels", "MATSOLVERBBS", HeptaBBSEngines, PETSC_STATIC_ARRAY_LENGTH(HeptaBBSEngines), HeptaBBSEngines[kind], &kind, nullptr));
  PetscCall(PetscOptionsInt("-mat_bbs_chunk", "Rows that a thread block solves (engine chunks)", "MATSOLVERBBS", chunk, &chunk, &set));
  PetscCheck(!set || chunk > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-mat_bbs_chunk %" PetscInt_FMT " must be positive", chunk);
  engine = (Engine)kind;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaTriangleRows::SetStructure(const StrictTriangle &T)
{
  std::vector<Index> begins(1, 0); /* becomes `first` when everything else is complete, since `first` shows that the structure is set */
  Index              entries = 0, at = 0;

  for (Index m = 0; m < T.n; m++) entries += (strict_end(T, m) - strict_begin(T, m)) * T.bs * T.bs;
  begins.reserve((size_t)T.n * T.bs + 1);
  col.resize(entries);
  from.resize(entries);
  for (Index m = 0; m < T.n; m++) {
    const Index begin = strict_begin(T, m), end = strict_end(T, m);
    for (Index r = 0; r < T.bs; r++) {
      for (Index p = begin; p < end; p++) {
        for (Index s = 0; s < T.bs; s++, at++) {
          col[at]  = T.j[p] * T.bs + s;
          from[at] = block_source(T, p, r, s);
        }
      }
      begins.push_back(at);
    }
  }
  first.swap(begins);
}

PetscErrorCode HeptaTriangleRows::Fill(const HeptaTriangleShape &shape, const Blocks &B, bool scale)
{
  const StrictTriangle T = shape.Of(B);

  PetscFunctionBegin;
  if (first.empty() && shape.transposed) {
    const size_t       blocks = shape.entries / ((size_t)B.bs * B.bs);
    std::vector<Index> i(B.n + 1), j(blocks + 1), block(blocks + 1); /* at least one element, so that block.data() is not null and marks a transpose even if the triangle has no entries */
    PetscCallHepta(transpose_host(T, (Index)blocks, i.data(), j.data(), block.data()));
    SetStructure(transposed(T, i.data(), j.data(), block.data()));
  } else if (first.empty()) SetStructure(T);
  value.resize(from.size());
  PetscCallHepta(fill(HostEach(), value.size(), from.data(), B, scale, value.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangleRows::Solve(const HeptaTriangleShape &shape, const Vectors &v) const
{
  PetscFunctionBegin;
  PetscCallHepta(solve_rows_host({shape.n, shape.upper != shape.transposed, first.data(), col.data(), value.data()}, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Fill(const HeptaSpace &space, const Blocks &B, bool scale)
{
  PetscFunctionBegin;
  scaled = scale;
  if (!space.device) PetscCall(rows.Fill(shape, B, scale));
#if defined(HEPTA_HAVE_CUDA)
  else if (!OnlyMultiRHS()) PetscCall(tiles.Fill(space, shape, options, B, scale));
  else {
    const Index *order; /* Solve() needs it */
    PetscCall(shape.levels->Order(space, shape.Of(B), &order));
  }
#endif
  filled[space.device] = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaTriangle::UsesMultiRHS(const HeptaSpace &space, const Vectors &v) const
{
  return space.device && (OnlyMultiRHS() || (tiles.MultiRHSFrom() && v.count >= tiles.MultiRHSFrom()));
}

size_t HeptaTriangle::WorkVectors(const HeptaSpace &space, const Vectors &v) const
{
  if (UsesMultiRHS(space, v)) return 2 * (size_t)packs_of(v) * pack_size;
  return (!space.device ? needs_work(v) : !tiles.HasWork(v)) ? (size_t)v.count : 0;
}

PetscErrorCode HeptaTriangle::Solve(const HeptaSpace &space, const Blocks &B, const Vectors &v)
{
  PetscFunctionBegin;
  if (!space.device) PetscCall(rows.Solve(shape, v));
#if defined(HEPTA_HAVE_CUDA)
  else if (UsesMultiRHS(space, v)) PetscCall(SolveMultiRHS(space, B, v));
  else PetscCall(tiles.Solve(space, shape, v));
#else
  (void)B;
#endif
  PetscCall(HeptaLogFlops(space, 2. * (PetscLogDouble)shape.entries * v.count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::View(PetscViewer viewer, const char name[]) const
{
  PetscFunctionBegin;
  if (tiles.IsBuilt()) PetscCall(tiles.View(shape, viewer, name));
  else if (filled[true]) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows in %" PetscInt_FMT " levels; engine together\n", name, (PetscInt)shape.n, (PetscInt)shape.levels->levels));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows, one after the other on the host\n", name, (PetscInt)shape.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangleTiles::View(const HeptaTriangleShape &shape, PetscViewer viewer, const char name[]) const
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows in %" PetscInt_FMT " levels, at most %" PetscInt_FMT " in one; engine %s, %" PetscInt_FMT " chunks of %" PetscInt_FMT " rows, %" PetscInt_FMT " tiles of %d threads\n", name,
                                   (PetscInt)shape.n, (PetscInt)levels, (PetscInt)widest, HeptaBBSEngines[(int)plan.engine], (PetscInt)chunks, (PetscInt)plan.rows, (PetscInt)tiles, threads));
  if (multi_rhs_from) PetscCall(PetscViewerASCIIPrintf(viewer, "    engine together from %d right-hand sides on\n", multi_rhs_from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Triangles by rows on the host, and the choice among the forms of a triangle */
#include "triangle.h"

#include <algorithm>

using namespace hepta;
using namespace hepta::bbs;

static const char *const EngineNames[] = {"auto", "levels", "syncfree", "chunks", "together"};

PetscErrorCode HeptaBBSOptions::SetFromOptions(PetscOptionItems PetscOptionsObject)
{
  PetscInt  kind = (PetscInt)engine, storage = single;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-mat_bbs_engine", "How the device goes through the levels", "MATSOLVERBBS", EngineNames,
                              PETSC_STATIC_ARRAY_LENGTH(EngineNames), EngineNames[kind], &kind, nullptr));
  PetscCall(
    PetscOptionsInt("-mat_bbs_chunk", "Rows that a thread block solves (engine chunks)", "MATSOLVERBBS", chunk, &chunk, &set));
  PetscCheck(!set || chunk > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-mat_bbs_chunk %" PetscInt_FMT " must be positive",
             chunk);
  PetscCall(PetscOptionsEList("-mat_bbs_storage", "Type of the values of triangular solves", "MATSOLVERBBS", HeptaMatStorages, 2,
                              HeptaMatStorages[storage], &storage, nullptr));
  engine = (Engine)kind;
  single = storage == HEPTA_MAT_STORAGE_SINGLE && sizeof(Scalar) > sizeof(float);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to: on the host an array of values, on the device of entries */
PetscErrorCode HeptaTriangle::FillValues(const HeptaSpace &space, size_t count, const Index *from, const Blocks &B, void *to)
{
  long long *code = nullptr;

  PetscFunctionBegin;
  if (options.single) {
    PetscCall(too_large.Reserve(sizeof(*code)));
    PetscCall(too_large.Zero(space));
    PetscCall(too_large.Access(space, HeptaAccess::read_write, &code));
  }
  const auto fill_as = [&](const auto &each, auto *values) { return fill(each, count, from, B, scale, values, code); };
  PetscCall(with_values(options.single, [&](auto v) {
    using V = decltype(v);
    PetscFunctionBegin;
    HeptaLaunchOn(space, fill_as(DeviceEach{space.stream}, (Entry<V> *)to), fill_as(HostEach(), (V *)to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  if (!options.single) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(too_large.Access(HeptaSpace(), HeptaAccess::read, &code));
  overflow = (PetscInt)first_noted(*code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Fill(const HeptaSpace &space, const Blocks &B)
{
  const StrictTriangle T = {B.n, B.bs, upper, B.i, B.j, B.diag};
  std::vector<Index>   begins(1, 0); /* moved to `first` at the end, since a filled `first` marks complete rows */
  char                *values;

  PetscFunctionBegin;
  made = true;
  if (space.device) {
#if defined(HEPTA_HAVE_CUDA)
    PetscCall(FillTiles(space, B));
#endif
  } else {
    col.resize(entries);
    source.resize(entries);
    PetscCall(value.Make(HeptaSpace(), entries * value_bytes(options.single), &values));
    if (first.empty()) begins.reserve((size_t)n + 1);
    for (Index m = 0; m < B.n && first.empty(); m++) {
      const Index begin = strict_begin(T, m), end = strict_end(T, m);
      for (int r = 0; r < bs; r++) {
        Index at = begins.back();
        for (Index p = begin; p < end; p++) {
          for (int s = 0; s < bs; s++, at++) {
            col[at]    = T.j[p] * bs + s;
            source[at] = (p * bs + s) * bs + r; /* as strict_source() */
          }
        }
        begins.push_back(at);
      }
    }
    if (first.empty()) first.swap(begins);
    PetscCall(FillValues(space, entries, source.data(), B, values));
  }
  filled[space.device] = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaTriangle::UsesMultiRHS(const HeptaSpace &space, const Vectors &v) const
{
  return space.device && (OnlyMultiRHS() || (multi_rhs_from && v.count >= multi_rhs_from));
}

PetscErrorCode HeptaTriangle::SolveRows(const Vectors &v)
{
  void *values;

  PetscFunctionBegin;
  PetscCall(value.Access(HeptaSpace(), HeptaAccess::read, &values));
  PetscCallHepta(with_values(options.single, [&](auto a) {
    using V = decltype(a);
    return solve_rows_host<V>({n, upper, first.data(), col.data(), (const V *)values}, v);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::Solve(const HeptaSpace &space, Blocks B, HeptaValues &work, Vectors v)
{
  const bool   many = UsesMultiRHS(space, v), works = space.device ? !HasWork(v) : needs_work(v);
  const size_t vectors = many ? 2 * (size_t)packs_of(v) * pack_size : works ? (size_t)v.count : 0;

  PetscFunctionBegin;
  if (vectors) {
    PetscCall(work.Reserve((size_t)n * vectors * sizeof(Scalar)));
    PetscCall(work.Access(space, HeptaAccess::write, &v.work));
  }
  if (!space.device) PetscCall(SolveRows(v));
#if defined(HEPTA_HAVE_CUDA)
  else {
    PetscCall(ticket.Reserve(sizeof(unsigned)));
    PetscCall(ticket.Access(space, HeptaAccess::write, &tiled.ticket));
    if (many) PetscCall(Order(space, B, &B.order));
    if (many) HeptaLaunchTimed(solve_multi_rhs_cuda(B, upper, scale, v, tiled.ticket, space.stream));
    else PetscCall(SolveTiles(space, v));
  }
#else
  (void)B;
#endif
  /* as for factors of aij and sbaij: two flops for each entry, and the product with D^-1 */
  const PetscLogDouble scaled = v.scaling == Scaling::none ? 0 : (2. * v.bs - 1) * (PetscLogDouble)n;
  PetscCall(HeptaLogFlops(space, (2. * (PetscLogDouble)entries + scaled) * v.count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTriangle::View(PetscViewer viewer, const char name[])
{
  std::string           how = ", one after the other on the host";
  std::vector<PetscInt> rows((size_t)levels + 1); /* rows of each level; levels count from 1 */
  const Index          *l;

  PetscFunctionBegin;
  if (!made) PetscFunctionReturn(PETSC_SUCCESS);
  if (built) {
    PetscCall(level.Access(HeptaSpace(), HeptaAccess::read, &l));
    for (Index m = 0; m < n / bs; m++) rows[l[m]] += bs;
    how = HeptaFormat(" in %" PetscInt_FMT " levels, at most %" PetscInt_FMT " in one; engine %s, %" PetscInt_FMT
                      " chunks of %" PetscInt_FMT " rows, %" PetscInt_FMT " tiles of %d threads",
                      (PetscInt)levels, *std::max_element(rows.begin(), rows.end()), EngineNames[(int)tiled.engine],
                      (PetscInt)tiled.nchunks, (PetscInt)tiled.rows, (PetscInt)tiled.ntiles, tiled.threads);
  } else if (filled[true]) how = HeptaFormat(" in %" PetscInt_FMT " levels; engine together", (PetscInt)levels);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %" PetscInt_FMT " rows%s\n", name, (PetscInt)n, how.c_str()));
  if (options.single && !OnlyMultiRHS()) PetscCall(PetscViewerASCIIPrintf(viewer, "    values in single precision\n"));
  if (each_of_many > 0) {
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "    estimated at %.4g us by chunks, %.4g by syncfree, %.4g by levels; %.4g for each of many right-hand sides\n",
      times.chunks, times.syncfree, times.levels, each_of_many));
  }
  if (multi_rhs_from)
    PetscCall(PetscViewerASCIIPrintf(viewer, "    engine together from %d right-hand sides on\n", multi_rhs_from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Set-up of multigrid on boxes */
#include "../../shared/each.hxx"
#include "gridmg_cycle.h"

using namespace hepta::gridmg;
using hepta::Index;

/*
   The most rows of the last level's dense inverse: a product with the inverse is as cheap as a pass of a small level, and making
   the inverse takes a negligible part of a set-up
*/
constexpr size_t LAST_CELLS = 256;
/* the largest level, in cells, that each MPI process gathers for want of planes, at about 40 bytes a cell */
constexpr PetscInt GATHERED     = 1 << 22;
constexpr PetscInt SAMPLED_ROWS = 65536; /* the number of rows whose couplings determine which axes are coarsened */
constexpr size_t   LINE_UNIT    = 4;     /* lines are padded to a multiple of this number of cells */
constexpr size_t   ROOM_UNIT    = 32;    /* the room before the first line is a multiple of this number of cells */

static size_t RoundUp(size_t n, size_t unit)
{
  return (n + unit - 1) / unit * unit;
}

/*
   Finds the main diagonal and the diagonals of couplings along the axes; a missing main diagonal or any further diagonal gives a
   reason against the cycle
*/
static HeptaGridMGReason FindDiagonals(const hepta::bdia::Diagonals &A, int axes, const Index n[3], Diagonals *d)
{
  const Index step[3] = {1, n[0], n[0] * n[1]};

  d->main     = A.Find(0);
  int counted = d->main >= 0;
  for (int a = 0; a < 3; a++) {
    d->upper[a] = a < axes ? A.Find(step[a]) : -1;
    d->lower[a] = a < axes ? (A.half ? d->upper[a] : A.Find(-step[a])) : -1;
    counted += (d->upper[a] >= 0) + (!A.half && d->lower[a] >= 0);
  }
  return d->main < 0 ? HEPTA_GRIDMG_NO_DIAGONAL : counted < (int)A.off.size() ? HEPTA_GRIDMG_COUPLES : HEPTA_GRIDMG_FITS;
}

/* Checks that need no conversion to block diagonals: finds the grid, or *why <- why the cycle cannot be used */
PetscErrorCode HeptaGridMG::FindGrid(PC pc, const PetscInt grid_given[3], std::string *why)
{
  const Mat P = pc->pmat;

  PetscFunctionBegin;
  PetscCall(HeptaGridOf(P, pc->dm, grid_given, "-pc_gridmg_grid", &grid));
  ranks.several = P->rmap->size > 1;
  if (HeptaBlockSize(P->rmap) > 1) *why = HeptaFormat("the block size is %" PetscInt_FMT, HeptaBlockSize(P->rmap));
  else if (!grid.dim || !P->rmap->N) *why = "no grid is known (-pc_gridmg_grid, a DMDA, or -mat_bdia_grid)";
  else if (ranks.several) PetscCall(FitPlanes(P, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does the structure allow the cycle? Sets axes, diagonals and levels, or *why */
PetscErrorCode HeptaGridMG::Fit(bool same, std::string *why)
{
  static const char *const reasons[] = {"", "the matrix couples cells that are not next to each other along an axis of the grid",
                                        "the matrix has no main diagonal"};
  Index                    m[3]      = {1, 1, 1};

  PetscFunctionBegin;
  if (op.ByRows()) *why = "the matrix does not fit block diagonals";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  int D = 0;
  for (int x = 0; x < 3; x++) {
    if (grid.n[x] > 1) m[D++] = (Index)grid.n[x];
  }
  D = PetscMax(D, 1);
  /* the following is collective if the levels are new */
  if (ranks.several) PetscCall(HeptaAgreeOnAll(PetscObjectComm((PetscObject)op.A), &same));
  if (!same || D != axes || !std::equal(m, m + 3, n)) PetscCall(Forget());
  axes = D;
  std::copy(m, m + 3, n);
  PetscMPIInt reason = FindDiagonals(*MatBDIADiagonals(op.A), axes, n, &diagonals);
  if (ranks.several && levels.empty()) PetscCall(FitBorder(&reason));
  *why = ranks.several && !levels.empty() ? "" : reasons[reason];
  if (!why->empty() || !levels.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscErrorCode code = Nest(why);
  if (code || !why->empty()) PetscCall(Forget()); /* the levels are incomplete and must not be used by the next set-up */
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean strength of the couplings along each axis, from rows sampled over the whole grid; the host waits for the strengths */
PetscErrorCode HeptaGridMG::Strengths(const HeptaSpace &space, double strength[3])
{
  HeptaValues sums;
  double     *p;
  const Index step = (Index)(op.A->rmap->N / SAMPLED_ROWS) | 1; /* odd, to sample all positions along lines */

  PetscFunctionBegin;
  PetscCall(sums.Make(space, 3, &p));
  PetscCall(HeptaVisitLaunch(*MatBDIADiagonals(op.A), space, HeptaAccess::read, strengths, diagonals, step, p));
  PetscCall(sums.Access(HeptaSpace(), HeptaAccess::read, &p));
  std::copy(p, p + 3, strength);
  if (ranks.several) PetscCall(AddBorder(step, strength));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Chooses the boxes of a level, with one cell along axes with weak couplings: smoothing leaves errors rough along a weak axis,
   which a larger box could not represent. strength <- the strength on the next level, whose couplings are sums over the faces of
   boxes.
*/
void HeptaGridMG::ChooseBoxes(size_t l, double strength[3])
{
  HeptaGridMGLevel &c       = levels[l];
  Grid             &g       = c.grid;
  double            largest = 0, faces = 1;

  for (int a = 0; a < axes; a++) largest = g.n[a] > 1 ? PetscMax(largest, strength[a]) : largest;
  for (int a = 0; a < 3; a++) {
    c.strength[a] = strength[a] / largest;
    c.weak[a]     = g.n[a] > 1 && strength[a] < choice.strong * largest; /* NaN is not weak: Check() finds it later */
    g.box[a]      = g.n[a] > 1 && !c.weak[a] ? (Index)choice.Size(l) : 1;
    faces *= g.box[a];
  }
  for (int a = 0; a < 3; a++) strength[a] *= faces / g.box[a];
}

/* Makes room for the arrays of all levels and of the last level's inverse */
PetscErrorCode HeptaGridMG::Allocate()
{
  size_t size = 0;

  PetscFunctionBegin;
  for (HeptaGridMGLevel &c : levels) {
    Grid        &g    = c.grid;
    const size_t line = RoundUp(g.n[0], LINE_UNIT), plane = line * g.n[1];

    c.cells  = (size_t)g.n[0] * g.n[1] * g.n[2];
    c.before = RoundUp((size_t)Ghosts(&c - levels.data()) * (axes == 3 ? plane : axes == 2 ? line : 1), ROOM_UNIT);
    c.size   = RoundUp(2 * c.before + plane * g.n[2], ROOM_UNIT);
    c.at     = size / ValueSize();
    size += CellSize(&c - levels.data()) * c.size;
    g.stride[0] = 1;
    g.stride[1] = (Index)line;
    g.stride[2] = (Index)plane;
    size_t most = c.size; /* the maximum over all MPI processes, so that every process raises the error */
    for (size_t r = 0; g.slab && r + 1 < c.first.size(); r++)
      most = PetscMax(most, 2 * c.before + (size_t)(c.first[r + 1] - c.first[r]) * g.stride[axes - 1] + ROOM_UNIT);
    PetscCheck(most < (size_t)PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The grid of %zu cells is too large for PetscInt of %d bits: configure PETSC with --with-64-bit-indices", c.cells,
               (int)(8 * sizeof(PetscInt)));
  }
  const size_t last = levels.back().cells;
  PetscCheck(last <= 4096, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "With -pc_gridmg_levels %" PetscInt_FMT
             " the last level has %zu cells, which are too many for a dense inverse: take more levels",
             choice.levels, last);
  PetscCall(arrays.Resize(size));
  PetscCall(inverse.Resize(last * last * sizeof(double)));
  for (HeptaValues &e : elimination) PetscCall(e.Resize(LastRows() * LastRows() * sizeof(double)));
  PetscCall(scales.Resize(sizeof(Scales)));
  PetscCall(found.Resize(sizeof(Found)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the levels, and room for all their arrays; *why is set if a large level would have to be gathered */
PetscErrorCode HeptaGridMG::Nest(std::string *why)
{
  double           strength[3];
  HeptaGridMGLevel next{};
  HeptaSpace       space;
  const PetscInt  *range;

  PetscFunctionBegin;
  PetscCall(HeptaOperatorSpaceOfAll(op.A, &space));
  /* on devices computing with few cells takes less time than exchanges do */
  if (!choice.gather_given) choice.gather = space.device ? 131072 : 16384;
  PetscCall(Strengths(space, strength));
  std::copy(n, n + 3, next.grid.n);
  PetscCall(PetscLayoutGetRanges(op.A->rmap, &range));
  for (PetscMPIInt r = 0; r <= op.A->rmap->size && ranks.several; r++)
    next.first.push_back(range[r] / (op.A->rmap->N / n[axes - 1]));
  for (bool last = false; !last;) {
    const size_t l = levels.size();
    levels.push_back(next);
    Grid        &g     = levels[l].grid;
    const size_t cells = (size_t)g.n[0] * g.n[1] * g.n[2];
    last               = cells == 1 || (choice.levels ? (size_t)choice.levels == l + 1 : cells <= LAST_CELLS);
    ChooseBoxes(l, strength);
    for (int a = 0; a < 3; a++) next.grid.n[a] = PetscMax(g.n[a] / g.box[a], 1);
    next.first.clear();
    if (!levels[l].first.empty()) Slab(l, last, &next);
    if (ranks.few && (PetscInt)cells > PetscMax(choice.gather, GATHERED)) {
      *why = HeptaFormat("each MPI process would have to gather level %d of %zu cells, because one has %" PetscInt_FMT
                         " planes of it, and %" PetscInt_FMT " are needed",
                         (int)l, cells, (PetscInt)ranks.few, (PetscInt)LeastPlanes(g));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(Allocate());
  if (ranks.several) PetscCall(Connect());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* inverse <- the inverse of the last level's matrix */
template <class T, class U> PetscErrorCode HeptaGridMG::Invert(const HeptaSpace &space, T *values, Found *found)
{
  const Level<T, U> L = InSetUp(Typed<T, U>(space, levels.size() - 1, values));
  const size_t      N = LastRows(), n = levels.back().cells;
  double           *e[2], *b;

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) PetscCall(elimination[k].Access(space, HeptaAccess::write, &e[k]));
  PetscCall(inverse.Access(space, HeptaAccess::write, &b));
  HeptaLaunch(space, find_null, axes, L, N, e[1]);
  HeptaLaunchEach(space, fill_dense, axes, L, N, e[1], e[0]);
  for (size_t first = 0; first < N; first += DENSE_TILE) {
    HeptaLaunch(space, eliminate, N, first, e[0], e[1], found);
    std::swap(e[0], e[1]);
  }
  HeptaLaunchEach(space, take_inverse, L, n, N, e[0], b, found);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Builds all levels from the values of A */
template <class T, class U> PetscErrorCode HeptaGridMG::Build(const HeptaSpace &space)
{
  T     *values;
  Found *f;

  PetscFunctionBegin;
  PetscCall(arrays.Access(space, HeptaAccess::read_write, &values));
  PetscCall(scales.Zero(space));
  PetscCall(found.Zero(space));
  PetscCall(found.Access(space, HeptaAccess::read_write, &f));
  PetscCall((BuildFine<T, U>(space, values, f)));
  for (size_t l = 1; l < levels.size(); l++) {
    const Level<T, U> fine = InSetUp(Typed<T, U>(space, l - 1, values)), coarse = InSetUp(Own<T, U>(space, l, values));
    HeptaLaunchEach(space, build_coarse, axes, fine, coarse, f);
    PetscCall((Share<T, U>(space, l, values)));
  }
  PetscCall((Invert<T, U>(space, values, f)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::SetUp(PC pc, const PetscInt grid_given[3], std::string *why)
{
  HeptaSpace space;
  bool       same, range;

  PetscFunctionBegin;
  why->clear();
  PetscCall(HeptaCheckSquare(pc, pc->pmat));
  PetscCall(FindGrid(pc, grid_given, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(op.Update(pc, HeptaForm::diagonals, HeptaForm::aij, &same));
  PetscCall(Fit(same, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaOperatorSpaceOfAll(op.A, &space));
  if (choice.bf16) PetscCall((Build<float, Bf16>(space)));
  else PetscCall(choice.storage == HEPTA_MAT_STORAGE_SINGLE ? Build<float>(space) : Build<double>(space));
  PetscCall(Check(why, &range));
  built_of = ((PetscObject)pc->pmat)->id;
  PetscCall(PetscObjectStateGet((PetscObject)pc->pmat, &built));
  if (range && choice.storage == HEPTA_MAT_STORAGE_SINGLE && !choice.storage_given) {
    if (!choice.bf16) choice.storage = HEPTA_MAT_STORAGE_DOUBLE;
    choice.bf16 = false;
    PetscCall(Forget());
    PetscCall(SetUp(pc, grid_given, why));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::Forget()
{
  PetscFunctionBegin;
  levels.clear();
  ranks.halo.reset();
  for (HeptaHalo *h : {&ranks.planes, &ranks.border, &ranks.number}) PetscCall(h->Reset());
  PetscCall(ranks.entries.Free());
  PetscCall(matrix.Free());
  has_matrix     = false;
  ranks.gathered = 0;
  ranks.few      = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::Reset()
{
  PetscFunctionBegin;
  PetscCall(op.Reset());
  PetscCall(Forget());
  wants_matrix = false;
  for (HeptaValues *v : {&arrays, &inverse, &elimination[0], &elimination[1], &exchanged, &scales, &found}) PetscCall(v->Free());
  PetscFunctionReturn(PETSC_SUCCESS);
}

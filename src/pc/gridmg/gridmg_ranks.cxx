/*
   Multigrid on boxes on several MPI processes. Each process has whole planes of the grid's last axis. The first levels are slabs
   of planes, with boxes of the process's own cells. The planes of an array below and above a slab belong to the neighbors; Halo()
   receives planes of right-hand sides and of the matrix, HaloOfSolution() those of the solution that the level before is
   corrected with. The first small level is gathered: each process has a copy of this level and of all following levels, and
   repeats the computations.
*/
#include <algorithm>
#include <numeric>

#include "gridmg_cycle.h"

using namespace hepta::gridmg;
using hepta::Index;

PetscErrorCode HeptaGridMG::FitPlanes(Mat P, std::string *why)
{
  const MPI_Comm  comm  = PetscObjectComm((PetscObject)P);
  bool            whole = true;
  int             axis  = 2;
  PetscMPIInt     first;
  const PetscInt *range;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &ranks.rank));
  PetscCall(PetscLayoutGetRanges(P->rmap, &range));
  while (axis && grid.n[axis] == 1) axis--;
  const PetscInt plane = P->rmap->N / grid.n[axis], begin = range[ranks.rank], end = range[ranks.rank + 1];
  for (int x = 0; x < axis && grid.box; x++) whole = whole && grid.size[x] == grid.n[x];
  first = begin == end || (whole && begin % plane == 0 && end % plane == 0) ? P->rmap->size : ranks.rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first < P->rmap->size) {
    *why = HeptaFormat("rows %" PetscInt_FMT " to %" PetscInt_FMT " of MPI process %d are not whole planes of %" PetscInt_FMT
                       " cells (MatSetSizes(), or a DMDA with one process along each axis but the last)",
                       range[first], range[first + 1] - 1, (int)first, plane);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::FitBorder(PetscMPIInt *reason)
{
  const hepta::blocked::Ghost &g       = MatBlocked(op.A)->ghost;
  const PetscInt               steps[] = {1, n[0], n[0] * n[1]}, first = op.A->rmap->rstart;

  PetscFunctionBegin;
  if (!op.A->rmap->n) *reason = 0; /* without rows no diagonals are expected */
  ranks.columns.Invalidate();
  for (size_t q = 0; q < g.line.size(); q++) {
    const PetscInt o = PetscAbsInt(g.garray[g.col[q]] - first - g.line[q]);
    if (std::find(steps, steps + axes, o) == steps + axes) *reason = PetscMax(*reason, HEPTA_GRIDMG_COUPLES);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, reason, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)op.A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::AddBorder(Index step, double strength[3])
{
  const PetscMPIInt      size = op.A->rmap->size;
  hepta::blocked::Ghost &g    = MatBlocked(op.A)->ghost;

  PetscFunctionBegin;
  PetscCall(g.Look());
  for (size_t q = 0; q < g.line.size(); q++) {
    const PetscInt i = g.line[q], above = g.garray[g.col[q]] - op.A->rmap->rstart - i;
    if (i % step == 0 && above == op.A->rmap->N / n[axes - 1])
      strength[axes - 1] += PetscAbsScalar(g.Value(g.Slot((PetscInt)q, 0, 0)));
  }
  std::vector<double> all(3 * (size_t)size);
  PetscCallMPI(MPI_Allgather(strength, 3, MPI_DOUBLE, all.data(), 3, MPI_DOUBLE, PetscObjectComm((PetscObject)op.A)));
  for (int a = 0; a < 3; a++) {
    strength[a] = 0;
    /* one order of summation on all processes, since decisions depend on the sums */
    for (PetscMPIInt r = 0; r < size; r++) strength[a] += all[3 * (size_t)r + a];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HeptaGridMG::Slab(size_t l, bool last, HeptaGridMGLevel *next)
{
  const std::vector<Index> &first = levels[l].first;
  Grid                     &g     = levels[l].grid;
  Index                    &all = g.n[axes - 1], least = all;
  const Index               box = g.box[axes - 1];

  next->first.assign(1, 0);
  for (size_t r = 0; r + 1 < first.size(); r++) {
    const Index planes = first[r + 1] - first[r];
    if (planes) least = PetscMin(least, planes);
    next->first.push_back(next->first.back() + (planes ? PetscMax(planes / box, 1) : 0));
  }
  /* a box with fewer cells than a side has would be overcorrected */
  if (last || (PetscInt64)all * PlaneCells(g) <= choice.gather || least < LeastPlanes(g)) {
    ranks.gathered = l;
    ranks.few      = last || (PetscInt64)all * PlaneCells(g) <= choice.gather ? 0 : least;
    next->first.clear();
    return;
  }
  next->grid.n[axes - 1] = next->first.back();
  g.first                = first[ranks.rank] * PlaneCells(g);
  g.odd                  = first[ranks.rank] & 1;
  g.slab                 = true;
  all                    = first[ranks.rank + 1] - first[ranks.rank];
}

/* The next MPI process with planes below or above; without such a process -1 or the number of processes */
static PetscMPIInt Neighbor(const std::vector<Index> &first, PetscMPIInt rank, int side)
{
  const PetscMPIInt size = (PetscMPIInt)first.size() - 1;

  for (rank += side; rank >= 0 && rank < size && first[rank] == first[rank + 1];) rank += side;
  return rank;
}

/* n numbers of this process's array from `to` on, to be received from another process's array from `from` on */
struct Piece {
  PetscMPIInt root;
  size_t      from, to, n;
};

/*
   Sets up the exchange of the pieces of arrays of `size` numbers, in blocks of bs. Lengths and beginnings of pieces are multiples
   of bs; bs is equal on all processes.
*/
static PetscErrorCode ConnectPieces(MPI_Comm comm, size_t bs, size_t size, const std::vector<Piece> &pieces, HeptaHalo *halo)
{
  std::vector<PetscInt>    leaf;
  std::vector<PetscSFNode> root;

  PetscFunctionBegin;
  for (const Piece &p : pieces) {
    for (size_t k = 0; k < p.n; k += bs) {
      leaf.push_back((PetscInt)((p.to + k) / bs));
      root.push_back({p.root, (PetscInt)((p.from + k) / bs)});
    }
  }
  PetscCall(halo->SetUpGraph(comm, (PetscInt)bs, (PetscInt)(size / bs), leaf, root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *halo: brings n planes of an array of level l from the neighbors below and above */
PetscErrorCode HeptaGridMG::ConnectPlanes(size_t l, const PetscMPIInt neighbors[2], Index n, HeptaHalo *halo)
{
  const HeptaGridMGLevel &c     = levels[l];
  const size_t            plane = (size_t)c.grid.stride[axes - 1], received = (size_t)n * plane;
  const auto              end = [&](PetscMPIInt r) { return c.before + (size_t)(c.first[r + 1] - c.first[r]) * plane; };
  std::vector<Piece>      pieces;

  PetscFunctionBegin;
  if (ranks.below) pieces.push_back({neighbors[0], end(neighbors[0]) - received, c.before - received, received});
  if (ranks.above) pieces.push_back({neighbors[1], c.before, end(ranks.rank), received});
  /* the largest possible blocks, for short lists */
  PetscCall(ConnectPieces(PetscObjectComm((PetscObject)op.A), std::gcd(c.before, plane), c.size, pieces, halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::Connect()
{
  const MPI_Comm            comm         = PetscObjectComm((PetscObject)op.A);
  const std::vector<Index> &first        = levels[0].first;
  const bool                has          = first[ranks.rank] < first[ranks.rank + 1];
  const PetscMPIInt         neighbors[2] = {Neighbor(first, ranks.rank, -1), Neighbor(first, ranks.rank, 1)};
  const size_t              face         = (size_t)PlaneCells(levels[0].grid);
  std::vector<Piece>        pieces;

  PetscFunctionBegin;
  ranks.below = has && neighbors[0] >= 0;
  ranks.above = has && neighbors[1] + 1 < (PetscMPIInt)first.size();
  ranks.halo.reset(new HeptaGridMGHalos[ranks.gathered]);
  for (size_t l = 0; l < ranks.gathered; l++) {
    HeptaGridMGLevel &c      = levels[l];
    const Index       box    = c.grid.box[axes - 1];
    const auto        planes = [&](PetscMPIInt r) { return c.first[r + 1] - c.first[r]; };
    if (ranks.below) c.grid.last_below = box + planes(neighbors[0]) % box;
    if (ranks.above) c.grid.boxes_above = PetscMax(planes(neighbors[1]) / box, 1);
    PetscCall(ConnectPlanes(l, neighbors, Ghosts(l), &ranks.halo[l].s));
    PetscCall(ConnectPlanes(l, neighbors, GhostsOfSolution(l), &ranks.halo[l].z));
  }
  const HeptaGridMGLevel &c = levels[ranks.gathered];
  PetscCall(ranks.planes.SetUpGather(comm, c.first[ranks.rank + 1] - c.first[ranks.rank], c.grid.stride[axes - 1]));
  PetscCall(ranks.number.SetUpGather(comm, 1, 1));
  PetscCall(ranks.numbers.Resize((first.size() - 1) * sizeof(double)));
  PetscCall(ranks.entries.Resize(3 * face * sizeof(double)));
  if (ranks.above) pieces.push_back({neighbors[1], 0, 2 * face, face});
  PetscCall(ConnectPieces(comm, face, 3 * face, pieces, &ranks.border));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An exchange of the couplings along axis a, in numbers of T */
template <class T, class U> PetscErrorCode HeptaGridMG::ShareCouplings(const HeptaSpace &space, size_t l, int a, T *values)
{
  const Level<T, U>       all = Typed<T, U>(space, l, values), own = Own<T, U>(space, l, values);
  const HeptaGridMGLevel &c      = levels[l];
  const bool              gather = l == ranks.gathered;
  T                      *wide;

  PetscFunctionBegin;
  if constexpr (std::is_same_v<T, U>) wide = all.a[a];
  else {
    PetscCall(exchanged.Make(space, c.size, &wide));
    wide += c.before;
    HeptaLaunchEach(space, copy_numbers, c.size, all.a[a] - c.before, wide - c.before);
  }
  if (gather) {
    if constexpr (std::is_same_v<T, U>)
      PetscCall(HeptaCopy(space, own.t, own.a[a], (size_t)own.g.n[axes - 1] * own.g.stride[axes - 1] * sizeof(T)));
    else HeptaLaunchEach(space, copy_numbers, (size_t)own.g.n[axes - 1] * own.g.stride[axes - 1], own.a[a], own.t);
    PetscCall(Gather(space, l, own.t, wide));
  } else PetscCall(Halo(space, l, wide));
  if constexpr (!std::is_same_v<T, U>) HeptaLaunchEach(space, copy_numbers, c.size, wide - c.before, all.a[a] - c.before);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T, class U> PetscErrorCode HeptaGridMG::Share(const HeptaSpace &space, size_t l, T *values)
{
  const Level<T, U> all = InSetUp(Typed<T, U>(space, l, values)), own = InSetUp(Own<T, U>(space, l, values));
  const size_t      bytes = (size_t)own.g.n[axes - 1] * own.g.stride[axes - 1] * sizeof(T);

  PetscFunctionBegin;
  /* one exchange after the other: mailboxes have room for as many arrays as are exchanged at once */
  if (l < ranks.gathered) {
    PetscCall(Halo(space, l, all.e));
    PetscCall((ShareCouplings<T, U>(space, l, axes - 1, values)));
    for (int a = 0; a + 1 < axes; a++) PetscCall((ShareCouplings<T, U>(space, l, a, values)));
  }
  if (!ranks.several || l != ranks.gathered) PetscFunctionReturn(PETSC_SUCCESS);
  for (auto [from, to] : {std::pair{own.e, all.e}, {own.row_sum, all.row_sum}, {own.z, all.z}}) {
    PetscCall(HeptaCopy(space, own.t, from, bytes));
    PetscCall(Gather(space, l, own.t, to));
  }
  for (int a = 0; a < axes; a++) PetscCall((ShareCouplings<T, U>(space, l, a, values)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::ReadBorder(const HeptaSpace &space, const Grid &g, Found *f, const double **border)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)op.A);
  const Index   *columns;
  double        *p, scale = 0;
  Scales        *s;
  PetscMPIInt    root = 0; /* the process that has the first row */

  PetscFunctionBegin;
  while (!levels[0].first[root + 1]) root++;
  PetscCall(ranks.columns.Get(space, MatBlocked(op.A)->ghost.garray, &columns));
  PetscCall(ranks.entries.Zero(space));
  PetscCall(ranks.entries.Access(space, HeptaAccess::read_write, &p));
  PetscCall(HeptaVisitLaunchEach(MatBlocked(op.A)->ghost, space, HeptaAccess::read, read_border, axes, g, columns, p, f));
  PetscCall(ranks.border.Bring({space, p, p}));
  if (root == ranks.rank) {
    PetscCall(HeptaVisit(*MatBDIADiagonals(op.A), space, HeptaAccess::read, [&](auto A) {
      std::decay_t<decltype(*A.v)> first;
      HeptaLaunchEach(space, hepta::fetch, A.v + (size_t)diagonals.main * A.ld, &first);
      scale = first;
      return PETSC_SUCCESS;
    }));
  }
  PetscCallMPI(MPI_Bcast(&scale, 1, MPI_DOUBLE, root, comm));
  PetscCall(scales.Access(HeptaSpace(), HeptaAccess::read_write, &s));
  s->diagonal = scale;
  *border     = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaGridMG::LargestOfAll(const HeptaSpace &space, unsigned long long *largest)
{
  const int           size = (int)levels[0].first.size() - 1;
  unsigned long long *all;

  PetscFunctionBegin;
  /* without rows no kernel was launched, and the value is old */
  if (!op.A->rmap->n) PetscCall(HeptaZero(space, largest, sizeof(*largest)));
  PetscCall(ranks.numbers.Access(space, HeptaAccess::write, &all));
  PetscCall(ranks.number.Bring({space, largest, all}));
#if defined(HEPTA_HAVE_CUDA)
  if (space.device) PetscCallHepta(hepta::transport::largest_cuda(size, all, largest, space.stop, space.stream));
#endif
  if (!space.device) *largest = *std::max_element(all, all + size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template PetscErrorCode HeptaGridMG::Share<float, float>(const HeptaSpace &, size_t, float *);
template PetscErrorCode HeptaGridMG::Share<float, Bf16>(const HeptaSpace &, size_t, float *);
template PetscErrorCode HeptaGridMG::Share<double, double>(const HeptaSpace &, size_t, double *);

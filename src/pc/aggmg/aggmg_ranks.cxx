/* The first level on several MPI processes, and the gathered second level: see HeptaAggMGRanks */
#include <algorithm>
#include <numeric>

#include "aggmg.h"

using namespace hepta::aggmg;

PetscErrorCode HeptaAggMGRanks::Reset()
{
  PetscFunctionBegin;
  for (HeptaHalo *h : {&nodes, &node, &tentative, &P, &AP, &right, &matrix, &number}) PetscCall(h->Reset());
  PetscCall(numbers.Free());
  for (HeptaValues *v : {&coarse.first, &coarse.col, &coarse.row, &coarse.val}) PetscCall(v->Free());
  root.clear();
  several = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the ghost part's entries to each row: columns after the own columns, marked slots */
PetscErrorCode HeptaAggMG::ListGhosts(const HeptaSpace &space, hepta::blocked::EntryList *list)
{
  const hepta::blocked::Ghost &G  = MatBlocked(op.A)->ghost;
  const int                    bs = (int)op.A->rmap->bs;
  std::vector<PetscInt>        border(G.row.size());
  std::vector<Index>           of[4] = {{}, {0}, {}, {}};
  hepta::blocked::EntryList    all;
  hepta::blocked::EntryArrays  own;
  HeptaValues                  tables[4];
  GhostRows                    g    = {};
  const Index                **to[] = {&g.row, &g.first, &g.col, &g.block};
  size_t                      *first, *slot;
  Index                       *column;

  PetscFunctionBegin;
  if (border.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  g.rows = (Index)border.size();
  g.ld   = G.ld;
  std::iota(border.begin(), border.end(), 0);
  std::sort(border.begin(), border.end(), [&](PetscInt a, PetscInt b) { return G.row[(size_t)a] < G.row[(size_t)b]; });
  for (PetscInt b : border) {
    for (PetscInt k = 0; k < G.Length(b); k++) {
      of[2].push_back(G.col[(size_t)G.Block(k, b)]);
      of[3].push_back((Index)G.Block(k, b));
    }
    of[0].push_back(G.row[(size_t)b]);
    of[1].push_back((Index)of[2].size());
  }
  for (int t = 0; t < 4; t++) {
    Index *p;
    PetscCall(tables[t].Take(of[t]));
    PetscCall(tables[t].Access(space, HeptaAccess::read, &p));
    *to[t] = p;
  }
  PetscCall(MatBlocked(op.A)->local->GetEntries(space, *list, &own));
  all.n = list->n + of[2].size() * (size_t)(bs * bs);
  PetscCall(all.first.Make(space, (size_t)op.A->rmap->n + 1, &first));
  PetscCall(all.column.Make(space, all.n, &column));
  PetscCall(all.slot.Make(space, all.n, &slot));
  HeptaLaunchEach(space, append_ghosts, (Index)op.A->rmap->n, bs, own.first, own.column, own.slot, g, first, column, slot);
  list->n = all.n;
  list->first.Swap(all.first);
  list->column.Swap(all.column);
  list->slot.Swap(all.slot);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An exchange of blocks of bs numbers: leaf k is root[k] of another process; the leaves are at `at`, in the array of the `roots` own blocks or in another array */
static PetscErrorCode Connect(MPI_Comm comm, PetscInt bs, size_t roots, size_t at, std::vector<PetscSFNode> &root, HeptaHalo *halo)
{
  std::vector<PetscInt> leaf(root.size());

  PetscFunctionBegin;
  std::iota(leaf.begin(), leaf.end(), (PetscInt)at);
  PetscCall(halo->SetUpGraph(comm, bs, (PetscInt)(at ? at + root.size() : roots), leaf, root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::ConnectNodes()
{
  const MPI_Comm comm  = PetscObjectComm((PetscObject)op.A);
  const PetscInt bs    = op.A->rmap->bs;
  const size_t   nodes = (size_t)(op.A->rmap->n / bs);

  PetscFunctionBegin;
  PetscCall(ranks.Reset());
  PetscCallMPI(MPI_Comm_size(comm, &ranks.size));
  PetscCallMPI(MPI_Comm_rank(comm, &ranks.rank));
  ranks.several = ranks.size > 1;
  ranks.ghosts  = 0;
  if (!ranks.several) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt node : MatBlocked(op.A)->ghost.garray) {
    PetscMPIInt owner;
    PetscInt    local;
    PetscCall(PetscLayoutFindOwnerIndex(op.A->rmap, node * bs, &owner, &local));
    ranks.root.push_back({owner, local / bs});
  }
  ranks.ghosts = (Index)ranks.root.size();
  PetscCall(Connect(comm, bs, nodes, nodes, ranks.root, &ranks.nodes));
  PetscCall(Connect(comm, 1, nodes, 0, ranks.root, &ranks.node));
  PetscCall(ranks.number.SetUpGather(comm, 1, 1));
  PetscCall(ranks.numbers.Resize((size_t)ranks.size * sizeof(long long)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *count <- the number of aggregates of all processes, from the number of own aggregates; *coarser becomes equal on all processes
*/
PetscErrorCode HeptaAggMG::NumberAggregates(Index *count, bool *coarser)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)op.A);
  PetscInt       end, own = *count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&own, &end, 1, MPIU_INT, MPI_SUM, comm));
  ranks.own   = *count;
  ranks.start = (Index)(end - own);
  PetscCallMPI(MPIU_Allreduce(&own, &end, 1, MPIU_INT, MPI_SUM, comm));
  *count   = (Index)end;
  *coarser = end > 0 && (PetscInt64)end * k < (PetscInt64)op.A->rmap->N;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* null <- the near null vectors of all aggregates, from those of each process; count: aggregates of all processes */
PetscErrorCode HeptaAggMG::GatherNull(const HeptaSpace &space, Index count, HeptaValues &null)
{
  HeptaHalo   gather;
  HeptaValues whole;
  double     *own, *all;

  PetscFunctionBegin;
  PetscCall(gather.SetUpGather(PetscObjectComm((PetscObject)op.A), ranks.own, k * k));
  PetscCall(null.Access(space, HeptaAccess::read, &own));
  PetscCall(whole.Make(space, (size_t)count * (size_t)(k * k), &all));
  PetscCall(gather.Bring({space, own, all}));
  null.Swap(whole);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* roots <- where the tiles of the ghost nodes' rows are; ends: where each of these rows ends in roots */
PetscErrorCode HeptaAggMG::FindGhostRows(const HeptaSpace &space, Index *first, std::vector<PetscSFNode> &roots, std::vector<Index> &ends)
{
  HeptaValues        bounds;
  std::vector<Index> bound[2]; /* the beginning and the end of each row */

  PetscFunctionBegin;
  for (int side = 0; side < 2; side++) {
    Index *b;
    PetscCall(bounds.Make(space, ranks.root.size(), &b));
    PetscCall(ranks.node.Bring({space, first + side, b, sizeof(Index)}));
    PetscCall(bounds.Give(ranks.root.size(), bound[side]));
  }
  for (size_t g = 0; g < ranks.root.size(); g++) {
    for (Index e = bound[0][g]; e < bound[1][g]; e++) roots.push_back({ranks.root[g].rank, e});
    ends.push_back((Index)roots.size());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the rows of the ghost nodes to the pattern, after the rows of own nodes; halo: the exchange of the ghost rows' values */
PetscErrorCode HeptaAggMG::ExtendRows(const HeptaSpace &space, HeptaTiles &P, HeptaHalo *halo)
{
  const MPI_Comm           comm = PetscObjectComm((PetscObject)op.A);
  std::vector<PetscSFNode> roots;
  std::vector<Index>       ends;
  const bool               one = P.br * P.bc == 1;
  HeptaTiles               all;
  HeptaValues              table;
  HeptaHalo                columns;
  Pattern                  p;
  Index                   *end, *first, *col, *row;

  PetscFunctionBegin;
  PetscCall(P.View(space, &p));
  PetscCall(P.first.Access(space, HeptaAccess::read, &first));
  PetscCall(FindGhostRows(space, first, roots, ends));
  all.tiles = P.tiles + roots.size();
  PetscCall(table.Take(ends));
  PetscCall(table.Access(space, HeptaAccess::read, &end));
  PetscCall(all.first.Make(space, (size_t)levels[0]->A.columns + 1, &first));
  PetscCall(all.col.Make(space, all.tiles, &col));
  PetscCall(all.row.Make(space, all.tiles, &row));
  HeptaLaunchEach(space, extend_rows, p, P.tiles, ranks.ghosts, (const Index *)end, first, col, row);
  PetscCall(Connect(comm, P.br * P.bc, P.tiles, P.tiles, roots, halo));
  if (!one) PetscCall(Connect(comm, 1, P.tiles, P.tiles, roots, &columns));
  PetscCall((one ? *halo : columns).Bring({space, col, col, sizeof(Index)}));
  P.tiles = all.tiles;
  P.first.Swap(all.first);
  P.col.Swap(all.col);
  P.row.Swap(all.row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C <- the whole second level, from the rows that each process has */
PetscErrorCode HeptaAggMG::GatherPattern(const HeptaSpace &space, HeptaTiles &C)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)op.A);
  HeptaTiles    &own  = ranks.coarse;
  PetscInt64     total = (PetscInt64)own.tiles;
  HeptaHalo      gather;
  HeptaValues    keys[2];
  Pattern        p;
  std::uint64_t *key, *all;

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &total, 1, MPIU_INT64, MPI_SUM, comm));
  C.tiles = (size_t)total;
  PetscCall(CheckTiles(C.tiles));
  C.rows = C.columns = own.columns;
  C.br = C.bc = k;
  PetscCall(own.View(space, &p));
  PetscCall(keys[0].Make(space, own.tiles, &key));
  PetscCall(keys[1].Make(space, C.tiles, &all));
  HeptaLaunchEach(space, tile_keys, p, own.tiles, ranks.start, PetscMax(C.columns, 1), key);
  PetscCall(ranks.matrix.Reset());
  PetscCall(ranks.matrix.SetUpGather(comm, (PetscInt)own.tiles, k * k));
  if (k > 1) PetscCall(gather.SetUpGather(comm, (PetscInt)own.tiles, 1));
  PetscCall((k > 1 ? gather : ranks.matrix).Bring({space, key, all}));
  PetscCall(Split(space, all, &C));
  PetscCall(ranks.right.Reset());
  PetscCall(ranks.right.SetUpGather(comm, ranks.own, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::Total(const HeptaSpace &space, size_t l, double *sum)
{
  double total;

  PetscFunctionBegin;
  if (!Distributed(l)) PetscFunctionReturn(PETSC_SUCCESS);
  HeptaLaunchEach(space, hepta::fetch, (const double *)sum, &total);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)op.A)));
  HeptaLaunchEach(space, put_number, total, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::Largest(const HeptaSpace &space, size_t l, long long *number)
{
  long long *all;

  PetscFunctionBegin;
  if (!Distributed(l)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ranks.numbers.Access(space, HeptaAccess::write, &all));
  PetscCall(ranks.number.Bring({space, number, all, sizeof(long long)}));
  HeptaLaunchEach(space, largest_of, (int)ranks.size, (const long long *)all, number);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *unit <- the unit of the first process with rows */
PetscErrorCode HeptaAggMG::ShareUnit(const HeptaSpace &space, double *unit)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)op.A);
  PetscMPIInt    root = op.A->rmap->n ? ranks.rank : ranks.size;
  double         here;

  PetscFunctionBegin;
  if (!ranks.several) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_MIN, comm));
  HeptaLaunchEach(space, hepta::fetch, (const double *)unit, &here);
  PetscCallMPI(MPI_Bcast(&here, 1, MPI_DOUBLE, root < ranks.size ? root : 0, comm));
  HeptaLaunchEach(space, put_number, here, unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

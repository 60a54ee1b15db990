/* Levels on several MPI processes: see HeptaAggMGPart */
#include <algorithm>
#include <numeric>

#include "aggmg.h"

using namespace hepta::aggmg;

/* The ghost part's blocks by block rows, as the arrays row, first, col and block of GhostRows */
static void SortGhosts(const hepta::blocked::Ghost &G, std::vector<Index> of[4])
{
  std::vector<PetscInt> border(G.row.size());

  std::iota(border.begin(), border.end(), 0);
  std::sort(border.begin(), border.end(), [&](PetscInt a, PetscInt b) { return G.row[(size_t)a] < G.row[(size_t)b]; });
  of[1].assign(1, 0);
  for (PetscInt b : border) {
    for (PetscInt k = 0; k < G.Length(b); k++) {
      of[2].push_back(G.col[(size_t)G.Block(k, b)]);
      of[3].push_back((Index)G.Block(k, b));
    }
    of[0].push_back(G.row[(size_t)b]);
    of[1].push_back((Index)of[2].size());
  }
}

/* Adds the ghost part's entries to each row: columns after the own columns, marked slots */
PetscErrorCode HeptaAggMG::ListGhosts(const HeptaSpace &space, hepta::blocked::EntryList *list)
{
  const hepta::blocked::Ghost &G  = MatBlocked(op.A)->ghost;
  const int                    bs = (int)HeptaBlockSize(op.A->rmap);
  std::vector<Index>           of[4];
  hepta::blocked::EntryList    all;
  hepta::blocked::EntryArrays  own;
  HeptaValues                  tables[4];
  GhostRows                    g    = {};
  const Index                **to[] = {&g.row, &g.first, &g.col, &g.block};
  size_t                      *first, *slot;
  Index                       *column;

  PetscFunctionBegin;
  if (G.row.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  SortGhosts(G, of);
  g.rows = (Index)of[0].size();
  g.ld   = G.ld;
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

/* An exchange of blocks of bs numbers: leaf k is root[k] of another process; the leaves are at `at`, in the array of the `roots`
   own blocks or in another array */
static PetscErrorCode Connect(MPI_Comm comm, PetscInt bs, size_t roots, size_t at, std::vector<PetscSFNode> &root,
                              HeptaHalo *halo)
{
  std::vector<PetscInt> leaf(root.size());

  PetscFunctionBegin;
  std::iota(leaf.begin(), leaf.end(), (PetscInt)at);
  PetscCall(halo->SetUpGraph(comm, bs, (PetscInt)(at ? at + root.size() : roots), leaf, root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::ConnectRanks()
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)op.A);

  PetscFunctionBegin;
  PetscCall(ranks.gather.Reset());
  PetscCallMPI(MPI_Comm_size(comm, &ranks.size));
  PetscCallMPI(MPI_Comm_rank(comm, &ranks.rank));
  levels[0]->part.distributed = ranks.size > 1;
  if (ranks.size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ranks.gather.SetUpGather(comm, 1, 1));
  PetscCall(ranks.all.Resize((size_t)ranks.size * sizeof(long long)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The exchanges with a level's ghosts */
PetscErrorCode HeptaAggMG::ConnectNodes(size_t l)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)op.A);
  const size_t    rows = (size_t)levels[l]->A.rows;
  HeptaAggMGPart &part = levels[l]->part;

  PetscFunctionBegin;
  levels[l]->A.columns = levels[l]->A.rows + (Index)part.ghosts.size();
  PetscCall(Connect(comm, levels[l]->A.br, rows, rows, part.ghosts, &part.nodes));
  PetscCall(Connect(comm, 1, rows, 0, part.ghosts, &part.node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ghosts of the first level */
PetscErrorCode HeptaAggMG::ConnectFirst()
{
  const PetscInt bs = HeptaBlockSize(op.A->rmap);

  PetscFunctionBegin;
  PetscCall(ConnectRanks());
  if (!Distributed(0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(levels[0]->part.numbers.Take(MatBlocked(op.A)->ghost.garray));
  for (PetscInt node : MatBlocked(op.A)->ghost.garray) {
    PetscMPIInt owner;
    PetscInt    local;
    PetscCall(PetscLayoutFindOwnerIndex(op.A->rmap, node * bs, &owner, &local));
    levels[0]->part.ghosts.push_back({owner, local / bs});
  }
  PetscCall(ConnectNodes(0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ghosts of level l + 1: the columns of A P that are aggregates of other processes */
PetscErrorCode HeptaAggMG::FindGhosts(const HeptaSpace &space, size_t l)
{
  HeptaAggMGLevel           &L    = *levels[l];
  HeptaAggMGPart            &next = levels[l + 1]->part;
  std::vector<PetscInt>      starts((size_t)ranks.size);
  std::vector<std::uint64_t> found;
  std::vector<Index>         number;
  PetscInt                   start = L.part.start;
  HeptaValues                keys, offsets;
  Pattern                    p;
  std::uint64_t             *key;
  size_t                    *offset, count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allgather(&start, 1, MPIU_INT, starts.data(), 1, MPIU_INT, PetscObjectComm((PetscObject)op.A)));
  PetscCall(L.AP.View(space, &p));
  PetscCall(keys.Make(space, L.AP.tiles, &key));
  PetscCall(offsets.Take(std::vector<size_t>{0, L.AP.tiles}));
  PetscCall(offsets.Access(space, HeptaAccess::read, &offset));
  HeptaLaunchEach(space, outside_keys, p, L.AP.tiles, L.part.start, L.part.own, key);
  HeptaSortRows(space, 1, offset, hepta::bits_of((std::uint64_t)L.AP.columns + 1), key, &count);
  PetscCall(keys.Give(count, found));
  for (std::uint64_t f : found) {
    if (!f) continue; /* the own aggregates */
    const auto owner = std::upper_bound(starts.begin(), starts.end(), (PetscInt)(f - 1)) - starts.begin() - 1;
    number.push_back((Index)(f - 1));
    next.ghosts.push_back({(PetscMPIInt)owner, (PetscInt)(f - 1) - starts[(size_t)owner]});
  }
  PetscCall(next.numbers.Take(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   *count <- the number of aggregates of all processes, from the number of own aggregates; *coarser becomes equal on all
   processes. If the level is copied, each node becomes an aggregate
*/
PetscErrorCode HeptaAggMG::NumberAggregates(const HeptaSpace &space, size_t l, Index *aggregate, Index *count, bool *coarser)
{
  const MPI_Comm   comm = PetscObjectComm((PetscObject)op.A);
  const PetscInt64 rows = l ? (PetscInt64)levels[l - 1]->P.columns * k : op.A->rmap->N;
  HeptaAggMGPart  &part = levels[l]->part;
  PetscInt         own  = *count, end;

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(&own, &end, 1, MPIU_INT, MPI_SUM, comm));
  part.copies = !l && IsCopied((Index)end);
  if (part.copies) {
    own = levels[l]->A.rows;
    end = op.A->rmap->N / HeptaBlockSize(op.A->rmap);
    HeptaLaunchEach(space, keep_nodes, own, aggregate);
  }
  *count   = (Index)end;
  *coarser = part.copies || (end > 0 && (PetscInt64)end * k < rows);
  PetscCallMPI(MPI_Scan(&own, &end, 1, MPIU_INT, MPI_SUM, comm));
  part.own   = (Index)own;
  part.start = (Index)(end - own);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Is a next level of so many nodes not gathered? */
bool HeptaAggMG::StaysDistributed(Index aggregates) const
{
  return (PetscInt64)aggregates * k > PetscMax(choice.gather, choice.coarse_size);
}

/*
   Is the first level gathered as it is? So is a level for the dense inverse, and a level whose nodes have most neighbors on other
   processes, which shows in aggregates of fewer than two nodes
*/
bool HeptaAggMG::IsCopied(Index aggregates) const
{
  const PetscInt64 rows = op.A->rmap->N, nodes = rows / HeptaBlockSize(op.A->rmap);
  const bool       poor = aggregates && (2 * (PetscInt64)aggregates > nodes || (PetscInt64)aggregates * k >= rows);

  return nodes * k <= choice.coarse_size || (poor && !StaysDistributed((Index)nodes));
}

size_t HeptaAggMG::FirstRow(size_t l) const
{
  if (!Distributed(l)) return 0;
  return l ? (size_t)levels[l - 1]->part.start * (size_t)k : (size_t)op.A->rmap->rstart;
}

/* The near null vectors of a gathered level, from those of each process; count: aggregates of all processes */
PetscErrorCode HeptaAggMG::GatherNull(const HeptaSpace &space, size_t l, Index count)
{
  HeptaHalo   gather;
  HeptaValues whole;
  double     *own, *all;

  PetscFunctionBegin;
  PetscCall(gather.SetUpGather(PetscObjectComm((PetscObject)op.A), levels[l]->part.own, k * k));
  PetscCall(levels[l + 1]->null.Access(space, HeptaAccess::read, &own));
  PetscCall(whole.Make(space, (size_t)count * (size_t)(k * k), &all));
  PetscCall(gather.Bring({space, own, all}));
  levels[l + 1]->null.Swap(whole);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* roots <- where the tiles of the ghost nodes' rows are; ends: where each of these rows ends in roots */
PetscErrorCode HeptaAggMG::FindGhostRows(const HeptaSpace &space, size_t l, Index *first, std::vector<PetscSFNode> &roots,
                                         std::vector<Index> &ends)
{
  HeptaAggMGPart    &part = levels[l]->part;
  HeptaValues        bounds;
  std::vector<Index> bound[2]; /* the beginning and the end of each row */

  PetscFunctionBegin;
  for (int side = 0; side < 2; side++) {
    Index *b;
    PetscCall(bounds.Make(space, part.ghosts.size(), &b));
    PetscCall(part.node.Bring({space, first + side, b}));
    PetscCall(bounds.Give(part.ghosts.size(), bound[side]));
  }
  for (size_t g = 0; g < part.ghosts.size(); g++) {
    for (Index e = bound[0][g]; e < bound[1][g]; e++) roots.push_back({part.ghosts[g].rank, e});
    ends.push_back((Index)roots.size());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the rows of the ghost nodes to the pattern, after the rows of own nodes; halo: the exchange of the ghost rows' values */
PetscErrorCode HeptaAggMG::ExtendRows(const HeptaSpace &space, size_t l, HeptaTiles &P, HeptaHalo *halo)
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
  PetscCall(FindGhostRows(space, l, first, roots, ends));
  all.tiles = P.tiles + roots.size();
  PetscCall(table.Take(ends));
  PetscCall(table.Access(space, HeptaAccess::read, &end));
  PetscCall(all.first.Make(space, (size_t)levels[l]->A.columns + 1, &first));
  PetscCall(all.col.Make(space, all.tiles, &col));
  PetscCall(all.row.Make(space, all.tiles, &row));
  HeptaLaunchEach(space, extend_rows, p, P.tiles, (Index)ends.size(), (const Index *)end, first, col, row);
  PetscCall(Connect(comm, P.br * P.bc, P.tiles, P.tiles, roots, halo));
  if (!one) PetscCall(Connect(comm, 1, P.tiles, P.tiles, roots, &columns));
  PetscCall((one ? *halo : columns).Bring({space, col, col}));
  P.tiles = all.tiles;
  P.first.Swap(all.first);
  P.col.Swap(all.col);
  P.row.Swap(all.row);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes of this process among those of level l */
PetscErrorCode HeptaAggMG::LocalOf(const HeptaSpace &space, size_t l, LocalNodes *nodes)
{
  HeptaAggMGLevel &L = *levels[l];
  Index           *number;

  PetscFunctionBegin;
  PetscCall(L.part.numbers.Access(space, HeptaAccess::read, &number));
  *nodes = {(Index)(FirstRow(l) / (size_t)L.A.br), L.A.rows, (Index)L.part.ghosts.size(), number};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of A with those of the ghosts, for find_skew() */
PetscErrorCode HeptaAggMG::ExtendMatrix(const HeptaSpace &space, size_t l)
{
  HeptaTiles &A = levels[l]->A, &X = levels[l]->part.rows;
  LocalNodes  nodes;
  Pattern     p;
  Index      *col;

  PetscFunctionBegin;
  if (levels[l]->part.A) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(LocalOf(space, l, &nodes));
  PetscCall(A.View(space, &p));
  X.rows = A.rows;
  X.br = X.bc = A.br;
  X.tiles = X.own = A.tiles;
  PetscCall(X.first.CopyOf(A.first));
  PetscCall(X.row.CopyOf(A.row));
  PetscCall(X.col.Make(space, A.tiles, &col));
  HeptaLaunchEach(space, ghost_columns, p, A.tiles, nodes, col);
  PetscCall(ExtendRows(space, l, X, &levels[l]->part.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The whole next level on each process, from the rows that each process has */
PetscErrorCode HeptaAggMG::GatherPattern(const HeptaSpace &space, size_t l)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)op.A);
  HeptaAggMGPart &part = levels[l]->part;
  HeptaTiles     &own = part.coarse, &C = levels[l + 1]->A;
  PetscInt64      total = (PetscInt64)own.tiles;
  HeptaHalo       gather;
  HeptaValues     keys[2];
  Pattern         p;
  std::uint64_t  *key, *all;

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &total, 1, MPIU_INT64, MPI_SUM, comm));
  C.tiles = (size_t)total;
  PetscCall(CheckTiles(C.tiles));
  C.rows = C.columns = own.columns;
  C.br = C.bc = k;
  PetscCall(own.View(space, &p));
  PetscCall(keys[0].Make(space, own.tiles, &key));
  PetscCall(keys[1].Make(space, C.tiles, &all));
  HeptaLaunchEach(space, tile_keys, p, own.tiles, part.start, PetscMax(C.columns, 1), key);
  PetscCall(part.matrix.SetUpGather(comm, (PetscInt)own.tiles, k * k));
  if (k > 1) PetscCall(gather.SetUpGather(comm, (PetscInt)own.tiles, 1));
  PetscCall((k > 1 ? gather : part.matrix).Bring({space, key, all}));
  PetscCall(Split(space, all, &C));
  PetscCall(part.right.SetUpGather(comm, part.own, k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next level with own nodes and ghosts as columns, from its rows with columns among all nodes */
PetscErrorCode HeptaAggMG::LocalPattern(const HeptaSpace &space, size_t l)
{
  HeptaAggMGLevel &L   = *levels[l];
  HeptaTiles      &own = L.part.coarse, &C = levels[l + 1]->A;
  HeptaValues      keys;
  LocalNodes       nodes;
  Pattern          p, c;
  std::uint64_t   *key;
  size_t          *offset;
  Index           *at;

  PetscFunctionBegin;
  C.rows = L.part.own;
  C.br = C.bc = k;
  PetscCall(FindGhosts(space, l));
  PetscCall(ConnectNodes(l + 1));
  PetscCall(LocalOf(space, l + 1, &nodes));
  PetscCall(own.View(space, &p));
  PetscCall(keys.Make(space, own.tiles, &key));
  PetscCall(work.Make(space, (size_t)C.rows + 1, &offset));
  HeptaLaunchEach(space, local_keys, p, nodes, PetscMax(C.columns, 1), offset, key);
  HeptaSortRows(space, C.rows, offset, BitsOf(C), key, &C.tiles);
  PetscCall(Split(space, key, &C));
  PetscCall(C.View(space, &c));
  PetscCall(L.part.at.Make(space, C.tiles, &at));
  HeptaLaunchEach(space, match_tiles, c, C.tiles, p, nodes, at);
  for (auto [tiles, column] : {std::pair{&L.P, &L.part.P_column}, {&L.AP, &L.part.AP_column}}) {
    PetscCall(tiles->View(space, &p));
    PetscCall(column->Make(space, tiles->own, &at));
    HeptaLaunchEach(space, local_columns, p, tiles->own, nodes, at);
  }
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
  PetscCall(ranks.all.Access(space, HeptaAccess::write, &all));
  PetscCall(ranks.gather.Bring({space, number, all}));
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
  if (ranks.size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_MIN, comm));
  HeptaLaunchEach(space, hepta::fetch, (const double *)unit, &here);
  PetscCallMPI(MPI_Bcast(&here, 1, MPI_DOUBLE, root < ranks.size ? root : 0, comm));
  HeptaLaunchEach(space, put_number, here, unit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first level on several MPI processes, and the gathered second level: see HeptaAggMGRanks */
#include <numeric>

#include "../../shared/exchange.h"
#include "aggmg.h"

using namespace hepta::aggmg;

PetscErrorCode HeptaAggMGRanks::Reset()
{
  PetscFunctionBegin;
  for (HeptaHalo *h : {&nodes, &tentative, &P, &AP, &right, &matrix, &number}) PetscCall(h->Reset());
  PetscCall(numbers.Free());
  for (HeptaValues *v : {&coarse.first, &coarse.col, &coarse.row, &coarse.val}) PetscCall(v->Free());
  several = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the ghost part's entries to each row: columns after the own columns, marked slots */
PetscErrorCode HeptaAggMG::ListGhosts(hepta::blocked::EntryList *entries)
{
  const hepta::blocked::Ghost &G  = MatBlocked(op.A)->ghost;
  const size_t                 bs = (size_t)op.A->rmap->bs, n = (size_t)op.A->rmap->n;
  std::vector<size_t>          first, slot, all_first(n + 1, 0), all_slot;
  std::vector<Index>           column, all_column;
  std::vector<std::vector<size_t>> of(n / bs); /* the ghost blocks of each block row */

  PetscFunctionBegin;
  if (!ranks.several) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(entries->first.Give(n + 1, first));
  PetscCall(entries->column.Give(entries->n, column));
  PetscCall(entries->slot.Give(entries->n, slot));
  for (size_t q = 0; q < G.line.size(); q++) of[(size_t)G.line[q]].push_back(q);
  for (size_t i = 0; i < n; i++) {
    all_column.insert(all_column.end(), column.begin() + (std::ptrdiff_t)first[i], column.begin() + (std::ptrdiff_t)first[i + 1]);
    all_slot.insert(all_slot.end(), slot.begin() + (std::ptrdiff_t)first[i], slot.begin() + (std::ptrdiff_t)first[i + 1]);
    for (size_t q : of[i / bs]) {
      for (size_t c = 0; c < bs; c++) {
        all_column.push_back((Index)(n + (size_t)G.col[q] * bs + c));
        all_slot.push_back(G.Slot((PetscInt)q, (PetscInt)(i % bs), (PetscInt)c) | (size_t)GHOST);
      }
    }
    all_first[i + 1] = all_column.size();
  }
  PetscCall(entries->first.Take(all_first));
  PetscCall(entries->column.Take(all_column));
  PetscCall(entries->slot.Take(all_slot));
  entries->n = all_column.size();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An exchange of blocks of bs numbers: leaf k of the array is root[k] of another process, and the leaves follow the roots */
static PetscErrorCode Connect(MPI_Comm comm, PetscInt bs, PetscInt roots, std::vector<PetscSFNode> &root, HeptaHalo *halo)
{
  std::vector<PetscInt> leaf(root.size());

  PetscFunctionBegin;
  std::iota(leaf.begin(), leaf.end(), roots);
  PetscCall(halo->SetUpGraph(comm, bs, roots + (PetscInt)root.size(), leaf, root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the ghost nodes are: process and node there */
static PetscErrorCode GhostRoots(Mat A, std::vector<PetscSFNode> *root)
{
  const PetscInt bs = A->rmap->bs;

  PetscFunctionBegin;
  for (PetscInt node : MatBlocked(A)->ghost.garray) {
    PetscMPIInt owner;
    PetscInt    local;
    PetscCall(PetscLayoutFindOwnerIndex(A->rmap, node * bs, &owner, &local));
    root->push_back({owner, local / bs});
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAggMG::ConnectNodes()
{
  const MPI_Comm           comm = PetscObjectComm((PetscObject)op.A);
  std::vector<PetscSFNode> root;

  PetscFunctionBegin;
  PetscCall(ranks.Reset());
  PetscCallMPI(MPI_Comm_size(comm, &ranks.size));
  PetscCallMPI(MPI_Comm_rank(comm, &ranks.rank));
  ranks.several = ranks.size > 1;
  ranks.ghosts  = 0;
  if (!ranks.several) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GhostRoots(op.A, &root));
  ranks.ghosts = (Index)root.size();
  PetscCall(Connect(comm, op.A->rmap->bs, op.A->rmap->n / op.A->rmap->bs, root, &ranks.nodes));
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

PetscErrorCode HeptaAggMG::GatherNull(HeptaValues &null)
{
  std::vector<double> own, all;

  PetscFunctionBegin;
  PetscCall(null.Give((size_t)ranks.own * (size_t)(k * k), own));
  PetscCall(HeptaGatherAll(PetscObjectComm((PetscObject)op.A), MPI_DOUBLE, own, all));
  PetscCall(null.Take(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the rows of the ghost nodes to the pattern, after the rows of own nodes; halo: the exchange of the ghost rows' values */
PetscErrorCode HeptaAggMG::ExtendRows(HeptaTiles &P, HeptaHalo *halo)
{
  const MPI_Comm           comm = PetscObjectComm((PetscObject)op.A);
  const size_t             n = (size_t)P.rows, g = (size_t)ranks.ghosts;
  std::vector<Index>       first, col, row, at(n + g), length(n + g);
  std::vector<PetscSFNode> node, root;
  HeptaHalo                sizes;

  PetscFunctionBegin;
  PetscCall(P.first.Give(n + 1, first));
  PetscCall(P.col.Give(P.tiles, col));
  PetscCall(P.row.Give(P.tiles, row));
  for (size_t m = 0; m < n; m++) {
    at[m]     = first[m];
    length[m] = first[m + 1] - first[m];
  }
  PetscCall(GhostRoots(op.A, &node));
  PetscCall(Connect(comm, 1, (PetscInt)n, node, &sizes));
  for (std::vector<Index> *v : {&at, &length}) PetscCall(sizes.Bring({HeptaSpace(), v->data(), v->data(), sizeof(Index)}));
  for (size_t m = n; m < n + g; m++) {
    for (Index e = 0; e < length[m]; e++) root.push_back({node[m - n].rank, at[m] + e});
    first.push_back(first.back() + length[m]);
    row.insert(row.end(), (size_t)length[m], (Index)m);
  }
  PetscCall(Connect(comm, P.br * P.bc, (PetscInt)P.tiles, root, halo));
  PetscCall(Connect(comm, 1, (PetscInt)P.tiles, root, &sizes));
  col.resize(row.size());
  PetscCall(sizes.Bring({HeptaSpace(), col.data(), col.data(), sizeof(Index)}));
  P.tiles = col.size();
  PetscCall(P.first.Take(first));
  PetscCall(P.col.Take(col));
  PetscCall(P.row.Take(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C <- the whole second level, from the rows that each process has */
PetscErrorCode HeptaAggMG::GatherPattern(HeptaTiles &C)
{
  const MPI_Comm     comm = PetscObjectComm((PetscObject)op.A);
  HeptaTiles        &own  = ranks.coarse;
  std::vector<Index> first, col, lengths, all;

  PetscFunctionBegin;
  PetscCall(own.first.Give((size_t)own.rows + 1, first));
  PetscCall(own.col.Give(own.tiles, col));
  for (size_t m = 0; m < (size_t)own.rows; m++) lengths.push_back(first[m + 1] - first[m]);
  PetscCall(HeptaGatherAll(comm, MPIU_INT, lengths, all));
  C.rows = C.columns = own.columns;
  C.br = C.bc = k;
  first.assign(1, 0);
  for (Index length : all) first.push_back(first.back() + length);
  PetscCall(HeptaGatherAll(comm, MPIU_INT, col, all));
  C.tiles = all.size();
  PetscCall(C.first.Take(first));
  PetscCall(C.col.Take(all));
  for (size_t m = 0; m < (size_t)C.rows; m++) std::fill(all.begin() + first[m], all.begin() + first[m + 1], (Index)m);
  PetscCall(C.row.Take(all));
  PetscCall(ranks.matrix.Reset());
  PetscCall(ranks.matrix.SetUpGather(comm, (PetscInt)own.tiles, k * k));
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

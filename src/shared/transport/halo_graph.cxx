/* Channels between devices for the graph of a PetscSF */
#include <algorithm>
#include <map>

#include "halo.h"

#if defined(HEPTA_HAVE_CUDA)

using hepta::Index;

/* The blocks that one process shares with other processes, by rank */
using Shared = std::map<PetscMPIInt, std::vector<Index>>;

static void AddShared(PetscMPIInt n, const PetscMPIInt *ranks, const PetscInt *offset, const PetscInt *index, Shared *shared)
{
  for (PetscMPIInt r = 0; r < n; r++) (*shared)[ranks[r]].assign(index + offset[r], index + offset[r + 1]);
}

/*
   The shared blocks of a gather, without PetscSFGetLeafRanks(), which in PETSc 3.26.1 writes beyond an array for this pattern if
   ranks have different numbers of roots
*/
static PetscErrorCode ShareAll(MPI_Comm comm, const std::vector<PetscInt> &range, Shared *asked, Shared *asks)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (PetscMPIInt r = 0; r + 1 < (PetscMPIInt)range.size(); r++) {
    for (PetscInt k = range[rank]; k < range[rank + 1]; k++) (*asked)[r].push_back((Index)(k - range[rank]));
    for (PetscInt k = range[r]; k < range[r + 1]; k++) (*asks)[r].push_back((Index)k);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists the blocks of all neighbors, by rank */
static void List(const std::vector<PetscMPIInt> &neighbors, const Shared &shared, HeptaChannelSide *side)
{
  side->first.assign(1, 0);
  for (PetscMPIInt r : neighbors) {
    const auto blocks = shared.find(r);

    if (blocks != shared.end()) side->at.insert(side->at.end(), blocks->second.begin(), blocks->second.end());
    side->first.push_back((Index)side->at.size());
  }
}

/*
   The graph of the PetscSF for this process: its neighbors, the roots that neighbors ask for, and the leaves that this process
   asks for
*/
PetscErrorCode HeptaHalo::ReadGraph(std::vector<PetscMPIInt> *neighbors, HeptaChannelSide *roots, HeptaChannelSide *leaves)
{
  PetscMPIInt        n;
  const PetscMPIInt *ranks;
  const PetscInt    *offset, *index, *remote;
  Shared             asked, asks;

  PetscFunctionBegin;
  if (range.empty()) {
    PetscCall(PetscSFGetLeafRanks(sf, &n, &ranks, &offset, &index));
    AddShared(n, ranks, offset, index, &asked);
    PetscCall(PetscSFGetRootRanks(sf, &n, &ranks, &offset, &index, &remote));
    AddShared(n, ranks, offset, index, &asks);
  } else PetscCall(ShareAll(PetscObjectComm((PetscObject)sf), range, &asked, &asks));
  for (const Shared *shared : {&asked, &asks}) {
    for (const auto &[rank, blocks] : *shared) neighbors->push_back(rank);
  }
  std::sort(neighbors->begin(), neighbors->end());
  neighbors->erase(std::unique(neighbors->begin(), neighbors->end()), neighbors->end());
  List(*neighbors, asked, roots);
  List(*neighbors, asks, leaves);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   root <- the roots that other processes ask for, each once; source[first[d]] .. source[first[d+1]-1] <- the blocks of the
   receive buffer that are added to root[d], by ascending rank
*/
void HeptaHalo::ListAdditions(const std::vector<Index> &at)
{
  std::map<Index, std::vector<Index>> sources;

  for (size_t k = 0; k < at.size(); k++) sources[at[k]].push_back((Index)k);
  root.clear();
  source.clear();
  first.assign(1, 0);
  for (const auto &[r, from] : sources) {
    root.push_back(r);
    source.insert(source.end(), from.begin(), from.end());
    first.push_back((Index)source.size());
  }
}

PetscErrorCode HeptaHalo::Connect(const HeptaSpace &space, bool adds)
{
  std::unique_ptr<HeptaChannel> &wanted = adds ? reverse : forward;
  PetscMPIInt                    tag;
  HeptaTransport                *t;

  PetscFunctionBegin;
  PetscCall(order.Follow(space));
  if (wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaTransportOf(PetscObjectComm((PetscObject)sf), &t));
  PetscCall(HeptaTransportProbe(t));
  PetscCall(PetscObjectGetNewTag((PetscObject)sf, &tag));
  std::unique_ptr<HeptaChannel> made(new HeptaChannel);
  made->bs = bs;
  if (!adds) PetscCall(ReadGraph(&made->neighbors, &made->out, &made->in));
  else {
    PetscCall(ReadGraph(&made->neighbors, &made->in, &made->out));
    ListAdditions(made->in.at);
    PetscCall(received.Resize(made->in.at.size() * bs * sizeof(PetscScalar)));
    made->in.at.clear(); /* blocks are received one after the other in `received`, where Add() finds the blocks to add */
  }
  PetscCall(made->SetUp(t, tag));
  wanted = std::move(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

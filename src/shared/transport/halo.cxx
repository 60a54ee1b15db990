#include "halo.h"

#include <algorithm>
#include <map>

PetscErrorCode HeptaHalo::SetUp(PetscSF s, PetscInt block_size)
{
  HeptaTransport *t;

  PetscFunctionBegin;
  PetscCall(Reset());
  sf = s;
  bs = block_size;
  PetscCall(HeptaTransportOf(PetscObjectComm((PetscObject)sf), &t)); /* called here so that a wrong option is an error at set-up */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::Reset()
{
  PetscFunctionBegin;
  for (MPI_Datatype &unit : units) {
    if (unit != MPI_DATATYPE_NULL) PetscCallMPI(MPI_Type_free(&unit));
  }
#if defined(HEPTA_HAVE_CUDA)
  forward.reset();
  reverse.reset();
  for (auto &table : tables) table.Invalidate();
  range.clear();
  used[0] = used[1] = false;
#endif
  PetscCall(PetscSFDestroy(&sf)); /* last: this may free the communicator and its transport, which channels refer to */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The MPI datatype of a block of numbers, for PetscSF */
PetscErrorCode HeptaHalo::Unit(int size, MPI_Datatype *unit)
{
  const MPI_Datatype number = size == (int)sizeof(double) ? MPI_DOUBLE : MPI_FLOAT;
  MPI_Datatype      &block  = units[number == MPI_DOUBLE];
  PetscMPIInt        n;

  PetscFunctionBegin;
  *unit = number;
  if (bs == 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (block == MPI_DATATYPE_NULL) {
    PetscCall(PetscMPIIntCast(bs, &n));
    PetscCallMPI(MPI_Type_contiguous(n, number, &block));
    PetscCallMPI(MPI_Type_commit(&block));
  }
  *unit = block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::Begin(const HeptaHaloArrays &a)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(Agree(a.space));
  if (a.space.device) {
    PetscCall(Connect(a.space, false));
    PetscCall(forward->Begin(a.space, a.size, a.columns, a.roots, a.root_ld));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(Unit(a.size, &unit));
  for (PetscInt c = 0; c < a.columns; c++) PetscCall(PetscSFBcastWithMemTypeBegin(sf, unit, PETSC_MEMTYPE_HOST, (char *)a.roots + c * a.root_ld * a.size, PETSC_MEMTYPE_HOST, (char *)a.leaves + c * a.leaf_ld * a.size, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaHalo::Sends() const
{
#if defined(HEPTA_HAVE_CUDA)
  return forward && forward->Puts();
#else
  return false;
#endif
}

PetscErrorCode HeptaHalo::End(const HeptaHaloArrays &a)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (a.space.device) {
    PetscCall(forward->End(a.space, a.size, a.columns, a.leaves, a.leaf_ld));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(Unit(a.size, &unit));
  for (PetscInt c = 0; c < a.columns; c++) PetscCall(PetscSFBcastEnd(sf, unit, (char *)a.roots + c * a.root_ld * a.size, (char *)a.leaves + c * a.leaf_ld * a.size, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::Bring(const HeptaHaloArrays &a)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(Agree(a.space));
  if (a.space.device) {
    PetscCall(Connect(a.space, false));
    PetscCall(forward->Bring(a.space, a.size, a.columns, a.roots, a.root_ld, a.leaves, a.leaf_ld));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(Begin(a));
  PetscCall(End(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::Add(const HeptaHaloArrays &a)
{
  MPI_Datatype unit;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(Agree(a.space));
  if (a.space.device) {
    const hepta::Index *to[3];
    PetscScalar        *buffer;
    PetscCall(Connect(a.space, true));
    PetscCall(received.Access(a.space, HeptaAccess::write, &buffer));
    PetscCall(reverse->Bring(a.space, sizeof(PetscScalar), 1, a.leaves, 0, buffer, 0));
    for (int k = 0; k < 3; k++) PetscCall(tables[k].Get(a.space, this->*lists[k], &to[k]));
    PetscCallHepta(hepta::transport::add_cuda((hepta::Index)root.size(), (int)bs, to[0], to[1], to[2], buffer, (PetscScalar *)a.roots, a.space.stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(Unit(sizeof(PetscScalar), &unit));
  PetscCall(PetscSFReduceWithMemTypeBegin(sf, unit, PETSC_MEMTYPE_HOST, a.leaves, PETSC_MEMTYPE_HOST, a.roots, MPIU_SUM));
  PetscCall(PetscSFReduceEnd(sf, unit, a.leaves, a.roots, MPIU_SUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::Prepare(const HeptaSpace &space, bool adds)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(Agree(space));
  if (space.device) {
    void *buffer;

    PetscCall(Connect(space, false));
    PetscCall(forward->Reserve(space, 1));
    if (!adds) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Connect(space, true));
    PetscCall(reverse->Reserve(space, 1));
    PetscCall(received.Access(space, HeptaAccess::write, &buffer));
    const hepta::Index *to;
    for (int k = 0; k < 3; k++) PetscCall(tables[k].Get(space, this->*lists[k], &to));
  }
#else
  (void)space, (void)adds;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::SetUpGather(MPI_Comm comm, PetscInt own, PetscInt block_size)
{
  PetscLayout map;
  PetscSF     gather;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(comm, own, PETSC_DECIDE, 1, &map));
  PetscCall(PetscSFCreate(comm, &gather));
  PetscCall(PetscSFSetGraphWithPattern(gather, map, PETSCSF_PATTERN_ALLGATHER));
  PetscCall(PetscSFSetUp(gather));
  PetscCall(SetUp(gather, block_size));
#if defined(HEPTA_HAVE_CUDA)
  range.assign(map->range, map->range + map->size + 1);
#endif
  PetscCall(PetscLayoutDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)

using hepta::Index;

/* The blocks that one process shares with others, by their ranks */
using Shared = std::map<PetscMPIInt, std::vector<Index>>;

static void AddShared(PetscMPIInt n, const PetscMPIInt *ranks, const PetscInt *offset, const PetscInt *index, Shared *shared)
{
  for (PetscMPIInt r = 0; r < n; r++) (*shared)[ranks[r]].assign(index + offset[r], index + offset[r + 1]);
}

/* Those of a gather, without PetscSFGetLeafRanks(), which in PETSc 3.26.1 writes beyond an array for this pattern if ranks have different numbers of roots */
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

/* The graph of the PetscSF for this process: its neighbors, the roots that they ask for, and the leaves that it asks them for */
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

/* root, first, source: the roots that other processes ask for, each once, and for each the blocks of the receive buffer that are added to it, by ascending rank */
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

/* Checks, at the first use with arrays in a memory, that all processes have them in the same kind of memory: exchanges on the host and between devices do not match each other */
PetscErrorCode HeptaHalo::Agree(const HeptaSpace &space)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)sf);
  PetscMPIInt    some[2];

  PetscFunctionBegin;
  if (used[space.device]) PetscFunctionReturn(PETSC_SUCCESS);
  some[0] = !space.device, some[1] = space.device;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, some, 2, MPI_INT, MPI_MAX, comm));
  PetscCheck(!some[0] || !some[1], comm, PETSC_ERR_ARG_INCOMP,
             "Vectors are on the GPU of some processes and on the host of others, between which ghost values do not travel: leave out -vec_bind_below and -dm_bind_below, which do so where a process has few rows, and bind vectors to the CPU on all "
             "processes or on none");
  used[space.device] = true;
  PetscFunctionReturn(PETSC_SUCCESS);
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
    made->in.at.clear(); /* they are received one after the other, and Add() adds them from there */
  }
  PetscCall(made->SetUp(t, tag));
  wanted = std::move(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

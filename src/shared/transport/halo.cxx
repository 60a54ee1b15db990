#include "halo.h"

PetscErrorCode HeptaHalo::SetUp(PetscSF s, PetscInt block_size)
{
  HeptaTransport *t;

  PetscFunctionBegin;
  PetscCall(Reset());
  sf = s;
  bs = block_size;
  /* called here so that a wrong option is an error at set-up */
  PetscCall(HeptaTransportOf(PetscObjectComm((PetscObject)sf), &t));
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
  common = {};
#endif
  for (HeptaValues &copy : copies) PetscCall(copy.Free());
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

/* Begins or ends the exchange of the staged arrays, or does both */
PetscErrorCode HeptaHalo::Move(bool begin, bool end)
{
  const HeptaHaloArrays &a = staged;
  MPI_Datatype           unit;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (a.space.device) {
    if (begin) PetscCall(Connect(a.space, false));
    if (begin && end) PetscCall(forward->Bring(a.space, a.size, a.columns, a.roots, a.root_ld, a.leaves, a.leaf_ld));
    else
      PetscCall(begin ? forward->Begin(a.space, a.size, a.columns, a.roots, a.root_ld)
                      : forward->End(a.space, a.size, a.columns, a.leaves, a.leaf_ld));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(Unit(a.size, &unit));
  for (PetscInt c = 0; begin && c < a.columns; c++)
    PetscCall(PetscSFBcastWithMemTypeBegin(sf, unit, PETSC_MEMTYPE_HOST, (char *)a.roots + c * a.root_ld * a.size,
                                           PETSC_MEMTYPE_HOST, (char *)a.leaves + c * a.leaf_ld * a.size, MPI_REPLACE));
  for (PetscInt c = 0; end && c < a.columns; c++)
    PetscCall(PetscSFBcastEnd(sf, unit, (char *)a.roots + c * a.root_ld * a.size, (char *)a.leaves + c * a.leaf_ld * a.size,
                              MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::Begin(const HeptaHaloArrays &a)
{
  PetscFunctionBegin;
  PetscCall(Stage(a));
  PetscCall(Move(true, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::End(const HeptaHaloArrays &a)
{
  PetscFunctionBegin;
  PetscCall(Move(false, true));
  PetscCall(Unstage(a, false));
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

PetscErrorCode HeptaHalo::Bring(const HeptaHaloArrays &a)
{
  PetscFunctionBegin;
  PetscCall(Stage(a));
  PetscCall(Move(true, true));
  PetscCall(Unstage(a, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::Add(const HeptaHaloArrays &arrays)
{
  PetscFunctionBegin;
  PetscCall(Stage(arrays));
  const HeptaHaloArrays &a = staged;
#if defined(HEPTA_HAVE_CUDA)
  if (a.space.device) {
    const hepta::Index *to[3];
    PetscScalar        *buffer;
    PetscCall(Connect(a.space, true));
    PetscCall(received.Access(a.space, HeptaAccess::write, &buffer));
    PetscCall(reverse->Bring(a.space, sizeof(PetscScalar), 1, a.leaves, 0, buffer, 0));
    for (int k = 0; k < 3; k++) PetscCall(tables[k].Get(a.space, this->*lists[k], &to[k]));
    PetscCallHepta(hepta::transport::add_cuda((hepta::Index)root.size(), (int)bs, to[0], to[1], to[2], buffer,
                                              (PetscScalar *)a.roots, a.space.stream));
  } else
#endif
  {
    MPI_Datatype unit;
    PetscCall(Unit(sizeof(PetscScalar), &unit));
    PetscCall(PetscSFReduceWithMemTypeBegin(sf, unit, PETSC_MEMTYPE_HOST, a.leaves, PETSC_MEMTYPE_HOST, a.roots, MPIU_SUM));
    PetscCall(PetscSFReduceEnd(sf, unit, a.leaves, a.roots, MPIU_SUM));
  }
  PetscCall(Unstage(arrays, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::Prepare(const HeptaSpace &given)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  HeptaSpace space;

  PetscCall(common.Find(PetscObjectComm((PetscObject)sf), given, &space));
  if (space.device) {
    void *buffer;

    PetscCall(Connect(space, false));
    PetscCall(forward->Reserve(space, 1));
    PetscCall(Connect(space, true));
    PetscCall(reverse->Reserve(space, 1));
    PetscCall(received.Access(space, HeptaAccess::write, &buffer));
    const hepta::Index *to;
    for (int k = 0; k < 3; k++) PetscCall(tables[k].Get(space, this->*lists[k], &to));
  }
#else
  (void)given;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::SetUpGraph(MPI_Comm comm, PetscInt block_size, PetscInt size, std::vector<PetscInt> &leaf,
                                     std::vector<PetscSFNode> &root)
{
  PetscSF graph;

  PetscFunctionBegin;
  PetscCall(Reset());
  PetscCall(PetscSFCreate(comm, &graph));
  PetscCall(PetscSFSetFromOptions(graph)); /* -sf_type */
  PetscCall(PetscSFSetGraph(graph, size, (PetscInt)leaf.size(), leaf.data(), PETSC_COPY_VALUES, root.data(), PETSC_COPY_VALUES));
  PetscCall(PetscSFSetUp(graph));
  PetscCall(SetUp(graph, block_size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaHalo::SetUpGather(MPI_Comm comm, PetscInt own, PetscInt block_size)
{
  PetscLayout map;
  PetscSF     gather;

  PetscFunctionBegin;
  PetscCall(Reset());
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

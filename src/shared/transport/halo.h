/*
   Exchange of numbers between MPI processes, for vectors, matrices and levels alike. On the host PetscSF moves them, between devices the transport of the
   communicator. Where some processes have their arrays on the host and others on devices, one of the two groups exchanges copies of its arrays in the memory of the other.
*/
#pragma once

#include <petscsf.h>

#include "channel.h"

/* The arrays of an exchange: columns of numbers of 4 or 8 bytes in one memory, root_ld and leaf_ld apart */
struct HeptaHaloArrays {
  HeptaSpace space;
  void      *roots = nullptr, *leaves = nullptr;
  int        size    = sizeof(PetscScalar);
  PetscInt   columns = 1;
  size_t     root_ld = 0, leaf_ld = 0;
};

#if defined(HEPTA_HAVE_CUDA)
/*
   The memory, the same on all processes, where they do something that they do again and again with arrays that each has in one memory or the other. Once the arrays of all have been on devices it is the device, since a process that has
   some on the host later cannot tell the others. Until then the processes ask each other, and it is the host. They do not ask for arrays on the host where the arrays of all have been there before and no process had initialized its device
   when they last asked, so that programs without devices lose no time.
*/
class HeptaCommonSpace {
public:
  /* *where <- that memory, for arrays in the given space; collective */
  PetscErrorCode Find(MPI_Comm, const HeptaSpace &, HeptaSpace *where);

private:
  bool agreed[2] = {false, false}; /* the arrays of all processes have been on the host, on devices */
};
#endif

class HeptaHalo {
public:
  HeptaHalo()                             = default;
  HeptaHalo(const HeptaHalo &)            = delete;
  HeptaHalo &operator=(const HeptaHalo &) = delete;
  ~HeptaHalo() { (void)Reset(); }

  /* sf connects blocks of bs numbers; this object takes ownership of it; collective */
  PetscErrorCode SetUp(PetscSF sf, PetscInt bs);
  /* leaf[k] of this rank's array of `size` blocks gets root[k] of the same array of another rank; collective */
  PetscErrorCode SetUpGraph(MPI_Comm, PetscInt bs, PetscInt size, std::vector<PetscInt> &leaf, std::vector<PetscSFNode> &root);
  /* a gather: the leaves of each rank are the blocks of all ranks, `own` of bs numbers each, in the order of ranks; collective */
  PetscErrorCode SetUpGather(MPI_Comm, PetscInt own, PetscInt bs);
  PetscErrorCode Reset();
  explicit       operator bool() const { return sf; }

  /* leaves <- the numbers of their roots, complete after End(), in the order of the space's stream; both get the same arrays; collective */
  PetscErrorCode Begin(const HeptaHaloArrays &);
  PetscErrorCode End(const HeptaHaloArrays &);
  /* after Begin() with arrays in this space: does the exchange take place in them, and not in copies, which End() writes back, of all numbers up to the last leaf? */
  bool InPlace(const HeptaSpace &space) const { return staged.space.device == space.device; }
  /* after Begin() of arrays on the device: does what was launched last only send, so that what is launched next may run beside it? */
  bool Sends() const;
#if defined(HEPTA_HAVE_CUDA)
  /* Where kernels can read the leaves' numbers, doubles of one column, after whose launch Arrived() is to be called in place of End(); null where they cannot, as where processes share a device, because those that wait keep others from the multiprocessors */
  const hepta::transport::Mailboxes *Arriving() const
  {
    return forward ? forward->Arriving() : nullptr;
  }
  void Arrived()
  {
    forward->Arrived();
  }
#endif
  /* Begin() and End() */
  PetscErrorCode Bring(const HeptaHaloArrays &);
  /* roots <- roots + the numbers of all their leaves, doubles of one column; collective */
  PetscErrorCode Add(const HeptaHaloArrays &);
  /* makes all that the first exchanges of one column in both directions would make, so that a recording may hold such exchanges; collective */
  PetscErrorCode Prepare(const HeptaSpace &);

private:
  PetscSF      sf       = nullptr;
  PetscInt     bs       = 1;
  MPI_Datatype units[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}; /* blocks of floats and of doubles */

  HeptaHaloArrays staged;    /* the arrays of the present exchange, in the memory where it takes place */
  HeptaValues     copies[2]; /* of the roots and the leaves, if the arrays are in another memory than that of the exchange */

  PetscErrorCode Unit(int size, MPI_Datatype *);
  PetscErrorCode Stage(const HeptaHaloArrays &);
  PetscErrorCode Unstage(const HeptaHaloArrays &, bool roots);
  PetscErrorCode Move(bool begin, bool end);
#if defined(HEPTA_HAVE_CUDA)
  std::unique_ptr<HeptaChannel> forward, reverse;
  /* Add() adds the received blocks source[first[d]] .. source[first[d+1]-1] to block root[d] */
  std::vector<hepta::Index> root, first, source;
  HeptaTable<hepta::Index>  tables[3];
  HeptaValues               received;
  HeptaOrder                order;
  std::vector<PetscInt>     range; /* of a gather: where each rank's blocks begin, and the number of all blocks */

  static constexpr std::vector<hepta::Index> HeptaHalo::*lists[3] = {&HeptaHalo::root, &HeptaHalo::first, &HeptaHalo::source};

  HeptaCommonSpace common;

  PetscErrorCode Connect(const HeptaSpace &, bool adds);
  void           ListAdditions(const std::vector<hepta::Index> &at);
  PetscErrorCode ReadGraph(std::vector<PetscMPIInt> *neighbors, HeptaChannelSide *roots, HeptaChannelSide *leaves);
#endif
};

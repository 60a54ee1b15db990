/*
   Numbers that MPI processes need of each other, for vectors, matrices and levels alike. On the host PetscSF brings them; from one device to another a transport of the
   communicator does.
*/
#pragma once

#include <petscsf.h>

#include "channel.h"

/* What travels: columns of numbers of 4 or 8 bytes in one memory, root_ld and leaf_ld apart */
struct HeptaHaloArrays {
  HeptaSpace space;
  int        size  = sizeof(PetscScalar);
  void      *roots = nullptr, *leaves = nullptr;
  PetscInt   columns = 1;
  size_t     root_ld = 0, leaf_ld = 0;
};

class HeptaHalo {
public:
  HeptaHalo()                             = default;
  HeptaHalo(const HeptaHalo &)            = delete;
  HeptaHalo &operator=(const HeptaHalo &) = delete;
  ~HeptaHalo() { (void)Reset(); }

  /* sf connects blocks of bs numbers, and belongs to this from here on; collective */
  PetscErrorCode SetUp(PetscSF sf, PetscInt bs);
  /* the leaves of each rank are the `own` blocks of bs numbers of all ranks, one rank's after another's; collective */
  PetscErrorCode SetUpGather(MPI_Comm, PetscInt own, PetscInt bs);
  PetscErrorCode Reset();
  explicit       operator bool() const { return sf; }

  /* leaves <- the numbers of their roots, at the latest when End() is done, in the order of the space's stream; the same arrays for both; collective */
  PetscErrorCode Begin(const HeptaHaloArrays &);
  PetscErrorCode End(const HeptaHaloArrays &);
  /* after Begin() with arrays on the device: does the last kernel launched only send, so that the next kernel may run concurrently with it? */
  bool           Sends() const;
#if defined(HEPTA_HAVE_CUDA)
  /* Where kernels can read the leaves' numbers, doubles of one column, in place of End(); null where they cannot, as where processes share a device, because those that wait keep others from the multiprocessors */
  const hepta::transport::Mailboxes *Arriving() const { return forward ? forward->Arriving() : nullptr; }
#endif
  /* both */
  PetscErrorCode Bring(const HeptaHaloArrays &);
  /* roots <- roots + the numbers of all their leaves, doubles of one column; collective */
  PetscErrorCode Add(const HeptaHaloArrays &);
  /* makes all that the first exchange of one column would make, so that a recording may hold such exchanges; adds: those of Add() too; collective */
  PetscErrorCode Prepare(const HeptaSpace &, bool adds);

private:
  PetscSF      sf       = nullptr;
  PetscInt     bs       = 1;
  MPI_Datatype units[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}; /* blocks of floats and of doubles */

  PetscErrorCode Unit(int size, MPI_Datatype *);
#if defined(HEPTA_HAVE_CUDA)
  std::unique_ptr<HeptaChannel> forward, reverse;
  /* Add() adds the received blocks source[first[d]] .. source[first[d+1]-1] to block root[d] */
  std::vector<hepta::Index> root, first, source;
  HeptaTable<hepta::Index>  tables[3];
  HeptaValues               received;
  HeptaOrder                order;
  std::vector<PetscInt>     range; /* of a gather: where each rank's blocks begin, and how many there are */

  static constexpr std::vector<hepta::Index> HeptaHalo::*lists[3] = {&HeptaHalo::root, &HeptaHalo::first, &HeptaHalo::source};

  bool used[2] = {false, false}; /* with arrays on the host, on the device */

  PetscErrorCode Agree(const HeptaSpace &);
  PetscErrorCode Connect(const HeptaSpace &, bool adds);
  void           ListAdditions(const std::vector<hepta::Index> &at);
  PetscErrorCode ReadGraph(std::vector<PetscMPIInt> *neighbors, HeptaChannelSide *roots, HeptaChannelSide *leaves);
#endif
};

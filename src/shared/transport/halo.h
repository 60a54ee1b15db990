/*
   Exchange of numbers between MPI processes, for vectors, matrices and levels alike: by PetscSF on the host, by the transport of
   the communicator between devices. Where arrays are on the host of some processes and on the devices of others, processes whose
   arrays are outside the common memory exchange copies.
*/
#pragma once

#include <petscsf.h>
#include <type_traits>

#include "channel.h"

/* The arrays of an exchange: columns of numbers of 4 or 8 bytes in one memory, root_ld and leaf_ld apart */
struct HeptaHaloArrays {
  HeptaSpace space;
  void      *roots = nullptr, *leaves = nullptr;
  int        size    = 0; /* bytes of a number */
  PetscInt   columns = 1;
  size_t     root_ld = 0, leaf_ld = 0;

  HeptaHaloArrays() = default;
  /* An exchange writes to the roots or to the leaves alone: the other array may be const */
  template <class R, class L>
  HeptaHaloArrays(const HeptaSpace &s, R *root, L *leaf, PetscInt n = 1, size_t ldr = 0, size_t ldl = 0) :
    space(s), roots((void *)root), leaves((void *)leaf), size(sizeof(L)), columns(n), root_ld(ldr), leaf_ld(ldl)
  {
    static_assert(std::is_same_v<std::remove_const_t<R>, std::remove_const_t<L>>, "roots and leaves are of one type");
  }
};

#if defined(HEPTA_HAVE_CUDA)
/*
   The common memory of a repeated operation: the same on all processes, though the arrays of each process may be on the host or
   on a device. Once a call finds the arrays of all processes on devices, the common memory is the device for good, because a
   process whose arrays are on the host later cannot tell the other processes.

   Before, the common memory is the host, and each call asks all processes where their arrays are. A call for arrays on the host
   skips the question once the arrays of all processes have been on the host, if the last question found no initialized device, so
   that programs without devices lose no time.
*/
class HeptaCommonSpace {
public:
  /* *where <- the common memory, for arrays in the given space; collective */
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

  /* sf connects blocks of bs numbers; this object takes ownership of sf; collective */
  PetscErrorCode SetUp(PetscSF sf, PetscInt bs);
  /* leaf[k] of this rank's array of `size` blocks gets root[k] of the same array of another rank; collective */
  PetscErrorCode SetUpGraph(MPI_Comm, PetscInt bs, PetscInt size, std::vector<PetscInt> &leaf, std::vector<PetscSFNode> &root);
  /*
     a gather: the leaves of each rank are the blocks of all ranks in the order of ranks; this rank has `own` blocks of bs
     numbers; collective
  */
  PetscErrorCode SetUpGather(MPI_Comm, PetscInt own, PetscInt bs);
  PetscErrorCode Reset();
  explicit       operator bool() const { return sf; }

  /*
     leaves <- the numbers of their roots, complete after End(), in the order of the space's stream; Begin() and End() get equal
     arrays; collective
  */
  PetscErrorCode Begin(const HeptaHaloArrays &);
  PetscErrorCode End(const HeptaHaloArrays &);
  /* after Begin() of arrays on the device: does the last launch only send, so that the next launch may run at the same time? */
  bool Sends() const;
#if defined(HEPTA_HAVE_CUDA)
  /*
     Where kernels can read the leaves' numbers, doubles of one column; Arrived(), after the kernel's launch, then replaces End().
     Null where kernels cannot, for one where processes share a device, because waiting kernels keep other processes from the
     multiprocessors.
  */
  const hepta::transport::Mailboxes *Arriving() const { return forward ? forward->Arriving() : nullptr; }
  void                               Arrived() { forward->Arrived(); }
#endif
  /* Begin() and End() */
  PetscErrorCode Bring(const HeptaHaloArrays &);
  /* roots <- roots + the numbers of all their leaves, doubles of one column; collective */
  PetscErrorCode Add(const HeptaHaloArrays &);
  /* makes what the first exchanges of a column in both directions would make, so that a recording may hold these; collective */
  PetscErrorCode Prepare(const HeptaSpace &);

private:
  PetscSF      sf       = nullptr;
  PetscInt     bs       = 1;
  MPI_Datatype units[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}; /* blocks of floats and of doubles */

  HeptaHaloArrays staged;    /* the arrays of the present exchange, in the memory of the exchange */
  HeptaValues     copies[2]; /* of the roots and the leaves, if the arrays are outside the memory of the exchange */

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

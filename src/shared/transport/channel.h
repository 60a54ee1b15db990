/*
   An exchange in one direction between the devices of neighboring MPI processes: each process sends some numbers of an array, and
   its neighbors store the numbers in their arrays
*/
#pragma once

#include <memory>
#include <vector>

#include "../space.h"
#include "transport.h"

/*
   What a process sends or receives: blocks first[b] .. first[b+1]-1 go to or come from neighbor b; block k is block at[k] of the
   array, or block k if `at` is empty
*/
struct HeptaChannelSide {
  std::vector<hepta::Index> first, at;
  HeptaTable<hepta::Index>  table;
};

#if defined(HEPTA_HAVE_CUDA)
class HeptaChannel {
public:
  HeptaChannel()                                = default;
  HeptaChannel(const HeptaChannel &)            = delete;
  HeptaChannel &operator=(const HeptaChannel &) = delete;
  ~HeptaChannel() { (void)Reset(); }

  HeptaChannelSide         out, in;
  std::vector<PetscMPIInt> neighbors; /* symmetric: this process is a neighbor of each neighbor */
  PetscInt                 bs = 1;

  /* to be called when the members above are set and the transport is decided; no other channel may use the tag */
  PetscErrorCode SetUp(HeptaTransport *, PetscMPIInt tag);
  /* makes room for `columns` columns, and the tables on the device; collective */
  PetscErrorCode Reserve(const HeptaSpace &, PetscInt columns);
  /* Begin() sends numbers of `size` bytes from columns that are ld apart, End() receives them; collective */
  PetscErrorCode Begin(const HeptaSpace &, int size, PetscInt columns, const void *from, size_t ld);
  PetscErrorCode End(const HeptaSpace &, int size, PetscInt columns, void *to, size_t ld);
  /* Begin() and End(), in one kernel if possible */
  PetscErrorCode Bring(const HeptaSpace &, int size, PetscInt columns, const void *from, size_t from_ld, void *to, size_t to_ld);
  /* does Begin() end with a kernel that writes into the neighbors' memory? */
  bool Puts() const { return transport->used == HeptaTransportKind::ipc && !neighbors.empty(); }
  /*
     the mailboxes for a kernel that reads a column of doubles there; Arrived(), after the kernel's launch, then replaces End().
     Null: End() must be called.
  */
  const hepta::transport::Mailboxes *Arriving() const { return Puts() && in_order && !transport->shares ? &boxes : nullptr; }
  void                               Arrived() { under_way = false; }

private:
  HeptaTransport *transport = nullptr;
  PetscMPIInt     tag       = 0;
  PetscInt        most      = 0;     /* the number of columns that there is room for */
  bool            in_order  = false; /* numbers arrive in the order of the array */
  /* ipc */
  HeptaMailboxMemory          mailbox, counters;
  bool                        under_way = false; /* between Begin() and End() or Arrived() */
  hepta::transport::Mailboxes boxes     = {};
  /* mpi */
  hepta::Stream            copies     = nullptr; /* for copies to and from the host, concurrent with other streams */
  void                    *send[2]    = {};      /* the buffer on the device, and MPI's buffer */
  void                    *receive[2] = {};
  std::vector<MPI_Request> requests;

  PetscErrorCode Reset();
  PetscErrorCode Connect();
  PetscErrorCode Allocate();
  PetscErrorCode Describe(HeptaChannelSide &, const HeptaSpace &, int size, PetscInt columns, size_t ld,
                          hepta::transport::Numbers *);
  PetscErrorCode Post(bool sends, int size, PetscInt columns);
  PetscErrorCode SendByNccl(int size, PetscInt columns);
  size_t         Bytes(const HeptaChannelSide &side) const
  {
    return (size_t)side.first.back() * bs * most * sizeof(double);
  } /* the largest numbers that are sent */
};
#endif

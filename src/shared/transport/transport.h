/* How numbers that live on devices travel between the MPI processes of a communicator */
#pragma once

#include <string>
#include <vector>

#include "nccl/nccl.h"
#include "transport.hxx"
#include "transport_model.hxx"

/* One for each communicator, the same on all its processes */
struct HeptaTransport {
  MPI_Comm           comm = MPI_COMM_NULL;
  PetscMPIInt        size = 1, rank = 0;
  HeptaTransportKind asked = HeptaTransportKind::automatic, used = HeptaTransportKind::mpi;
  bool               shares  = false; /* some processes have the same device */
  bool               probed  = false; /* device memory has been used: `used` and `why` are decided */
  bool               devices = false; /* some process had initialized its device when the processes last asked each other where their arrays are */
  bool               mixed   = false; /* in some exchange arrays were on the devices of some processes and on the host of others */
  std::string        why;
  PetscReal          limit                       = 300; /* seconds that a process waits for another */
  char               library[PETSC_MAX_PATH_LEN] = "libnccl.so.2";
#if defined(HEPTA_HAVE_CUDA)
  std::unique_ptr<HeptaNccl> nccl;
  int                       *late[2] = {}; /* a flag that kernels set when a process has not sent in time, addressed by the host and by the device */

  ~HeptaTransport();
  /* sets w->late and w->limit, for kernels that wait */
  PetscErrorCode SetLimit(hepta::transport::Waiting *w);
  /* an error if a kernel has waited too long */
  PetscErrorCode CheckLate() const;
  bool           IsLate() const
  {
    return late[0] && *(volatile int *)late[0];
  }
#endif

  /* can exchanges be recorded? */
  bool Records() const
  {
    return probed && (used == HeptaTransportKind::ipc || used == HeptaTransportKind::nccl);
  }
};

/*
   HeptaTransportOf - the transport of a communicator, which the option -hepta_transport asks for

   Collective where the communicator has none yet.
*/
PETSC_INTERN PetscErrorCode HeptaTransportOf(MPI_Comm comm, HeptaTransport **);
/* decides which transport is used, at the first use of device memory; collective */
PETSC_INTERN PetscErrorCode HeptaTransportProbe(HeptaTransport *);
/* views a line that says which transport the exchanges named by `what` use, and why; nothing for one process */
PETSC_INTERN PetscErrorCode HeptaTransportView(MPI_Comm, const char what[], PetscViewer);

#if defined(HEPTA_HAVE_CUDA)
/* Device memory of a process that others may write, and what they must know to open it */
struct HeptaMailboxMemory {
  unsigned char handle[hepta::transport::handle_bytes];
  char         *p      = nullptr;      /* its address for its owner */
  size_t        offset = 0, bytes = 0; /* within the memory that the handle opens */
};

/* Takes zeroed memory from a pool of the process, and returns it to the pool */
PETSC_INTERN PetscErrorCode HeptaMailboxTake(size_t bytes, HeptaMailboxMemory *);
PETSC_INTERN PetscErrorCode HeptaMailboxGive(HeptaMailboxMemory *);
/* p[k] <- the address in this process of each of the memories, which this or other processes of the host own. Handles stay open. Collective: the same error on all processes when one cannot open them. */
PETSC_INTERN PetscErrorCode HeptaMailboxOpen(MPI_Comm, const std::vector<HeptaMailboxMemory> &, void *p[]);
#endif

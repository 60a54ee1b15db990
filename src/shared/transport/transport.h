/* How numbers that live on devices travel between the MPI processes of a communicator */
#pragma once

#include <string>
#include <vector>

#include "nccl/nccl.h"
#include "transport.hxx"
#include "transport_model.hxx"

/* The transport of a communicator, equal on all its processes */
struct HeptaTransport {
  MPI_Comm           comm = MPI_COMM_NULL;
  PetscMPIInt        size = 1, rank = 0;
  HeptaTransportKind asked = HeptaTransportKind::automatic, used = HeptaTransportKind::mpi;
  bool               shares  = false; /* some processes have the same device */
  bool               probed  = false; /* device memory has been used: `used` and `why` are decided */
  bool               devices = false; /* some process had initialized its device at the last question where arrays are */
  /* in some exchange arrays were on the devices of some processes and on the host of others */
  bool        mixed = false;
  std::string why;
  PetscReal   limit                       = 300; /* seconds that a process waits for another */
  char        library[PETSC_MAX_PATH_LEN] = "libnccl.so.2";
#if defined(HEPTA_HAVE_CUDA)
  std::unique_ptr<HeptaNccl> nccl;
  int                       *late[2] = {}; /* for host and device: set by a kernel when a process has not sent in time */

  ~HeptaTransport();
  /* sets w->late and w->limit, for kernels that wait */
  PetscErrorCode SetLimit(hepta::transport::Waiting *w);
  /* an error if a kernel has waited too long */
  PetscErrorCode CheckLate() const;
  bool           IsLate() const { return late[0] && *(volatile int *)late[0]; }
#endif

  /* can exchanges be recorded? */
  bool Records() const { return probed && (used == HeptaTransportKind::ipc || used == HeptaTransportKind::nccl); }
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
/* Device memory of a process that other processes may write, and what opens the memory */
struct HeptaMailboxMemory {
  unsigned char handle[hepta::transport::handle_bytes];
  char         *p      = nullptr;      /* address in the owning process */
  size_t        offset = 0, bytes = 0; /* within the memory that the handle opens */
};

/* Zeroed memory from a pool of the process, and its return to the pool */
PETSC_INTERN PetscErrorCode HeptaMailboxTake(size_t bytes, HeptaMailboxMemory *);
PETSC_INTERN PetscErrorCode HeptaMailboxGive(HeptaMailboxMemory *);
/*
   p[k] <- the address in this process of memory k, which this or another process of the host owns. Handles stay open. Collective:
   all processes raise the error of a process that cannot open a memory.
*/
PETSC_INTERN PetscErrorCode HeptaMailboxOpen(MPI_Comm, const std::vector<HeptaMailboxMemory> &, void *p[]);
#endif

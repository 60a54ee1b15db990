/* Sums of a few numbers over all MPI processes of a communicator that stay on their devices */
#pragma once

#include "../space.h"
#include "transport.h"

/*
   With ipc the kernel that has made the sums of a process also adds the sums of all processes, by Get(). No kernel can call NCCL,
   so with nccl the sums of all processes are gathered after that kernel, and another kernel adds the gathered sums. Other
   transports have neither way.
*/
class HeptaTeam {
public:
  HeptaTeam()                             = default;
  HeptaTeam(const HeptaTeam &)            = delete;
  HeptaTeam &operator=(const HeptaTeam &) = delete;
  ~HeptaTeam() { (void)Reset(); }

  PetscErrorCode Reset();
  /* what kernels need, on the device; null if the transport is not ipc */
  const hepta::transport::Team *Get() const { return (const hepta::transport::Team *)team; }
#if defined(HEPTA_HAVE_CUDA)
  /* the space must be a device; collective */
  PetscErrorCode SetUp(const HeptaSpace &, MPI_Comm comm);
  /* is the transport nccl? Then all processes must gather equally often, even while iterations pause. */
  bool Gathers() const { return transport && transport->nccl; }
  /* *all <- n <= most_sums numbers of each process, by rank; in the order of the space's stream; can be recorded; collective */
  PetscErrorCode Gather(const HeptaSpace &, const PetscScalar own[], int n, const PetscScalar **all);
  /* after the launch of a recording with gathers: a gather is given up after the limit, as outside recordings */
  PetscErrorCode Follow(const HeptaSpace &) const;
  /* HeptaTransport::CheckLate() and HeptaNccl::Check(), to be called while the host waits and after waiting */
  PetscErrorCode CheckLate() const;
#else
  bool Gathers() const { return false; }
#endif

private:
  void *team = nullptr;
#if defined(HEPTA_HAVE_CUDA)
  HeptaMailboxMemory slots, own;
  HeptaTransport    *transport = nullptr;
  HeptaValues        gathered;

  PetscErrorCode Connect();
#endif
};

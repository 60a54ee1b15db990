/* Sums of a few numbers over all MPI processes of a communicator, made by kernels of each */
#pragma once

#include "../space.h"
#include "transport.h"

class HeptaTeam {
public:
  HeptaTeam()                             = default;
  HeptaTeam(const HeptaTeam &)            = delete;
  HeptaTeam &operator=(const HeptaTeam &) = delete;
  ~HeptaTeam() { (void)Reset(); }

  /* there is one where the transport is ipc; collective */
  PetscErrorCode SetUp(MPI_Comm comm);
  PetscErrorCode Reset();
  /* on the device; null for none */
  const hepta::transport::Team *Get() const { return (const hepta::transport::Team *)team; }

private:
  void *team = nullptr;
#if defined(HEPTA_HAVE_CUDA)
  HeptaMailboxMemory slots, own;
#endif
};

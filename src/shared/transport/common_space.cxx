/* Where processes whose arrays may be in different memories work together */
#include "common_space.h"

#include <petscdevice.h>

#if defined(HEPTA_HAVE_CUDA)
PetscErrorCode HeptaCommonSpace::Find(MPI_Comm comm, const HeptaSpace &space, HeptaSpace *where)
{
  HeptaTransport *t;

  PetscFunctionBegin;
  *where = space;
  if (!agreed[1]) {
    PetscCall(HeptaTransportOf(comm, &t));
    if (t->devices || space.device || !agreed[0]) {
      PetscMPIInt some[3] = {!space.device, space.device, PetscDeviceInitialized(PETSC_DEVICE_CUDA)};
      PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, some, 3, MPI_INT, MPI_MAX, comm));
      if (!some[0] || !some[1]) agreed[space.device] = true;
      t->mixed   = t->mixed || (some[0] && some[1]);
      t->devices = t->devices || some[2];
    }
  }
  if (agreed[1] != space.device) PetscCall(HeptaSpaceOf(agreed[1] ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST, where));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

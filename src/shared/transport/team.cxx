#include <vector>

#include "team.h"

using namespace hepta::transport;

PetscErrorCode HeptaTeam::Reset()
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  PetscCall(HeptaMailboxGive(&slots));
  PetscCall(HeptaMailboxGive(&own));
#endif
  team = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)

PetscErrorCode HeptaTeam::SetUp(MPI_Comm comm)
{
  HeptaTransport *t;
  Team            here = {};

  PetscFunctionBegin;
  PetscCall(Reset());
  PetscCall(HeptaTransportOf(comm, &t));
  PetscCall(HeptaTransportProbe(t));
  if (!t->Records()) PetscFunctionReturn(PETSC_SUCCESS);
  const size_t                    bytes = mailbox_bytes * sizeof(double) * 2 * (size_t)t->size * most_sums;
  std::vector<HeptaMailboxMemory> all(t->size);

  PetscErrorCode code = HeptaMailboxTake(bytes, &slots);
  if (!code) code = HeptaMailboxTake(sizeof(Team) + sizeof(Progress), &own);
  PetscCall(HeptaAgreeOnError(comm, code, "No device memory for the sums of the processes"));
  PetscCallMPI(MPI_Allgather(&slots, sizeof(slots), MPI_BYTE, all.data(), sizeof(slots), MPI_BYTE, comm));
  here.rank         = t->rank;
  here.shares       = t->shares;
  here.here         = slots.p;
  here.progress     = (Progress *)(own.p + sizeof(Team));
  here.waiting.n    = t->size;
  for (PetscMPIInt r = 0; r < t->size; r++) {
    char *p;
    PetscCall(HeptaMailboxOpen(all[r], &p));
    here.there[r] = p;
  }
  PetscCall(HeptaTransportTimeout(*t, &here.waiting));
  PetscCallHepta(hepta::copy_to_device(own.p, &here, sizeof(here), nullptr));
  team = own.p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode HeptaTeam::SetUp(MPI_Comm)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

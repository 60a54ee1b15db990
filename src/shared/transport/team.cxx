#include <vector>

#include "team.h"

using namespace hepta::transport;

PetscErrorCode HeptaTeam::Reset()
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (transport && transport->IsLate()) slots.p = nullptr; /* other processes may still write there */
  PetscCall(HeptaMailboxGive(&slots));
  PetscCall(HeptaMailboxGive(&own));
  PetscCall(gathered.Free());
  transport = nullptr;
#endif
  team = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)

/* Opens the slots of every process, where the kernels of all processes write */
PetscErrorCode HeptaTeam::Connect()
{
  HeptaTransport                 &t     = *transport;
  const size_t                    bytes = mailbox_bytes * sizeof(double) * 2 * (size_t)t.size * most_sums;
  std::vector<HeptaMailboxMemory> all(t.size);
  Team                            here = {};

  PetscFunctionBegin;
  PetscErrorCode code = HeptaMailboxTake(bytes, &slots);
  if (!code) code = HeptaMailboxTake(sizeof(here) + sizeof(Progress), &own);
  PetscCall(HeptaAgreeOnError(t.comm, code, "No device memory for the sums of the processes"));
  PetscCallMPI(MPI_Allgather(&slots, sizeof(slots), MPI_BYTE, all.data(), sizeof(slots), MPI_BYTE, t.comm));
  here.rank      = t.rank;
  here.shares    = t.shares;
  here.here      = slots.p;
  here.progress  = (Progress *)(own.p + sizeof(here));
  here.waiting.n = t.size;
  PetscCall(HeptaMailboxOpen(t.comm, all, here.there));
  PetscCall(t.SetLimit(&here.waiting));
  PetscCallHepta(hepta::copy_to_device(own.p, &here, sizeof(here), nullptr));
  team = own.p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTeam::SetUp(const HeptaSpace &space, MPI_Comm comm)
{
  PetscFunctionBegin;
  PetscCall(Reset());
  PetscCall(HeptaTransportOf(comm, &transport));
  PetscCall(HeptaTransportProbe(transport));
  if (transport->used == HeptaTransportKind::ipc) PetscCall(Connect());
  if (transport->used == HeptaTransportKind::nccl) {
    const PetscScalar *all;

    PetscCall(gathered.Resize((size_t)transport->size * most_sums * sizeof(PetscScalar)));
    PetscCall(gathered.Zero(space));
    PetscCall(gathered.Access(space, HeptaAccess::read, &all));
    /* in place; this first gather connects the processes */
    PetscCall(Gather(space, all + (size_t)transport->rank * most_sums, most_sums, &all));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTeam::Gather(const HeptaSpace &space, const PetscScalar sums[], int n, const PetscScalar **all)
{
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(gathered.Access(space, HeptaAccess::write, &to));
  PetscCall(transport->nccl->Gather(sums, to, (size_t)n * sizeof(PetscScalar), space.stream));
  *all = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTeam::Follow(const HeptaSpace &space) const
{
  PetscFunctionBegin;
  if (Gathers()) PetscCall(transport->nccl->Follow(space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTeam::CheckLate() const
{
  PetscFunctionBegin;
  if (transport) PetscCall(transport->CheckLate());
  if (Gathers()) PetscCall(transport->nccl->Check());
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

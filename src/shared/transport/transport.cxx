/* Which transport the processes of a communicator use, and why */
#include <algorithm>
#include <vector>

#include "transport.h"

static const char *const kinds[] = {"auto", "ipc", "mpi", "mpi_gpu", "HeptaTransportKind", "", nullptr};

static PetscMPIInt keyval = MPI_KEYVAL_INVALID;

static int MPIAPI FreeTransport(MPI_Comm, PetscMPIInt, void *t, void *)
{
  delete (HeptaTransport *)t;
  return MPI_SUCCESS;
}

PetscErrorCode HeptaTransportOf(MPI_Comm comm, HeptaTransport **transport)
{
  PetscMPIInt found;
  PetscEnum   asked = (PetscEnum)HeptaTransportKind::automatic;

  PetscFunctionBegin;
  if (keyval == MPI_KEYVAL_INVALID) PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, FreeTransport, &keyval, nullptr));
  PetscCallMPI(MPI_Comm_get_attr(comm, keyval, transport, &found));
  if (found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetEnum(nullptr, nullptr, "-hepta_transport", kinds, &asked, nullptr));
  auto *t  = new HeptaTransport;
  t->comm  = comm;
  t->asked = (HeptaTransportKind)asked;
  PetscCallMPI(MPI_Comm_size(comm, &t->size));
  PetscCallMPI(MPI_Comm_rank(comm, &t->rank));
  PetscCallMPI(MPI_Comm_set_attr(comm, keyval, t));
  *transport = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string HeptaTransportTitle(const HeptaTransport &t)
{
  if (!t.probed) return "PetscSF in host memory";
  return std::string(kinds[(int)t.used]) + (t.why.empty() ? "" : " (" + t.why + ")");
}

#if defined(HEPTA_HAVE_CUDA)

using namespace hepta::transport;

static int      *late_here = nullptr, *late_there = nullptr;
static PetscReal limit = 30; /* seconds */

PetscErrorCode HeptaTransportPatience(Waiting *w)
{
  PetscFunctionBegin;
  if (!late_here) {
    PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-hepta_transport_timeout", &limit, nullptr));
    PetscCheck(limit > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-hepta_transport_timeout %g must be positive: it is the time in seconds that a process waits for another", (double)limit);
    PetscCallHepta(hepta::mapped_alloc(sizeof(int), (void **)&late_here, (void **)&late_there));
  }
  w->late  = late_there;
  w->limit = 1e9 * (double)limit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTransportCheck()
{
  PetscFunctionBegin;
  PetscCheck(!late_here || !*(volatile int *)late_here, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "Another MPI process has not sent what this one waited for on the device within %g seconds: it has failed, or makes other calls; -hepta_transport_timeout gives it more time", (double)limit);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What each process tells the others of its device */
struct Device {
  unsigned char      identity[16];
  HeptaMailboxMemory memory;
};

/* Ranks below the own one that have the same device: the first, or -1 */
static PetscMPIInt SharesWith(const std::vector<Device> &all, PetscMPIInt rank)
{
  for (PetscMPIInt r = 0; r < rank; r++) {
    if (std::equal(all[r].identity, all[r].identity + 16, all[rank].identity)) return r;
  }
  return -1;
}

/* why <- what is in the way of ipc on one of the processes, the same on all; empty for nothing */
static PetscErrorCode CheckIpc(HeptaTransport *t, std::string *why)
{
  MPI_Comm            host;
  PetscMPIInt         here, bad[2];
  std::vector<Device> all(t->size);
  Device              own = {};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  PetscCallMPI(MPI_Comm_size(host, &here));
  PetscCallMPI(MPI_Comm_free(&host));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, t->comm));
  if (here < t->size) *why = "the processes are on several hosts";
  if (t->size > most_neighbors) *why = HeptaFormat("ipc is for at most %d processes", most_neighbors);
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const hepta::Status  unknown = device_identity(own.identity);
  const PetscErrorCode taken   = unknown ? PETSC_ERR_GPU : HeptaMailboxTake(sizeof(int), &own.memory);
  PetscCallMPI(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, t->comm));
  bad[0] = bad[1] = t->size;
  for (PetscMPIInt r = 0; r < t->size && taken == PETSC_SUCCESS; r++) {
    void      *p    = nullptr;
    const bool mine = r == t->rank;
    if (!mine && open_memory(all[r].memory.handle, &p)) bad[0] = t->rank;
    if (p) PetscCallHepta(close_memory(p));
  }
  if (taken) bad[0] = t->rank;
  if (SharesWith(all, t->rank) >= 0) bad[1] = t->rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bad, 2, MPI_INT, MPI_MIN, t->comm));
  PetscCall(HeptaMailboxGive(&own.memory));
  t->shares = bad[1] < t->size;
  if (bad[0] < t->size) *why = HeptaFormat("process %d cannot open the device memory of the others", (int)bad[0]);
  else if (t->shares && t->asked == HeptaTransportKind::automatic) *why = HeptaFormat("process %d shares its GPU with process %d", (int)bad[1], (int)SharesWith(all, bad[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTransportProbe(HeptaTransport *t)
{
  PetscFunctionBegin;
  if (t->probed) PetscFunctionReturn(PETSC_SUCCESS);
  t->used = t->asked;
  if (t->asked == HeptaTransportKind::ipc || t->asked == HeptaTransportKind::automatic) {
    PetscCall(CheckIpc(t, &t->why));
    t->used = t->why.empty() ? HeptaTransportKind::ipc : HeptaTransportKind::mpi;
  }
  t->probed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode HeptaTransportProbe(HeptaTransport *t)
{
  PetscFunctionBegin;
  t->used   = HeptaTransportKind::mpi;
  t->probed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

/* Which transport the processes of a communicator use, and why */
#include <algorithm>
#include <array>
#include <vector>

#include "transport.h"

static const char *const kinds[] = {"auto", "ipc", "nccl", "mpi", "mpi_gpu", "HeptaTransportKind", "", nullptr};

static PetscMPIInt keyval = MPI_KEYVAL_INVALID;

static int MPIAPI FreeTransport(MPI_Comm, PetscMPIInt, void *t, void *)
{
  delete (HeptaTransport *)t;
  return MPI_SUCCESS;
}

static PetscErrorCode FromOptions(HeptaTransport *t)
{
  PetscEnum asked = (PetscEnum)t->asked;

  PetscFunctionBegin;
  PetscOptionsBegin(t->comm, nullptr, "Exchanges between GPUs", "Mat");
  PetscCall(PetscOptionsEnum("-hepta_transport", "how numbers travel from one process's GPU to another's", "MATMPIBDIACUDA", kinds, asked, &asked, nullptr));
  PetscCall(PetscOptionsReal("-hepta_transport_timeout", "seconds that a process waits for another", "MATMPIBDIACUDA", t->limit, &t->limit, nullptr));
  PetscCall(PetscOptionsString("-hepta_transport_nccl", "NCCL's library", "MATMPIBDIACUDA", t->library, t->library, sizeof(t->library), nullptr));
  PetscOptionsEnd();
  PetscCheck(t->limit > 0, t->comm, PETSC_ERR_ARG_OUTOFRANGE, "-hepta_transport_timeout %g must be positive: it is the time in seconds that a process waits for another", (double)t->limit);
  t->asked = (HeptaTransportKind)asked;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTransportOf(MPI_Comm comm, HeptaTransport **transport)
{
  PetscMPIInt found;

  PetscFunctionBegin;
  if (keyval == MPI_KEYVAL_INVALID) PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, FreeTransport, &keyval, nullptr));
  PetscCallMPI(MPI_Comm_get_attr(comm, keyval, transport, &found));
  if (found) PetscFunctionReturn(PETSC_SUCCESS);
  std::unique_ptr<HeptaTransport> t(new HeptaTransport);
  t->comm = comm;
  PetscCall(FromOptions(t.get()));
  PetscCallMPI(MPI_Comm_size(comm, &t->size));
  PetscCallMPI(MPI_Comm_rank(comm, &t->rank));
  PetscCallMPI(MPI_Comm_set_attr(comm, keyval, t.get()));
  *transport = t.release();
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string HeptaTransportTitle(const HeptaTransport &t)
{
  if (!t.probed) return "PetscSF in host memory";
  return std::string(kinds[(int)t.used]) + (t.why.empty() ? "" : " (" + t.why + ")");
}

#if defined(HEPTA_HAVE_CUDA)

using namespace hepta::transport;

static int *late_here = nullptr, *late_there = nullptr;

PetscErrorCode HeptaTransportTimeout(const HeptaTransport &t, Waiting *w)
{
  PetscFunctionBegin;
  if (!late_here) PetscCallHepta(hepta::mapped_alloc(sizeof(int), (void **)&late_here, (void **)&late_there));
  w->late  = late_there;
  w->limit = 1e9 * (double)t.limit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTransportCheck()
{
  PetscFunctionBegin;
  PetscCheck(!late_here || !*(volatile int *)late_here, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "Another MPI process has not sent in time what this one waited for on the device: it has failed, or makes other calls; -hepta_transport_timeout <seconds> gives it more time");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* t->shares, and a sentence on the first two processes that have the same device; the same on all */
static PetscErrorCode FindSharing(HeptaTransport *t, std::string *sentence)
{
  using Identity = std::array<unsigned char, 16>;
  std::vector<Identity> all(t->size);
  Identity              own = {};

  PetscFunctionBegin;
  const hepta::Status unknown = device_identity(own.data());
  PetscCall(HeptaAgreeOnError(t->comm, unknown ? PETSC_ERR_GPU : PETSC_SUCCESS, unknown ? unknown : ""));
  PetscCallMPI(MPI_Allgather(own.data(), sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, t->comm));
  for (PetscMPIInt r = 1; r < t->size && !t->shares; r++) {
    const auto first = std::find(all.begin(), all.begin() + r, all[r]);

    t->shares = first != all.begin() + r;
    if (t->shares) *sentence = HeptaFormat("process %d shares its GPU with process %d", (int)r, (int)(first - all.begin()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* why <- what is in the way of ipc on one of the processes, the same on all; empty for nothing */
static PetscErrorCode CheckIpc(HeptaTransport *t, std::string *why)
{
  MPI_Comm                        host;
  PetscMPIInt                     here, bad;
  std::vector<HeptaMailboxMemory> all(t->size);
  HeptaMailboxMemory              own = {};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  PetscCallMPI(MPI_Comm_size(host, &here));
  PetscCallMPI(MPI_Comm_free(&host));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, t->comm));
  if (here < t->size) *why = "the processes are on several hosts";
  if (t->size > most_neighbors) *why = HeptaFormat("ipc is for at most %d processes", most_neighbors);
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr)); /* without handles of its memory a process can use another transport */
  const PetscErrorCode taken = HeptaMailboxTake(sizeof(int), &own);
  PetscCall(PetscPopErrorHandler());
  PetscCallMPI(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, t->comm));
  bad = taken ? t->rank : t->size;
  for (PetscMPIInt r = 0; r < t->size && taken == PETSC_SUCCESS; r++) {
    void *p = nullptr;

    if (r != t->rank && open_memory(all[r].handle, &p)) bad = t->rank;
    if (p) PetscCallHepta(close_memory(p));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MIN, t->comm));
  PetscCall(HeptaMailboxGive(&own));
  if (bad < t->size) *why = HeptaFormat("process %d cannot open the device memory of the others", (int)bad);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of those that may be used, ipc is the fastest; NCCL connects hosts, too */
PetscErrorCode HeptaTransportProbe(HeptaTransport *t)
{
  const bool  automatic = t->asked == HeptaTransportKind::automatic, any = automatic || t->asked == HeptaTransportKind::ipc || t->asked == HeptaTransportKind::nccl;
  std::string sharing, refused;

  PetscFunctionBegin;
  if (t->probed) PetscFunctionReturn(PETSC_SUCCESS);
  t->probed = true;
  t->used   = any ? HeptaTransportKind::mpi : t->asked;
  if (t->used == HeptaTransportKind::mpi_gpu && !use_gpu_aware_mpi) {
    t->used = HeptaTransportKind::mpi;
    t->why  = "-use_gpu_aware_mpi 0 says that MPI does not know device memory";
  }
  if (!any || t->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindSharing(t, &sharing));
  if (automatic && t->shares) {
    t->why = sharing;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (t->asked != HeptaTransportKind::nccl) {
    PetscCall(CheckIpc(t, &t->why));
    if (t->why.empty()) t->used = HeptaTransportKind::ipc;
    if (t->why.empty() || !automatic) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaNccl::Create(t->comm, t->library, t->limit, &t->nccl, &refused));
  if (t->nccl) t->used = HeptaTransportKind::nccl;
  else t->why += (t->why.empty() ? "" : "; ") + refused + (t->shares ? "; " + sharing : "");
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

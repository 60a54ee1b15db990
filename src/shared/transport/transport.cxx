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
  PetscCall(PetscOptionsEnum("-hepta_transport", "how numbers travel from one process's GPU to another's", "MATMPIBDIACUDA",
                             kinds, asked, &asked, nullptr));
  PetscCall(PetscOptionsReal("-hepta_transport_timeout", "seconds that a process waits for another", "MATMPIBDIACUDA", t->limit,
                             &t->limit, nullptr));
  PetscCall(PetscOptionsString("-hepta_transport_nccl", "NCCL's library", "MATMPIBDIACUDA", t->library, t->library,
                               sizeof(t->library), nullptr));
  PetscOptionsEnd();
  PetscCheck(t->limit > 0, t->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-hepta_transport_timeout %g must be positive: it is the time in seconds that a process waits for another",
             (double)t->limit);
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

PetscErrorCode HeptaTransportView(MPI_Comm comm, const char what[], PetscViewer viewer)
{
  HeptaTransport *t;

  PetscFunctionBegin;
  PetscCall(HeptaTransportOf(comm, &t));
  if (t->size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  std::string title = t->probed  ? kinds[(int)t->used] + (t->why.empty() ? "" : " (" + t->why + ")")
                      : t->mixed ? ""
                                 : "MPI from host memory, as long as no vectors are on GPUs";
  if (t->mixed)
    title += std::string(title.empty() ? "" : ", and ") +
             "mpi from host memory (in some exchange vectors were on the GPU of some processes and on the host of others)";
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s of ranks: %s\n", what, title.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)

using namespace hepta::transport;

HeptaTransport::~HeptaTransport()
{
  (void)hepta::mapped_free(late[0]);
}

PetscErrorCode HeptaTransport::SetLimit(Waiting *w)
{
  PetscFunctionBegin;
  if (!late[0]) PetscCallHepta(hepta::mapped_alloc(sizeof(int), (void **)&late[0], (void **)&late[1]));
  w->late  = late[1];
  w->limit = 1e9 * (double)limit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaTransport::CheckLate() const
{
  PetscFunctionBegin;
  PetscCheck(!IsLate(), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "Another MPI process has not sent in time what this one waited for on the device: it has failed, or makes other "
             "calls; -hepta_transport_timeout <seconds> gives it more time. Make a new communicator to go on");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets t->shares; *sentence <- a sentence on the first two processes that share a device, equal on all processes */
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

/* *why <- why a process cannot use ipc, equal on all processes; empty if all processes can */
static PetscErrorCode CheckIpc(HeptaTransport *t, std::string *why)
{
  MPI_Comm                        host;
  PetscMPIInt                     here;
  bool                            bad = false;
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
  /* failing is no error: a process without handles of its memory uses another transport */
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const PetscErrorCode taken = HeptaMailboxTake(sizeof(int), &own);
  PetscCall(PetscPopErrorHandler());
  PetscCallMPI(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, t->comm));
  if (taken) *why = HeptaFormat("process %d cannot share its device memory", (int)t->rank);
  PetscCall(HeptaShareWords(t->comm, why));
  for (PetscMPIInt r = 0; r < t->size && why->empty(); r++) {
    void *p = nullptr;

    bad = (r != t->rank && open_memory(all[r].handle, &p)) || (p && close_memory(p)) || bad;
  }
  if (bad) *why = HeptaFormat("process %d cannot open the device memory of the others", (int)t->rank);
  PetscCall(HeptaShareWords(t->comm, why));
  PetscCall(HeptaMailboxGive(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *kinds <- the transports faster than mpi by the numbers of process 0, since GPUs of several kinds may be tuned differently */
static PetscErrorCode Faster(MPI_Comm comm, std::vector<HeptaTransportKind> *kinds)
{
  int number[3] = {0, 0, 0}; /* the number of transports, then the transports */

  PetscFunctionBegin;
  PetscCall(HeptaTuningChoose());
  for (HeptaTransportKind kind : faster_than_mpi(hepta::tuning())) number[++number[0]] = (int)kind;
  PetscCallMPI(MPI_Bcast(number, 3, MPI_INT, 0, comm));
  kinds->clear();
  for (int k = 1; k <= number[0]; k++) kinds->push_back((HeptaTransportKind)number[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `auto` tries the transports that are faster than mpi by the model; mpi_gpu is used only on request, since no call tells whether
   MPI can use device memory */
PetscErrorCode HeptaTransportProbe(HeptaTransport *t)
{
  const bool  automatic = t->asked == HeptaTransportKind::automatic,
              any       = automatic || t->asked == HeptaTransportKind::ipc || t->asked == HeptaTransportKind::nccl;
  std::string sharing;

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
  std::vector<HeptaTransportKind> kinds = {t->asked};
  if (automatic) PetscCall(Faster(t->comm, &kinds));
  for (HeptaTransportKind kind : kinds) {
    std::string refused;

    if (kind == HeptaTransportKind::ipc) PetscCall(CheckIpc(t, &refused));
    else PetscCall(HeptaNccl::Create(t->comm, t->library, t->limit, &t->nccl, &refused));
    if (refused.empty()) {
      t->used = kind;
      break;
    }
    if (kind == HeptaTransportKind::nccl && t->shares) refused += "; " + sharing;
    t->why += (t->why.empty() ? "" : "; ") + refused;
  }
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

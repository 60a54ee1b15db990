#include "transfer_mpi.h"

static PetscErrorCode Exchange(const Ends &e, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(e.before(bytes));
  PetscCallMPI(MPI_Sendrecv(e.out.Data(), (PetscMPIInt)bytes, MPI_BYTE, e.who.peer, 0, e.in.Data(), (PetscMPIInt)bytes, MPI_BYTE,
                            e.who.peer, 0, e.comm, MPI_STATUS_IGNORE));
  PetscCall(e.after(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Send(const Ends &e, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(e.before(bytes));
  PetscCallMPI(MPI_Send(e.out.Data(), (PetscMPIInt)bytes, MPI_BYTE, e.who.peer, 0, e.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Receive(const Ends &e, size_t bytes)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Recv(e.in.Data(), (PetscMPIInt)bytes, MPI_BYTE, e.who.peer, 0, e.comm, MPI_STATUS_IGNORE));
  PetscCall(e.after(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferMakeEnds(const TransferOptions &o, const Group &g, MemoryKind kind, std::shared_ptr<Ends> *ends)
{
  const std::shared_ptr<Ends> e = std::make_shared<Ends>();

  PetscFunctionBegin;
  e->comm = g.comm;
  PetscCall(Partners::Get(&e->who));
  PetscCall(e->out.Allocate(kind, (size_t)o.most));
  PetscCall(e->in.Allocate(kind, (size_t)o.most));
  PetscCall(e->out.Fill(e->who.Seed()));
  *ends = e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void TransferAddEnds(const std::shared_ptr<Ends> &e, const std::shared_ptr<Memory> &last, Way w, std::vector<Way> *ways)
{
  w.wait  = e->wait;
  w.clear = [last](size_t bytes) { return last->Clear(0, bytes); };
  w.holds = [last, e](size_t bytes, PetscBool *right) { return last->Holds(0, bytes, e->who.SeedOfPeer(), right); };
  TransferAddDirections(
    w, e->who, [e](size_t bytes) { return Send(*e, bytes); }, [e](size_t bytes) { return Receive(*e, bytes); },
    [e](size_t bytes) { return Exchange(*e, bytes); }, ways);
}

/* From one host's memory into another's, which needs no GPU */
static PetscErrorCode HostWays(const TransferOptions &o, const Group &g, std::vector<Way> *ways)
{
  std::shared_ptr<Ends> e;
  Way                   w;

  PetscFunctionBegin;
  PetscCall(TransferMakeEnds(o, g, MemoryKind::Pageable, &e));
  w.way  = "MPI, host memory";
  w.mode = "synchronous";
  TransferAddEnds(e, {e, &e->in}, w, ways);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferMPI(const TransferOptions &o, PetscBool device, TransferResults *results)
{
  std::vector<Group> pairs;
  std::string        unaware;

  PetscFunctionBegin;
  PetscCall(TransferPairs(&pairs));
  if (pairs.empty()) results->refusals.push_back({"MPI", "one rank has no other: run with mpiexec -n 2 or more"});
#ifdef HEPTA_HAVE_CUDA
  if (device && !pairs.empty()) PetscCall(TransferMPIAware(&unaware));
#endif
  if (!unaware.empty()) results->refusals.push_back({"MPI on device memory", unaware});
  for (const Group &g : pairs) {
    std::vector<Way> ways;

    if (g.comm == MPI_COMM_NULL) continue;
    PetscCall(HostWays(o, g, &ways));
#ifdef HEPTA_HAVE_CUDA
    if (device) PetscCall(TransferMPIDevice(o, g, unaware, &ways));
#else
    (void)device;
#endif
    PetscCall(TransferTime(o, g, ways, results));
  }
  PetscCall(TransferFree(&pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NCCL, whose library is loaded when the program runs: it is no part of the CUDA toolkit, and nothing else needs it */
#include <memory>

#include "shared/transport/nccl/nccl_library.hxx"
#include "transfer.h"
#include "transfer_device.h"

using namespace hepta::nccl;

namespace
{

struct Ends {
  Library  nccl{};
  Comm     comm = nullptr;
  Memory   out, in;
  ::Stream stream;
  Partners who{};
};

} // namespace

static PetscErrorCode CheckNCCL(const Library &n, int code)
{
  PetscFunctionBegin;
  PetscCheck(!code, PETSC_COMM_SELF, PETSC_ERR_GPU, "NCCL error %d: %s; NCCL_DEBUG=WARN in the environment makes NCCL say more",
             code, n.GetErrorString(code));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On all ranks; a refusal of NCCL is told in *why */
static PetscErrorCode Connect(Ends *e, std::string *why)
{
  UniqueId    id;
  Config      config;
  PetscMPIInt size;
  int         code;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (e->who.rank == 0) {
    code = e->nccl.GetUniqueId(&id);
    if (code) *why = std::string("ncclGetUniqueId() says ") + e->nccl.GetErrorString(code);
  }
  PetscCall(TransferAgree(why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(&id, (PetscMPIInt)sizeof(id), MPI_BYTE, 0, PETSC_COMM_WORLD));
  code = e->nccl.CommInitRankConfig(&e->comm, (int)size, id, (int)e->who.rank, &config);
  if (code) *why = std::string("ncclCommInitRankConfig() says ") + e->nccl.GetErrorString(code);
  PetscCall(TransferAgree(why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Send(const Ends &e, size_t bytes)
{
  return CheckNCCL(e.nccl, e.nccl.Send(e.out.Data(), bytes, bytes_type, (int)e.who.peer, e.comm, e.stream));
}

static PetscErrorCode Receive(const Ends &e, size_t bytes)
{
  return CheckNCCL(e.nccl, e.nccl.Recv(e.in.Data(), bytes, bytes_type, (int)e.who.peer, e.comm, e.stream));
}

static PetscErrorCode Exchange(const Ends &e, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(CheckNCCL(e.nccl, e.nccl.GroupStart()));
  PetscCall(Send(e, bytes));
  PetscCall(Receive(e, bytes));
  PetscCall(CheckNCCL(e.nccl, e.nccl.GroupEnd()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AddWays(const std::shared_ptr<Ends> &e, std::vector<Way> *ways)
{
  for (bool each : {true, false}) {
    Way w;

    w.way   = "NCCL, send and receive";
    w.mode  = each ? "synchronous" : "asynchronous";
    w.link  = Link::Peer;
    w.each  = each;
    w.wait  = [e]() { return e->stream.Wait(); };
    w.clear = [e](size_t bytes) { return e->in.Clear(0, bytes); };
    w.holds = [e](size_t bytes, PetscBool *right) { return e->in.Holds(0, bytes, e->who.SeedOfPeer(), right); };
    TransferAddDirections(
      w, e->who, [e](size_t bytes) { return Send(*e, bytes); }, [e](size_t bytes) { return Receive(*e, bytes); },
      [e](size_t bytes) { return Exchange(*e, bytes); }, ways);
  }
}

static PetscErrorCode TimePairs(const TransferOptions &o, const std::vector<Group> &pairs, const std::shared_ptr<Ends> &e,
                                TransferResults *results)
{
  std::vector<Way> ways;

  PetscFunctionBegin;
  PetscCall(e->stream.Create());
  PetscCall(e->out.Allocate(MemoryKind::Device, (size_t)o.most));
  PetscCall(e->in.Allocate(MemoryKind::Device, (size_t)o.most));
  PetscCall(e->out.Fill(e->who.Seed()));
  AddWays(e, &ways);
  for (const Group &g : pairs) PetscCall(TransferTime(o, g, ways, results));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(CheckNCCL(e->nccl, e->nccl.CommDestroy(e->comm)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferNCCL(const TransferOptions &o, TransferResults *results)
{
  const auto         e = std::make_shared<Ends>();
  std::vector<Group> pairs;
  std::string        why;

  PetscFunctionBegin;
  PetscCall(Partners::Get(&e->who));
  PetscCall(TransferPairs(&pairs));
  if (pairs.empty()) why = "one rank has no other: run with mpiexec -n 2 or more";
  else load(o.nccl, &e->nccl, &why);
  PetscCall(TransferAgree(&why));
  if (why.empty()) PetscCall(Connect(e.get(), &why));
  if (why.empty()) PetscCall(TimePairs(o, pairs, e, results));
  else results->refusals.push_back({"NCCL", why});
  PetscCall(TransferFree(&pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

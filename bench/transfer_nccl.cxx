/* NCCL, whose library is loaded when the program runs: it is no part of the CUDA toolkit, and nothing else needs it */
#include <dlfcn.h>

#include <memory>

#include "transfer.h"
#include "transfer_device.h"

namespace
{

/* nccl.h in the part that is used here; the library keeps these types from version 2.0 on */
using Comm             = struct ncclComm *;
constexpr int CharType = 0;
struct UniqueId {
  char internal[128];
};

struct Library {
  int (*GetUniqueId)(UniqueId *);
  int (*CommInitRank)(Comm *, int, UniqueId, int);
  int (*CommDestroy)(Comm);
  int (*GroupStart)();
  int (*GroupEnd)();
  int (*Send)(const void *, size_t, int, int, Comm, cudaStream_t);
  int (*Recv)(void *, size_t, int, int, Comm, cudaStream_t);
  const char *(*GetErrorString)(int);
};

struct Ends {
  Library  nccl{};
  Comm     comm = nullptr;
  Memory   out, in;
  Stream   stream;
  Partners who{};
};

} // namespace

template <class F> static bool Find(void *library, const char name[], F **f)
{
  *f = (F *)dlsym(library, name);
  return *f;
}

/* The library stays loaded; where it is not there, *why has the loader's words */
static void Load(const char file[], Library *n, std::string *why)
{
  void *so = dlopen(file, RTLD_NOW);

  if (!so) *why = std::string(dlerror()) + " (-nccl <file> names the library)";
  else if (!Find(so, "ncclGetUniqueId", &n->GetUniqueId) || !Find(so, "ncclCommInitRank", &n->CommInitRank) || !Find(so, "ncclCommDestroy", &n->CommDestroy) || !Find(so, "ncclGroupStart", &n->GroupStart) || !Find(so, "ncclGroupEnd", &n->GroupEnd) ||
           !Find(so, "ncclSend", &n->Send) || !Find(so, "ncclRecv", &n->Recv) || !Find(so, "ncclGetErrorString", &n->GetErrorString))
    *why = std::string(file) + " has not all of NCCL's functions: ncclSend() came with version 2.7";
}

static PetscErrorCode CheckNCCL(const Library &n, int code)
{
  PetscFunctionBegin;
  PetscCheck(!code, PETSC_COMM_SELF, PETSC_ERR_GPU, "NCCL error %d: %s; NCCL_DEBUG=WARN in the environment makes NCCL say more", code, n.GetErrorString(code));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On all ranks; a refusal of NCCL is told in *why */
static PetscErrorCode Connect(Ends *e, std::string *why)
{
  UniqueId    id;
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
  code = e->nccl.CommInitRank(&e->comm, (int)size, id, (int)e->who.rank);
  if (code) *why = std::string("ncclCommInitRank() says ") + e->nccl.GetErrorString(code);
  PetscCall(TransferAgree(why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Send(const Ends &e, size_t bytes)
{
  return CheckNCCL(e.nccl, e.nccl.Send(e.out.Data(), bytes, CharType, (int)e.who.peer, e.comm, e.stream));
}

static PetscErrorCode Receive(const Ends &e, size_t bytes)
{
  return CheckNCCL(e.nccl, e.nccl.Recv(e.in.Data(), bytes, CharType, (int)e.who.peer, e.comm, e.stream));
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
      w, e->who, [e](size_t bytes) { return Send(*e, bytes); }, [e](size_t bytes) { return Receive(*e, bytes); }, [e](size_t bytes) { return Exchange(*e, bytes); }, ways);
  }
}

static PetscErrorCode TimePairs(const TransferOptions &o, const std::vector<Group> &pairs, const std::shared_ptr<Ends> &e, TransferResults *results)
{
  std::vector<Way> ways;

  PetscFunctionBegin;
  PetscCall(e->stream.Create());
  PetscCall(e->out.Allocate(Place::Device, (size_t)o.most));
  PetscCall(e->in.Allocate(Place::Device, (size_t)o.most));
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
  TransferDevices    d;

  PetscFunctionBegin;
  PetscCall(Partners::Get(&e->who));
  PetscCall(TransferPairs(&pairs));
  PetscCall(TransferLookAtDevices(&d));
  if (pairs.empty()) why = "one rank has no other: run with mpiexec -n 2 or more";
  else if (!d.own) why = "two ranks share a device, which NCCL refuses";
  else Load(o.nccl, &e->nccl, &why);
  PetscCall(TransferAgree(&why));
  if (why.empty()) PetscCall(Connect(e.get(), &why));
  if (why.empty()) PetscCall(TimePairs(o, pairs, e, results));
  else results->refusals.push_back({"NCCL", why});
  PetscCall(TransferFree(&pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

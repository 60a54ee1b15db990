#include "transfer_device.h"
#include "transfer_mpi.h"

namespace
{

/* Device memory that the host's stands for */
struct Staged {
  Memory out, in;
  Stream stream;
};

} // namespace

/* cudaMemcpy() has ended when it returns */
static void Synchronous(const std::shared_ptr<Ends> &ends, const std::shared_ptr<Staged> &s)
{
  Ends *e = ends.get(); /* which keeps these functions */

  e->before = [e, s](size_t bytes) {
    PetscFunctionBegin;
    PetscCallCUDA(cudaMemcpy(e->out.Data(), s->out.Data(), bytes, cudaMemcpyDeviceToHost));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  e->after = [e, s](size_t bytes) {
    PetscFunctionBegin;
    PetscCallCUDA(cudaMemcpy(s->in.Data(), e->in.Data(), bytes, cudaMemcpyHostToDevice));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
}

/* Before a message the copy must have ended; after it nobody waits. The stream has the copies in order, so that the wait before a
   message is also one for what came with the last. */
static void Asynchronous(const std::shared_ptr<Ends> &ends, const std::shared_ptr<Staged> &s)
{
  Ends *e = ends.get();

  e->before = [e, s](size_t bytes) {
    PetscFunctionBegin;
    PetscCallCUDA(cudaMemcpyAsync(e->out.Data(), s->out.Data(), bytes, cudaMemcpyDeviceToHost, s->stream));
    PetscCall(s->stream.Wait());
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  e->after = [e, s](size_t bytes) {
    PetscFunctionBegin;
    PetscCallCUDA(cudaMemcpyAsync(s->in.Data(), e->in.Data(), bytes, cudaMemcpyHostToDevice, s->stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  e->wait = [s]() { return s->stream.Wait(); };
}

static PetscErrorCode AddStaged(const TransferOptions &o, const Group &g, const char name[], MemoryKind kind, bool asynchronous,
                                std::vector<Way> *ways)
{
  const std::shared_ptr<Staged> s = std::make_shared<Staged>();
  std::shared_ptr<Ends>         e;
  Way                           w;

  PetscFunctionBegin;
  PetscCall(TransferMakeEnds(o, g, kind, &e));
  PetscCall(s->stream.Create());
  PetscCall(s->out.Allocate(MemoryKind::Device, (size_t)o.most));
  PetscCall(s->in.Allocate(MemoryKind::Device, (size_t)o.most));
  PetscCall(s->out.Fill(e->who.Seed()));
  PetscCall(e->out.Clear(0, (size_t)o.most)); /* so that only the copy can bring there what is sent */
  if (asynchronous) Asynchronous(e, s);
  else Synchronous(e, s);
  w.way  = name;
  w.mode = asynchronous ? "asynchronous" : "synchronous";
  w.link = Link::Host;
  w.each = !asynchronous;
  TransferAddEnds(e, {s, &s->in}, w, ways);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferMPIDevice(const TransferOptions &o, const Group &g, const std::string &unaware, std::vector<Way> *ways)
{
  std::shared_ptr<Ends> e;
  Way                   w;

  PetscFunctionBegin;
  for (bool asynchronous : {false, true}) {
    PetscCall(AddStaged(o, g, "MPI through pageable memory", MemoryKind::Pageable, asynchronous, ways));
    PetscCall(AddStaged(o, g, "MPI through pinned memory", MemoryKind::Pinned, asynchronous, ways));
  }
  if (!unaware.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TransferMakeEnds(o, g, MemoryKind::Device, &e));
  w.way  = "MPI on device memory";
  w.mode = "synchronous";
  w.link = Link::Peer;
  TransferAddEnds(e, {e, &e->in}, w, ways);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferMPIAware(std::string *unaware)
{
  PetscBool aware = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-use_gpu_aware_mpi", &aware, nullptr));
  if (!aware) *unaware = "-use_gpu_aware_mpi 0 says that this MPI does not know device memory";
  else PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscFunctionReturn(PETSC_SUCCESS);
}

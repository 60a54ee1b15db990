/* Between the memory of the host and that of a rank's device */
#include <memory>

#include "transfer.h"
#include "transfer_device.h"
#include "transfer_kernels.h"

namespace
{

/* Bytes of the host that go to the device, and bytes of the device that go to the host */
struct Both {
  Memory   host_out, host_in, device_out, device_in;
  Stream   to, from;
  unsigned seed = 0;
};

enum class Direction {
  To,
  From,
  Both
};

constexpr struct {
  Direction   direction;
  const char *name;
} directions[] = {{Direction::To, "to the device"}, {Direction::From, "from the device"}, {Direction::Both, "both at once"}};

} // namespace

static PetscErrorCode Make(const TransferOptions &o, MemoryKind kind, Both *b)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  b->seed = 2 * (unsigned)rank + 1;
  PetscCall(b->host_out.Allocate(kind, (size_t)o.most));
  PetscCall(b->host_in.Allocate(kind, (size_t)o.most));
  PetscCall(b->device_out.Allocate(MemoryKind::Device, (size_t)o.most));
  PetscCall(b->device_in.Allocate(MemoryKind::Device, (size_t)o.most));
  PetscCall(b->host_out.Fill(b->seed));
  PetscCall(b->device_out.Fill(b->seed + 1));
  PetscCall(b->to.Create());
  PetscCall(b->from.Create());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What has come, on the side or sides that the direction leads to */
static void SetCheck(const std::shared_ptr<Both> &b, Direction d, Way *w)
{
  w->clear = [b](size_t bytes) {
    PetscFunctionBegin;
    PetscCall(b->device_in.Clear(0, bytes));
    PetscCall(b->host_in.Clear(0, bytes));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  w->holds = [b, d](size_t bytes, PetscBool *right) {
    PetscBool to = PETSC_TRUE, from = PETSC_TRUE;

    PetscFunctionBegin;
    if (d != Direction::From) PetscCall(b->device_in.Holds(0, bytes, b->seed, &to));
    if (d != Direction::To) PetscCall(b->host_in.Holds(0, bytes, b->seed + 1, &from));
    *right = PetscBool(to && from);
    PetscFunctionReturn(PETSC_SUCCESS);
  };
}

/* cudaMemcpy(), which has ended when it returns */
static PetscErrorCode Synchronous(const Both &b, Direction d, size_t bytes)
{
  PetscFunctionBegin;
  if (d == Direction::To) PetscCallCUDA(cudaMemcpy(b.device_in.Data(), b.host_out.Data(), bytes, cudaMemcpyHostToDevice));
  else PetscCallCUDA(cudaMemcpy(b.host_in.Data(), b.device_out.Data(), bytes, cudaMemcpyDeviceToHost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Asynchronous(const Both &b, Direction d, size_t bytes)
{
  PetscFunctionBegin;
  if (d != Direction::From)
    PetscCallCUDA(cudaMemcpyAsync(b.device_in.Data(), b.host_out.Data(), bytes, cudaMemcpyHostToDevice, b.to));
  if (d != Direction::To)
    PetscCallCUDA(cudaMemcpyAsync(b.host_in.Data(), b.device_out.Data(), bytes, cudaMemcpyDeviceToHost, b.from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kernel reads or writes the host's memory, which has the same address on the device */
static PetscErrorCode Mapped(const Both &b, Direction d, size_t bytes)
{
  PetscFunctionBegin;
  if (d != Direction::From) PetscCallCUDA(TransferCopy(b.device_in.Data(), b.host_out.Data(), bytes, b.to));
  if (d != Direction::To) PetscCallCUDA(TransferCopy(b.host_in.Data(), b.device_out.Data(), bytes, b.from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wait(const Both &b, Direction d)
{
  PetscFunctionBegin;
  if (d != Direction::From) PetscCall(b.to.Wait());
  if (d != Direction::To) PetscCall(b.from.Wait());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All directions from and to host memory of one kind, waited for one by one and in batches */
static PetscErrorCode AddWays(const TransferOptions &o, const char name[], MemoryKind kind, std::vector<Way> *ways)
{
  const std::shared_ptr<Both> b = std::make_shared<Both>();

  PetscFunctionBegin;
  PetscCall(Make(o, kind, b.get()));
  for (bool each : {true, false}) {
    for (const auto &[d, direction] : directions) {
      const auto run = kind == MemoryKind::Mapped ? Mapped : each ? Synchronous : Asynchronous;
      Way        w;

      if (run == Synchronous && d == Direction::Both) continue;
      w.way       = name;
      w.mode      = each ? "synchronous" : "asynchronous";
      w.direction = direction;
      w.link      = Link::Host;
      w.each      = each;
      w.start     = [b, run, d = d](size_t bytes) { return run(*b, d, bytes); };
      w.wait      = [b, run, d = d]() { return run == Synchronous ? PETSC_SUCCESS : Wait(*b, d); };
      SetCheck(b, d, &w);
      ways->push_back(w);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferCopies(const TransferOptions &o, TransferResults *results)
{
  std::vector<Group> groups;

  PetscFunctionBegin;
  PetscCall(TransferRanks(&groups));
  for (const Group &g : groups) {
    std::vector<Way> ways;

    if (g.comm == MPI_COMM_NULL) continue;
    PetscCall(AddWays(o, "copy, pageable memory", MemoryKind::Pageable, &ways));
    PetscCall(AddWays(o, "copy, pinned memory", MemoryKind::Pinned, &ways));
    PetscCall(AddWays(o, "kernel, mapped memory", MemoryKind::Mapped, &ways));
    PetscCall(TransferTime(o, g, ways, results));
  }
  results->refusals.push_back({"synchronous copies in both directions at once",
                               "a synchronous copy has ended when it returns, so a process has one at a time"});
  PetscCall(TransferFree(&groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

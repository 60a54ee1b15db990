/* CUDA IPC, a flag behind the bytes: a kernel writes into the memory of the other rank's device and then sets a flag there, and a
   kernel on that device waits for the flag. No message goes through MPI meanwhile. */
#include <memory>

#include "transfer.h"
#include "transfer_device.h"
#include "transfer_kernels.h"

namespace
{

/* a half of a box begins at a multiple of it, and at least as many bytes behind it belong to nobody */
constexpr size_t gap          = 256;
constexpr double wait_seconds = 10;

/* Transfers have numbers. Transfer v is written into half v mod 2 of the box of the rank that gets it, so that v + 1 does not
   touch what v has brought while it may be read, and v + 2 follows when the flag of v + 1, which the other rank sets after it has
   read v, has been seen. */
struct Boxes {
  Memory        out, box, told; /* box: two halves, the flag, whether a wait failed */
  char         *theirs = nullptr;
  Stream        stream;
  TransferFlags flags{};
  unsigned      sent = 0, received = 0;
  size_t        most = 0;
  Partners      who{};

  size_t Stride(void) const { return (most / gap + 2) * gap; }
  size_t Half(unsigned number) const { return (number & 1) * Stride(); }
  size_t FlagAt(void) const { return 2 * Stride(); }
};

} // namespace

static PetscErrorCode Allocate(const TransferOptions &o, Boxes *b)
{
  PetscFunctionBegin;
  PetscCall(Partners::Get(&b->who));
  b->most = (size_t)o.most;
  PetscCall(b->out.Allocate(MemoryKind::Device, (size_t)o.most));
  PetscCall(b->box.Allocate(MemoryKind::Device, TransferSharedBytes(b->FlagAt() + gap)));
  PetscCall(b->told.Allocate(MemoryKind::Mapped, sizeof(double)));
  PetscCall(b->out.Fill(b->who.Seed()));
  PetscCall(b->stream.Create());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Send(Boxes &b, size_t bytes)
{
  PetscFunctionBegin;
  b.sent++;
  PetscCallCUDA(TransferCopy(b.theirs + b.Half(b.sent), b.out.Data(), bytes, b.stream));
  PetscCallCUDA(TransferSignal(b.flags, b.sent, b.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Receive(Boxes &b, size_t)
{
  PetscFunctionBegin;
  b.received++;
  PetscCallCUDA(TransferAwait(b.flags, b.received, wait_seconds, b.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Exchange(Boxes &b, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(Send(b, bytes));
  PetscCall(Receive(b, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wait(const Boxes &b)
{
  PetscFunctionBegin;
  PetscCall(b.stream.Wait());
  PetscCheck(*(volatile unsigned *)b.told.Data() == 0, PETSC_COMM_SELF, PETSC_ERR_GPU,
             "The flag of rank %d for transfer %u, or for one before, did not come to rank %d in %g seconds", (int)b.who.peer,
             b.received, (int)b.who.rank, wait_seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both halves, because the next transfer may go into either */
static PetscErrorCode Clear(Boxes &b, size_t bytes)
{
  PetscFunctionBegin;
  for (unsigned number : {0U, 1U}) PetscCall(b.box.Clear(b.Half(number), bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AddWays(const std::shared_ptr<Boxes> &b, std::vector<Way> *ways)
{
  for (bool each : {true, false}) {
    Way w;

    w.way   = "CUDA IPC, kernel and flag";
    w.mode  = each ? "synchronous" : "asynchronous";
    w.link  = Link::Peer;
    w.each  = each;
    w.wait  = [b]() { return Wait(*b); };
    w.clear = [b](size_t bytes) { return Clear(*b, bytes); };
    w.holds = [b](size_t bytes, PetscBool *right) {
      return b->box.Holds(b->Half(b->received), bytes, b->who.SeedOfPeer(), right);
    };
    TransferAddDirections(
      w, b->who, [b](size_t bytes) { return Send(*b, bytes); }, [b](size_t bytes) { return Receive(*b, bytes); },
      [b](size_t bytes) { return Exchange(*b, bytes); }, ways);
  }
}

PetscErrorCode TransferIPC(const TransferOptions &o, TransferResults *results)
{
  const auto         b = std::make_shared<Boxes>();
  std::vector<Group> pairs;
  std::vector<Way>   ways;
  std::string        why;
  TransferDevices    d;

  PetscFunctionBegin;
  PetscCall(TransferPairs(&pairs));
  PetscCall(TransferLookAtDevices(&d));
  if (pairs.empty()) why = "one rank has no other: run with mpiexec -n 2 or more";
  else if (!d.one_host) why = "the ranks are on several hosts, and a handle of CUDA IPC is for one";
  if (why.empty()) {
    PetscCall(Allocate(o, b.get()));
    PetscCall(TransferOpen(b->box, b->who, &b->theirs, &why));
  }
  if (why.empty()) {
    b->flags = {(unsigned *)(b->theirs + b->FlagAt()), (unsigned *)(b->box.Data() + b->FlagAt()),
                (unsigned *)(b->box.Data() + b->FlagAt()) + 1, (unsigned *)b->told.Data()};
    AddWays(b, &ways);
    for (const Group &g : pairs) PetscCall(TransferTime(o, g, ways, results));
    PetscCall(TransferClose(&b->theirs));
    PetscCall(TransferMailboxes(o, pairs, d, results));
  } else results->refusals.push_back({"CUDA IPC", why});
  PetscCall(TransferFree(&pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

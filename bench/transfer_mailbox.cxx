/* CUDA IPC as the transport ipc has it, by the library's own kernel: it writes each number and its turn in one store into the
   mailbox of the other rank, and takes what comes into the rank's own */
#include <map>
#include <memory>

#include "shared/transport/transport.hxx"
#include "transfer.h"
#include "transfer_device.h"

namespace
{

constexpr double wait_seconds = 10;
constexpr int    recorded     = 20; /* exchanges of a recording */

struct Boxes {
  Memory                            out, in, box, progress, late; /* box: two halves and the other rank's mark */
  char                             *theirs = nullptr;
  Stream                            stream;
  hepta::transport::Mailboxes       boxes{};
  std::map<size_t, cudaGraphExec_t> recordings; /* by the number of bytes */
  Partners                          who{};

  ~Boxes()
  {
    for (auto &r : recordings) (void)cudaGraphExecDestroy(r.second);
  }
};

} // namespace

static PetscErrorCode Allocate(const TransferOptions &o, Boxes *b)
{
  const size_t most = (size_t)o.most, half = (hepta::transport::mailbox_bytes * most + 255) / 256 * 256;

  PetscFunctionBegin;
  PetscCall(Partners::Get(&b->who));
  PetscCall(b->stream.Create());
  PetscCall(b->out.Allocate(MemoryKind::Device, most));
  PetscCall(b->in.Allocate(MemoryKind::Device, most));
  PetscCall(b->box.Allocate(MemoryKind::Device, TransferSharedBytes(2 * half + sizeof(unsigned))));
  PetscCall(b->progress.Allocate(MemoryKind::Device, sizeof(hepta::transport::Progress)));
  PetscCall(b->late.Allocate(MemoryKind::Mapped, sizeof(double)));
  PetscCall(b->out.Fill(b->who.Seed()));
  b->boxes.own      = b->box.Data();
  b->boxes.own_half = b->boxes.half[0] = half;
  b->boxes.progress                    = (hepta::transport::Progress *)b->progress.Data();
  b->boxes.waiting.n                   = 1;
  b->boxes.waiting.here                = (unsigned *)(b->box.Data() + 2 * half);
  b->boxes.waiting.late                = (int *)b->late.Data();
  b->boxes.waiting.limit               = 1e9 * wait_seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both ranks take part in every exchange, with a mark alone where there is nothing to send */
static PetscErrorCode Exchange(Boxes &b, size_t sent, size_t received)
{
  const auto                      n   = (hepta::Index)(sent / sizeof(double));
  const hepta::transport::Numbers out = {sizeof(double), n, 1, (size_t)n, 1, nullptr};
  const auto                      m   = (hepta::Index)(received / sizeof(double));
  const hepta::transport::Numbers in  = {sizeof(double), m, 1, (size_t)m, 1, nullptr};

  PetscFunctionBegin;
  b.boxes.first[1] = b.boxes.ld[0] = n;
  const hepta::Status bad =
    hepta::transport::exchange_cuda(b.boxes, &out, b.out.Data(), &in, b.in.Data(), nullptr, (cudaStream_t)b.stream);
  PetscCheck(!bad, PETSC_COMM_SELF, PETSC_ERR_GPU, "%s", bad);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A recording of exchanges in both directions */
static PetscErrorCode Replay(Boxes &b, size_t bytes)
{
  cudaGraphExec_t &recording = b.recordings[bytes];

  PetscFunctionBegin;
  if (!recording) {
    cudaGraph_t graph;

    PetscCallCUDA(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < recorded; k++) PetscCall(Exchange(b, bytes, bytes));
    PetscCallCUDA(cudaStreamEndCapture(b.stream, &graph));
    PetscCallCUDA(cudaGraphInstantiate(&recording, graph, 0));
    PetscCallCUDA(cudaGraphDestroy(graph));
  }
  PetscCallCUDA(cudaGraphLaunch(recording, b.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wait(const Boxes &b)
{
  PetscFunctionBegin;
  PetscCall(b.stream.Wait());
  PetscCheck(*(volatile int *)b.late.Data() == 0, PETSC_COMM_SELF, PETSC_ERR_GPU,
             "What rank %d sends did not come to rank %d in %g seconds", (int)b.who.peer, (int)b.who.rank, wait_seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AddWays(const std::shared_ptr<Boxes> &b, std::vector<Way> *ways)
{
  Way w;

  w.way   = "CUDA IPC, number and turn";
  w.link  = Link::Peer;
  w.wait  = [b]() { return Wait(*b); };
  w.clear = [b](size_t bytes) { return b->in.Clear(0, bytes); };
  w.holds = [b](size_t bytes, PetscBool *right) { return b->in.Holds(0, bytes, b->who.SeedOfPeer(), right); };
  for (bool each : {true, false}) {
    w.mode = each ? "synchronous" : "asynchronous";
    w.each = each;
    TransferAddDirections(
      w, b->who, [b](size_t bytes) { return Exchange(*b, bytes, 0); }, [b](size_t bytes) { return Exchange(*b, 0, bytes); },
      [b](size_t bytes) { return Exchange(*b, bytes, bytes); }, ways);
  }
  w.mode      = "recorded";
  w.direction = "both at once";
  w.trips     = recorded;
  w.start     = [b](size_t bytes) { return Replay(*b, bytes); };
  ways->push_back(w);
}

PetscErrorCode TransferMailboxes(const TransferOptions &o, const std::vector<Group> &pairs, const TransferDevices &d,
                                 TransferResults *results)
{
  const auto       b = std::make_shared<Boxes>();
  std::vector<Way> ways;
  std::string      why;

  PetscFunctionBegin;
  PetscCall(Allocate(o, b.get()));
  PetscCall(TransferOpen(b->box, b->who, &b->theirs, &why));
  if (why.empty()) {
    b->boxes.box[0]           = b->theirs;
    b->boxes.waiting.there[0] = (unsigned *)(b->theirs + 2 * b->boxes.own_half);
    b->boxes.shares           = !d.own;
    AddWays(b, &ways);
    for (const Group &g : pairs) PetscCall(TransferTime(o, g, ways, results));
    PetscCall(TransferClose(&b->theirs));
  } else results->refusals.push_back({"CUDA IPC, number and turn", why});
  PetscFunctionReturn(PETSC_SUCCESS);
}

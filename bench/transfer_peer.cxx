/* Copies between two devices that one process sees, with and without their access to each other's memory. Without it the driver
   takes them through the host. */
#include <memory>

#include "transfer.h"
#include "transfer_device.h"

namespace
{

/* A device of a pair: what it sends, what has come from the other, and the stream of its copies to it */
struct Side {
  int    device = 0;
  Memory out, in;
  Stream stream;
};

/* Devices 2k and 2k + 1 */
struct Pair {
  Side side[2];
};

using Pairs = std::vector<std::unique_ptr<Pair>>;

} // namespace

static PetscErrorCode MakePairs(const TransferOptions &o, int n, Pairs *pairs)
{
  PetscFunctionBegin;
  for (int k = 0; k < n; k++) {
    auto p = std::make_unique<Pair>();

    for (int i = 0; i < 2; i++) {
      Side &s  = p->side[i];
      s.device = 2 * k + i;
      PetscCallCUDA(cudaSetDevice(s.device));
      PetscCall(s.out.Allocate(MemoryKind::Device, (size_t)o.most));
      PetscCall(s.in.Allocate(MemoryKind::Device, (size_t)o.most));
      PetscCall(s.out.Fill((unsigned)s.device + 1));
      PetscCall(s.stream.Create());
    }
    pairs->push_back(std::move(p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sends: whether the first device of each pair does, and whether the second */
static PetscErrorCode Start(const Pairs &pairs, const bool sends[2], size_t bytes)
{
  PetscFunctionBegin;
  for (const auto &p : pairs) {
    for (int i = 0; i < 2; i++) {
      const Side &from = p->side[i], &to = p->side[1 - i];
      if (sends[i]) PetscCallCUDA(cudaMemcpyPeerAsync(to.in.Data(), to.device, from.out.Data(), from.device, bytes, from.stream));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wait(const Pairs &pairs, const bool sends[2])
{
  PetscFunctionBegin;
  for (const auto &p : pairs) {
    for (int i = 0; i < 2; i++) {
      if (sends[i]) PetscCall(p->side[i].stream.Wait());
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Clear(const Pairs &pairs, size_t bytes)
{
  PetscFunctionBegin;
  for (const auto &p : pairs) {
    for (Side &s : p->side) {
      PetscCallCUDA(cudaSetDevice(s.device)); /* the legacy stream that waits for the end is that of the current device */
      PetscCall(s.in.Clear(0, bytes));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Holds(const Pairs &pairs, const bool sends[2], size_t bytes, PetscBool *right)
{
  PetscBool one;

  PetscFunctionBegin;
  *right = PETSC_TRUE;
  for (const auto &p : pairs) {
    for (int i = 0; i < 2; i++) {
      if (!sends[i]) continue;
      PetscCall(p->side[1 - i].in.Holds(0, bytes, (unsigned)p->side[i].device + 1, &one));
      if (!one) *right = PETSC_FALSE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AddWays(const std::shared_ptr<Pairs> &pairs, const char name[], std::vector<Way> *ways)
{
  static constexpr struct {
    const char *name;
    bool        sends[2];
  } directions[] = {{"first to second", {true, false}}, {"second to first", {false, true}}, {"both at once", {true, true}}};

  for (bool each : {true, false}) {
    for (const auto &d : directions) {
      const bool *sends = d.sends;
      Way         w;

      w.way       = name;
      w.mode      = each ? "synchronous" : "asynchronous";
      w.direction = d.name;
      w.link      = Link::Peer;
      w.each      = each;
      w.start     = [pairs, sends](size_t bytes) { return Start(*pairs, sends, bytes); };
      w.wait      = [pairs, sends]() { return Wait(*pairs, sends); };
      w.clear     = [pairs](size_t bytes) { return Clear(*pairs, bytes); };
      w.holds     = [pairs, sends](size_t bytes, PetscBool *right) { return Holds(*pairs, sends, bytes, right); };
      ways->push_back(w);
    }
  }
}

/* Lets both devices of each pair address each other's memory, or no longer */
static PetscErrorCode SetAccess(const Pairs &pairs, bool access)
{
  PetscFunctionBegin;
  for (const auto &p : pairs) {
    for (int i = 0; i < 2; i++) {
      PetscCallCUDA(cudaSetDevice(p->side[i].device));
      if (access) PetscCallCUDA(cudaDeviceEnablePeerAccess(p->side[1 - i].device, 0));
      else PetscCallCUDA(cudaDeviceDisablePeerAccess(p->side[1 - i].device));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CanAccess(const Pairs &pairs, bool *can)
{
  PetscFunctionBegin;
  *can = true;
  for (const auto &p : pairs) {
    for (int i = 0; i < 2; i++) {
      int yes;
      PetscCallCUDA(cudaDeviceCanAccessPeer(&yes, p->side[i].device, p->side[1 - i].device));
      if (!yes) *can = false;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimePairs(const TransferOptions &o, int n, TransferResults *results)
{
  const auto       pairs = std::make_shared<Pairs>();
  const Group      g{n == 1 ? "one pair of devices" : std::to_string(n) + " pairs of devices at once", PETSC_COMM_SELF};
  std::vector<Way> off, on;
  bool             can;

  PetscFunctionBegin;
  PetscCall(MakePairs(o, n, pairs.get()));
  AddWays(pairs, "peer copy, access off", &off);
  AddWays(pairs, "peer copy, access on", &on);
  PetscCall(CanAccess(*pairs, &can));
  PetscCall(TransferTime(o, g, off, results));
  if (can) {
    PetscCall(SetAccess(*pairs, true));
    PetscCall(TransferTime(o, g, on, results));
    PetscCall(SetAccess(*pairs, false));
  } else
    results->refusals.push_back(
      {"peer copy, access on, " + g.where, "cudaDeviceCanAccessPeer() says that the devices cannot address each other's memory"});
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferPeers(const TransferOptions &o, TransferResults *results)
{
  int         devices, mine;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallCUDA(cudaGetDevice(&mine));
  PetscCallCUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) results->refusals.push_back({"peer copy", "the process sees one device, and a peer copy is between two"});
  if (rank == 0 && devices > 1) PetscCall(TimePairs(o, 1, results));
  if (rank == 0 && devices > 3) PetscCall(TimePairs(o, devices / 2, results));
  PetscCallCUDA(cudaSetDevice(mine));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

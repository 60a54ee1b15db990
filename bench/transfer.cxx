static char help[] =
  "How long bytes take between hosts, GPUs and ranks by each way that there is: copies, mapped memory, peer copies, MPI,\n\
CUDA IPC, NCCL; with the model latency + bytes / bandwidth.\n\
  -device              with GPUs, one for each rank as far as they go; otherwise MPI in the memory of the host alone\n\
  -part <list>         of copies, peer, mpi, ipc, nccl; default all\n\
  -least <8>, -most <67108864>  bytes, multiples of 8\n\
  -factor <4>          between neighboring sizes\n\
  -calls <50>          most transfers of a batch\n\
  -batch <0.002>       seconds that a batch should last; where 2 transfers take longer, they are one\n\
  -repeats <9>         timed rounds; medians count\n\
  -host_link <GB/s>    specified bandwidth of the link between host and GPU in one direction: 64 of PCIe 5 with 16 lanes;\n\
                       not compared where it is not given\n\
  -peer_link <GB/s>    of the link between two GPUs: 450 of NVLink 4\n\
  -nccl <file>         NCCL's library, default libnccl.so.2\n\
  -json <file>         results as JSON, which scripts/plot_transfer.py draws\n\
  -markdown <file>     results as Markdown tables\n\n";

/*
  Sample runs:
    ./transfer -device -host_link 64 -peer_link 450
                                            host and GPU, and where the process sees two GPUs, between them
    mpiexec -n 2 ./transfer -device -use_gpu_aware_mpi 0 -host_link 64 -peer_link 450
                                            the same, and between two ranks
    mpiexec -n 2 ./transfer -most 1048576   MPI between the memories of two ranks
*/
#include <hepta.h>

#include <algorithm>

#ifdef HEPTA_HAVE_CUDA
  #include "transfer_device.h"
#endif
#include "petsc_types.h"
#include "transfer.h"

static PetscErrorCode GetSizes(TransferOptions *o)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-least", &o->least, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-most", &o->most, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-factor", &o->factor, nullptr));
  PetscCheck(o->least >= 8 && o->least % 8 == 0 && o->most % 8 == 0 && o->most >= o->least && o->most <= 1 << 30,
             PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-least %" PetscInt_FMT " and -most %" PetscInt_FMT " are bytes from 8 to 1073741824, ascending multiples of 8",
             o->least, o->most);
  PetscCheck(o->factor >= 2, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-factor %" PetscInt_FMT " must be at least 2",
             o->factor);
  for (size_t bytes = (size_t)o->least; bytes < (size_t)o->most; bytes *= (size_t)o->factor) o->sizes.push_back(bytes);
  o->sizes.push_back((size_t)o->most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetOptions(TransferOptions *o)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-calls", &o->calls, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-repeats", &o->repeats, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-batch", &o->batch, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-host_link", &o->host_link, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-peer_link", &o->peer_link, nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-nccl", o->nccl, sizeof(o->nccl), nullptr));
  PetscCheck(o->calls >= 1 && o->repeats >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-calls %" PetscInt_FMT " and -repeats %" PetscInt_FMT " must be at least 1", o->calls, o->repeats);
  PetscCall(GetSizes(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes the devices, and says what there are */
static PetscErrorCode Machine(PetscBool device, TransferOptions *o, std::string *machine)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  *machine = std::to_string(size) + (size == 1 ? " rank, " : " ranks, ");
  if (!device) *machine += "no GPU";
#ifdef HEPTA_HAVE_CUDA
  if (device) {
    TransferDevices d;
    cudaDeviceProp  properties;
    int             mine, devices;

    PetscCall(TransferTakeDevice());
    PetscCall(TransferLookAtDevices(&d));
    PetscCallCUDA(cudaGetDevice(&mine));
    PetscCallCUDA(cudaGetDeviceCount(&devices));
    PetscCallCUDA(cudaGetDeviceProperties(&properties, mine));
    *machine += (d.own ? "a GPU for each, " : "which share GPUs, ") + std::string(properties.name) + "; a process sees " +
                std::to_string(devices);
    if (!d.own && o->peer_link > 0) {
      *machine += "; without a link between ranks that share a GPU -peer_link is not compared";
      o->peer_link = 0;
    }
  }
#else
  (void)o;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunPart(const std::string &part, const TransferOptions &o, PetscBool device, TransferResults *results)
{
  PetscFunctionBegin;
  if (part == "mpi") PetscCall(TransferMPI(o, device, results));
#ifdef HEPTA_HAVE_CUDA
  else if (device && part == "copies") PetscCall(TransferCopies(o, results));
  else if (device && part == "peer") PetscCall(TransferPeers(o, results));
  else if (device && part == "ipc") PetscCall(TransferIPC(o, results));
  else if (device && part == "nccl") PetscCall(TransferNCCL(o, results));
#endif
  else results->refusals.push_back({part, "it is for GPUs, which -device takes in a build with CUDA"});
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parts that -part asks for */
static PetscErrorCode RunParts(const TransferOptions &o, PetscBool device, TransferResults *results)
{
  static const std::vector<std::string> parts = {"copies", "peer", "mpi", "ipc", "nccl"};
  std::vector<std::string>              wanted;
  char                                 *given[8];
  PetscInt                              n = 8;
  PetscBool                             set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-part", given, &n, &set));
  for (PetscInt k = 0; set && k < n; k++) {
    wanted.push_back(given[k]);
    PetscCall(PetscFree(given[k]));
  }
  for (const std::string &part : wanted)
    PetscCheck(std::find(parts.begin(), parts.end(), part) != parts.end(), PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "-part is a list of copies, peer, mpi, ipc and nccl, not \"%s\"", part.c_str());
  for (const std::string &part : set ? wanted : parts) PetscCall(RunPart(part, o, device, results));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  TransferOptions o;
  TransferResults results;
  std::string     machine;
  PetscBool       device = PETSC_FALSE, have = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-device", &device, nullptr));
  PetscCall(GetOptions(&o));
  if (device) PetscCall(BenchHaveDevice(&have));
  if (have) {
    PetscCall(Machine(device, &o, &machine));
    PetscCall(RunParts(o, device, &results));
    PetscCall(TransferReport(o, machine, results));
  }
  PetscCall(PetscFinalize());
  return have ? 0 : 77;
}

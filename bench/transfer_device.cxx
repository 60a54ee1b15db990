#include "transfer_device.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

static PetscErrorCode OnHost(PetscMPIInt *rank, PetscMPIInt *size)
{
  MPI_Comm host;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  PetscCallMPI(MPI_Comm_rank(host, rank));
  PetscCallMPI(MPI_Comm_size(host, size));
  PetscCallMPI(MPI_Comm_free(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferTakeDevice(void)
{
  PetscMPIInt rank, size;
  int         devices;

  PetscFunctionBegin;
  PetscCall(OnHost(&rank, &size));
  PetscCallCUDA(cudaGetDeviceCount(&devices));
  PetscCallCUDA(cudaSetDevice(rank % devices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A device has a bus address on its host, which is the same whatever CUDA_VISIBLE_DEVICES calls it */
PetscErrorCode TransferLookAtDevices(TransferDevices *d)
{
  constexpr int            length       = 64 + MPI_MAX_PROCESSOR_NAME;
  char                     mine[length] = "";
  PetscMPIInt              size, on_host, rank, n;
  int                      device;
  std::vector<std::string> names;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(OnHost(&rank, &on_host));
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaDeviceGetPCIBusId(mine, 64, device));
  PetscCallMPI(MPI_Get_processor_name(mine + std::strlen(mine), &n));
  std::vector<char> all((size_t)size * length);
  PetscCallMPI(MPI_Allgather(mine, length, MPI_CHAR, all.data(), length, MPI_CHAR, PETSC_COMM_WORLD));
  for (PetscMPIInt r = 0; r < size; r++) names.push_back(&all[(size_t)r * length]);
  std::sort(names.begin(), names.end());
  d->own      = PetscBool(std::adjacent_find(names.begin(), names.end()) == names.end());
  d->one_host = PetscBool(on_host == size);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &d->one_host, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

size_t TransferSharedBytes(size_t bytes)
{
  constexpr size_t granularity = (size_t)1 << 21;

  return (bytes + granularity - 1) / granularity * granularity;
}

PetscErrorCode TransferOpen(const Memory &mine, const Partners &who, char **theirs, std::string *why)
{
  cudaIpcMemHandle_t              handle;
  cudaError_t                     code = cudaIpcGetMemHandle(&handle, mine.Data());
  PetscMPIInt                     size;
  std::vector<cudaIpcMemHandle_t> all;

  PetscFunctionBegin;
  *theirs = nullptr;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  all.resize((size_t)size);
  PetscCallMPI(MPI_Allgather(&handle, (PetscMPIInt)sizeof(handle), MPI_BYTE, all.data(), (PetscMPIInt)sizeof(handle), MPI_BYTE,
                             PETSC_COMM_WORLD));
  if (code) *why = std::string("cudaIpcGetMemHandle() says ") + cudaGetErrorString(code);
  PetscCall(TransferAgree(why));
  if (why->empty() && who.peer < size) {
    code = cudaIpcOpenMemHandle((void **)theirs, all[(size_t)who.peer], cudaIpcMemLazyEnablePeerAccess);
    if (code) *why = std::string("cudaIpcOpenMemHandle() says ") + cudaGetErrorString(code);
  }
  PetscCall(TransferAgree(why));
  (void)cudaGetLastError(); /* the refusal is an answer, not an error of a later call */
  if (!why->empty()) PetscCall(TransferClose(theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransferClose(char **theirs)
{
  PetscFunctionBegin;
  if (*theirs) PetscCallCUDA(cudaIpcCloseMemHandle(*theirs));
  *theirs = nullptr;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

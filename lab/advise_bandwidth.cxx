/* How fast host and device move bytes: the bandwidth of a copy, the time to copy one number */
#include "advise.h"

#include <algorithm>
#include <petscdevice.h>
#include <petsctime.h>
#if defined(__linux__)
  #include <unistd.h>
#endif
#if defined(HEPTA_HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

#include "shared/tuning.hxx"

using namespace hepta;

/* Is there a CUDA device on every rank, that PETSc may use (-device_enable)? */
static PetscErrorCode FindDevice(MPI_Comm comm, bool *there)
{
  int n = 0;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (cudaGetDeviceCount(&n) != cudaSuccess) n = 0;
  (void)cudaGetLastError(); /* a missing driver is no device; a later call must not find the error */
  if (n) {
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
    if (PetscDeviceInitialize(PETSC_DEVICE_CUDA)) n = 0;
    PetscCall(PetscPopErrorHandler());
  }
#endif
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_MIN, comm));
  *there = n > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *n <- the number of values of an array that no cache holds, divided by the ranks of a node, which copy at the same time */
static PetscErrorCode CopiedValues(MPI_Comm comm, size_t *n)
{
  size_t      bytes = least_copied;
  MPI_Comm    node;
  PetscMPIInt ranks;

  PetscFunctionBegin;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (cache > 0) bytes = std::min(std::max(bytes, caches_copied * (size_t)cache), most_copied);
#endif
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &ranks));
  PetscCallMPI(MPI_Comm_free(&node));
  *n = std::max(least_copied_by_rank, bytes / (size_t)ranks) / sizeof(PetscScalar);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The median time to copy n values by VecCopy(), between vectors of this process on the host or the device */
static PetscErrorCode TimeCopy(bool device, size_t n, double *seconds)
{
  Vec                 from, to;
  PetscInt            size;
  PetscLogDouble      begin, end;
  std::vector<double> times;

  PetscFunctionBegin;
  PetscCall(PetscIntCast((PetscCount)n, &size));
  PetscCall(VecCreate(PETSC_COMM_SELF, &from));
  PetscCall(VecSetSizes(from, size, size));
  PetscCall(VecSetType(from, device ? VECSEQCUDA : VECSEQ));
  PetscCall(VecDuplicate(from, &to));
  PetscCall(VecSet(from, 1));
  for (int k = -1; k < copies; k++) { /* the first warms up */
    if (device) PetscCall(PetscDeviceContextSynchronize(nullptr));
    PetscCall(PetscTime(&begin));
    PetscCall(VecCopy(from, to));
    if (device) PetscCall(PetscDeviceContextSynchronize(nullptr));
    PetscCall(PetscTime(&end));
    if (k >= 0) times.push_back(end - begin);
  }
  std::sort(times.begin(), times.end());
  *seconds = times[copies / 2];
  PetscCall(VecDestroy(&from));
  PetscCall(VecDestroy(&to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's bandwidth, while the others measure theirs */
static PetscErrorCode MeasureBandwidth(MPI_Comm comm, bool device, HeptaAdviceSpace *result)
{
  size_t n = 0;
  double seconds;

  PetscFunctionBegin;
  PetscCall(CopiedValues(comm, &n));
  PetscCall(TimeCopy(device, n, &seconds));
  result->bandwidth = 2.0 * (double)n * sizeof(PetscScalar) / seconds;
  if (device) PetscCall(TimeCopy(device, 1, &result->launch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaAdviceBandwidths(HeptaAdvice &a)
{
  static HeptaAdviceSpace known[2];             /* this rank's */
  static PetscMPIInt      measured[2] = {0, 0}; /* the number of ranks that measured at the same time */
  PetscMPIInt             size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(a.comm, &size));
  PetscCall(FindDevice(a.comm, &a.space[1].there));
  for (int k = 0; k < 2; k++) {
    int all = measured[k] == size;
    if (!a.space[k].there) continue;
    /* all ranks measure at once, since ranks share the memory, unless all have measured among as many ranks before */
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, a.comm));
    if (!all) PetscCall(MeasureBandwidth(a.comm, k == 1, &known[k]));
    measured[k] = size;
    PetscCallMPI(MPI_Allreduce(&known[k].bandwidth, &a.space[k].bandwidth, 1, MPI_DOUBLE, MPI_SUM, a.comm));
    PetscCallMPI(MPI_Allreduce(&known[k].launch, &a.space[k].launch, 1, MPI_DOUBLE, MPI_MAX, a.comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

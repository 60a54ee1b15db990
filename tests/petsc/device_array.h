/* For the programs that hand device memory of their own to PETSc: arrays from cudaMalloc(), and copies to and from them */
#pragma once

#include "pair.h"

#define TestCuda(...) \
  do { \
    const cudaError_t cuda_error_ = __VA_ARGS__; \
    PetscCheck(cuda_error_ == cudaSuccess, PETSC_COMM_SELF, PETSC_ERR_GPU, "%s: %s", #__VA_ARGS__, cudaGetErrorString(cuda_error_)); \
  } while (0)

/* A copy of a host array in device memory, freed by its owner; null for an empty one */
template <class T> static inline PetscErrorCode ToDevice(const std::vector<T> &host, T **device)
{
  PetscFunctionBegin;
  *device = nullptr;
  if (host.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  TestCuda(cudaMalloc((void **)device, host.size() * sizeof(T)));
  TestCuda(cudaMemcpy(*device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T> static inline PetscErrorCode FreeDevice(T **device)
{
  PetscFunctionBegin;
  TestCuda(cudaFree(*device));
  *device = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How often PETSc has copied between host and device so far */
static inline PetscLogDouble CountCopies()
{
  return petsc_ctog_ct + petsc_gtoc_ct;
}

/* Copies that were made since `before` are an error, on one rank: on several the exchange of ghost values may go through the host */
static inline PetscErrorCode CheckCopies(MPI_Comm comm, PetscLogDouble before, const char what[])
{
  PetscMPIInt          size;
  const PetscLogDouble copies = CountCopies() - before;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCheck(size > 1 || copies == 0, comm, PETSC_ERR_PLIB, "%s copied %g times between host and device", what, copies);
  PetscFunctionReturn(PETSC_SUCCESS);
}

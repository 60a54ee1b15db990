#include "transfer_memory.h"

#ifdef HEPTA_HAVE_CUDA
  #include <petscdevice_cuda.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

static uint64_t Word(unsigned seed, size_t i)
{
  return ((uint64_t)seed << 32) + i + 1;
}

/* To or from any memory; pageable memory needs no device for it */
static PetscErrorCode Copy(MemoryKind kind, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  if (kind == MemoryKind::Pageable) std::memcpy(to, from, bytes);
#ifdef HEPTA_HAVE_CUDA
  else PetscCallCUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

Memory::~Memory()
{
  if (kind_ == MemoryKind::Pageable) std::free(data_);
#ifdef HEPTA_HAVE_CUDA
  else if (kind_ == MemoryKind::Device) (void)cudaFree(data_);
  else (void)cudaFreeHost(data_);
#endif
}

PetscErrorCode Memory::Allocate(MemoryKind kind, size_t bytes)
{
  void *data = nullptr;

  PetscFunctionBegin;
  if (kind == MemoryKind::Pageable) data = std::malloc(bytes);
#ifdef HEPTA_HAVE_CUDA
  else if (kind == MemoryKind::Device) PetscCallCUDA(cudaMalloc(&data, bytes));
  else PetscCallCUDA(cudaHostAlloc(&data, bytes, kind == MemoryKind::Mapped ? cudaHostAllocMapped : cudaHostAllocDefault));
#endif
  PetscCheck(data, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for %zu bytes: give a smaller -most", bytes);
  data_  = (char *)data;
  bytes_ = bytes;
  kind_  = kind;
  PetscCall(Clear(0, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

size_t Memory::WithWordBehind(size_t offset, size_t bytes) const
{
  return std::min(bytes + sizeof(uint64_t), bytes_ - offset);
}

PetscErrorCode Memory::Fill(unsigned seed)
{
  std::vector<uint64_t> words(bytes_ / sizeof(uint64_t));

  PetscFunctionBegin;
  for (size_t i = 0; i < words.size(); i++) words[i] = Word(seed, i);
  PetscCall(Copy(kind_, data_, words.data(), bytes_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Memory::Clear(size_t offset, size_t bytes)
{
  PetscFunctionBegin;
  if (kind_ != MemoryKind::Device) std::memset(data_ + offset, 0, WithWordBehind(offset, bytes));
#ifdef HEPTA_HAVE_CUDA
  else {
    PetscCallCUDA(cudaMemset(data_ + offset, 0, WithWordBehind(offset, bytes)));
    PetscCallCUDA(cudaStreamSynchronize(cudaStreamLegacy)); /* cudaMemset() may return before it has ended */
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Memory::Holds(size_t offset, size_t bytes, unsigned seed, PetscBool *right) const
{
  const size_t          all = WithWordBehind(offset, bytes);
  std::vector<uint64_t> words(all / sizeof(uint64_t));

  PetscFunctionBegin;
  PetscCall(Copy(kind_, words.data(), data_ + offset, all));
  *right = PETSC_TRUE;
  for (size_t i = 0; i < words.size(); i++) {
    if (words[i] != (i < bytes / sizeof(uint64_t) ? Word(seed, i) : 0)) *right = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

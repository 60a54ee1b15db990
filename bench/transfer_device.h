/* What the parts on devices share */
#pragma once

#include <petscdevice_cuda.h>

#include "transfer.h"

/* Who has which device, the same on all ranks of PETSC_COMM_WORLD */
struct TransferDevices {
  PetscBool one_host = PETSC_FALSE; /* all ranks are on it */
  PetscBool own      = PETSC_FALSE; /* no two ranks share a device */
};

/* Rank r of a host takes device r, counted round where there are fewer */
PetscErrorCode TransferTakeDevice(void);
PetscErrorCode TransferLookAtDevices(TransferDevices *);

/* That many bytes, and more where others would share their memory with other allocations, which a handle would open too */
size_t TransferSharedBytes(size_t bytes);
/* *theirs <- the same memory of the other rank, by CUDA IPC; a refusal of CUDA is told in *why. A rank without a pair only takes
   part in the messages of all, and has null. */
PetscErrorCode TransferOpen(const Memory &mine, const Partners &, char **theirs, std::string *why);
/* On all ranks, before the memory is freed: no other rank may have it open then */
PetscErrorCode TransferClose(char **theirs);
/* The part ipc as the library's transport has it, where memory can be opened */
PetscErrorCode TransferMailboxes(const TransferOptions &, const std::vector<Group> &pairs, const TransferDevices &,
                                 TransferResults *);

/* A stream that waits for no other */
class Stream {
public:
  Stream()                          = default;
  Stream(const Stream &)            = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream()
  {
    if (stream_) (void)cudaStreamDestroy(stream_);
  }
  /* On the current device */
  PetscErrorCode Create()
  {
    PetscFunctionBegin;
    PetscCallCUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Wait() const
  {
    PetscFunctionBegin;
    PetscCallCUDA(cudaStreamSynchronize(stream_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  operator cudaStream_t() const { return stream_; }

private:
  cudaStream_t stream_ = nullptr;
};

/* What the parts on devices share */
#pragma once

#include <petscdevice_cuda.h>

/* Who has which device, the same on all ranks of PETSC_COMM_WORLD */
struct TransferDevices {
  PetscBool one_host = PETSC_FALSE; /* all ranks are on it */
  PetscBool own      = PETSC_FALSE; /* no two ranks share a device */
};

/* Rank r of a host takes device r, counted round where there are fewer */
PetscErrorCode TransferTakeDevice(void);
PetscErrorCode TransferLookAtDevices(TransferDevices *);

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

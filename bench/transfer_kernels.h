/* Kernels that move bytes and tell of it. Sizes are multiples of 8. */
#pragma once

#include <cuda_runtime_api.h>

/* Copies between any memories that the device can address */
cudaError_t TransferCopy(void *to, const void *from, size_t bytes, cudaStream_t);

/* The flags of a pair of ranks, each in the memory of the device that waits for it */
struct TransferFlags {
  unsigned *theirs; /* in the memory of the other rank's device */
  unsigned *mine;
  unsigned *failed; /* in the memory of this device: a wait has lasted too long */
  unsigned *told;   /* the same for the host, in mapped memory */
};

/* What was copied before on this stream can be read by whoever sees the number in the other rank's flag */
cudaError_t TransferSignal(const TransferFlags &, unsigned number, cudaStream_t);
/* Until the own flag has the number, or the seconds are over */
cudaError_t TransferAwait(const TransferFlags &, unsigned number, double seconds, cudaStream_t);

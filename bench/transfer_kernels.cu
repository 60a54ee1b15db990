#include <algorithm>
#include <cuda/atomic>

#include "transfer_kernels.h"

template <class Word> static __global__ void copy_kernel(Word *to, const Word *from, size_t n)
{
  const size_t step = (size_t)gridDim.x * blockDim.x;

  for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) to[k] = from[k];
}

template <class Word> static void copy(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
  const size_t n = bytes / sizeof(Word), blocks = std::min((n + 255) / 256, (size_t)1024);

  copy_kernel<<<(unsigned)blocks, 256, 0, stream>>>((Word *)to, (const Word *)from, n);
}

cudaError_t TransferCopy(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
  if (bytes % sizeof(double2)) copy<double>(to, from, bytes, stream);
  else copy<double2>(to, from, bytes, stream);
  return cudaGetLastError();
}

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

/* The order of the stream puts what earlier kernels wrote before this store, and a release at system scope puts all of that
   before the flag for whoever acquires it, on any device */
static __global__ void signal_kernel(TransferFlags f, unsigned number)
{
  Flag(*f.theirs).store(number, cuda::memory_order_release);
}

static __device__ unsigned long long nanoseconds(void)
{
  unsigned long long now;

  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/* After a wait that has failed none waits again: a batch of them would last as many times as long */
static __global__ void await_kernel(TransferFlags f, unsigned number, unsigned long long limit)
{
  const unsigned long long begin = nanoseconds();

  while (Flag(*f.mine).load(cuda::memory_order_acquire) < number) {
    if (*f.failed || nanoseconds() - begin > limit) {
      *f.failed = 1;
      Flag(*f.told).store(1, cuda::memory_order_release);
      return;
    }
  }
}

cudaError_t TransferSignal(const TransferFlags &f, unsigned number, cudaStream_t stream)
{
  signal_kernel<<<1, 1, 0, stream>>>(f, number);
  return cudaGetLastError();
}

cudaError_t TransferAwait(const TransferFlags &f, unsigned number, double seconds, cudaStream_t stream)
{
  await_kernel<<<1, 1, 0, stream>>>(f, number, (unsigned long long)(seconds * 1e9));
  return cudaGetLastError();
}

/* What tells the host how far a stream with NCCL's exchanges has come */
#include "../../cuda_check.cuh"
#include "../transport.hxx"

namespace hepta::transport
{

static __global__ void publish_kernel(volatile int *to, int number, const volatile int *from, int *copy)
{
  *to   = number;
  *copy = *from;
}

Status publish_cuda(int *to, int number, const int *from, int *copy, Stream stream)
{
  publish_kernel<<<1, 1, 0, (cudaStream_t)stream>>>(to, number, from, copy);
  return cuda_status(cudaGetLastError());
}

} // namespace hepta::transport

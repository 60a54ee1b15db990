#include <cstring>

#include "../../cuda_check.cuh"
#include "../transport.hxx"

namespace hepta::transport
{

Status device_identity(unsigned char identity[16])
{
  int            device;
  cudaDeviceProp properties;

  if (Status bad = cuda_status(cudaGetDevice(&device))) return bad;
  if (Status bad = cuda_status(cudaGetDeviceProperties(&properties, device))) return bad;
  std::memcpy(identity, properties.uuid.bytes, 16);
  return nullptr;
}

Status export_memory(std::size_t bytes, void **p, unsigned char handle[handle_bytes])
{
  static_assert(sizeof(cudaIpcMemHandle_t) == handle_bytes, "the size of a handle");
  cudaIpcMemHandle_t h;

  *p = nullptr;
  if (Status bad = cuda_status(cudaMalloc(p, bytes))) return bad;
  Status bad = cuda_status(cudaMemset(*p, 0, bytes));
  if (!bad) bad = cuda_status(cudaDeviceSynchronize());
  if (!bad) bad = cuda_status(cudaIpcGetMemHandle(&h, *p));
  if (bad) {
    (void)cudaFree(*p);
    *p = nullptr;
    return bad;
  }
  std::memcpy(handle, &h, handle_bytes);
  return nullptr;
}

Status open_memory(const unsigned char handle[handle_bytes], void **p)
{
  cudaIpcMemHandle_t h;

  std::memcpy(&h, handle, handle_bytes);
  *p = nullptr;
  return cuda_status(cudaIpcOpenMemHandle(p, h, cudaIpcMemLazyEnablePeerAccess));
}

Status close_memory(void *p)
{
  return cuda_status(cudaIpcCloseMemHandle(p));
}

Status clear_memory(void *p, std::size_t bytes)
{
  if (Status bad = cuda_status(cudaDeviceSynchronize())) return bad; /* kernels may still wait for flags in this memory */
  if (Status bad = cuda_status(cudaMemset(p, 0, bytes))) return bad;
  return cuda_status(cudaDeviceSynchronize());
}

Status follow(Stream before, Stream after)
{
  cudaEvent_t event;

  if (Status bad = cuda_status(cudaEventCreateWithFlags(&event, cudaEventDisableTiming))) return bad;
  Status bad = cuda_status(cudaEventRecord(event, (cudaStream_t)before));
  if (!bad) bad = cuda_status(cudaStreamWaitEvent((cudaStream_t)after, event, 0));
  (void)cudaEventDestroy(event); /* CUDA keeps the event as long as a stream waits for it */
  return bad;
}

Status start_copy(void *to, const void *from, std::size_t bytes, Stream stream)
{
  return bytes ? cuda_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)stream)) : nullptr;
}

Status wait_for(Stream stream)
{
  return cuda_status(cudaStreamSynchronize((cudaStream_t)stream));
}

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

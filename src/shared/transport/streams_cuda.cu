/* The current device, and streams and copies between which exchanges are ordered */
#include <cstring>

#include "../cuda_check.cuh"
#include "transport.hxx"

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

} // namespace hepta::transport

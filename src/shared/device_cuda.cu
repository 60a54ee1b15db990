#include "cuda_check.cuh"
#include "device.hxx"

namespace hepta
{

Status device_alloc(std::size_t bytes, void **p, Stream stream)
{
  *p = nullptr;
  if (!bytes) return nullptr;
  if (Status bad = cuda_status(cudaMalloc(p, bytes))) return bad;
  return device_zero(*p, bytes, stream);
}

Status device_zero(void *p, std::size_t bytes, Stream stream)
{
  return cuda_status(cudaMemsetAsync(p, 0, bytes, (cudaStream_t)stream));
}

Status device_free(void *p)
{
  return cuda_status(cudaFree(p));
}

static Status copy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
  if (!bytes) return nullptr;
  if (Status bad = cuda_status(cudaMemcpyAsync(to, from, bytes, kind, stream))) return bad;
  return kind == cudaMemcpyDeviceToDevice ? nullptr : cuda_status(cudaStreamSynchronize(stream));
}

Status copy_to_device(void *to, const void *from, std::size_t bytes, Stream stream)
{
  return copy(to, from, bytes, cudaMemcpyHostToDevice, (cudaStream_t)stream);
}

Status copy_to_host(void *to, const void *from, std::size_t bytes, Stream stream)
{
  return copy(to, from, bytes, cudaMemcpyDeviceToHost, (cudaStream_t)stream);
}

Status copy_on_device(void *to, const void *from, std::size_t bytes, Stream stream)
{
  return copy(to, from, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream);
}

} // namespace hepta

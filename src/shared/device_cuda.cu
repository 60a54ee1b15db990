#include <cstring>

#include "device.hxx"
#include "cuda_check.cuh"

namespace hepta
{

Status device_alloc(std::size_t bytes, Stream stream, void **p)
{
  *p = nullptr;
  return bytes ? cuda_status(cudaMallocAsync(p, bytes, (cudaStream_t)stream)) : nullptr;
}

Status device_alloc_sent(std::size_t bytes, void **p)
{
  *p = nullptr;
  return bytes ? cuda_status(cudaMalloc(p, bytes)) : nullptr;
}

Status mapped_alloc(std::size_t bytes, void **p, void **device)
{
  *p = nullptr;
  if (!bytes) return nullptr;
  if (Status bad = cuda_status(cudaHostAlloc(p, bytes, cudaHostAllocMapped))) return bad;
  std::memset(*p, 0, bytes);
  return device ? cuda_status(cudaHostGetDevicePointer(device, *p, 0)) : nullptr;
}

Status mapped_free(void *p)
{
  return p ? cuda_status(cudaFreeHost(p)) : nullptr;
}

Status new_stream(Stream *stream)
{
  return cuda_status(cudaStreamCreateWithFlags((cudaStream_t *)stream, cudaStreamNonBlocking));
}

Status free_stream(Stream stream)
{
  return stream ? cuda_status(cudaStreamDestroy((cudaStream_t)stream)) : nullptr;
}

Status device_zero(void *p, std::size_t bytes, Stream stream)
{
  return cuda_status(cudaMemsetAsync(p, 0, bytes, (cudaStream_t)stream));
}

static unsigned long frees = 0;

unsigned long device_frees()
{
  return frees;
}

void count_device_free()
{
  frees++;
}

Status device_free(void *p, Stream stream, bool counts)
{
  frees += p && counts;
  return p ? cuda_status(cudaFreeAsync(p, (cudaStream_t)stream)) : nullptr;
}

Status device_free_sent(void *p)
{
  frees += p != nullptr;
  return p ? cuda_status(cudaFree(p)) : nullptr;
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

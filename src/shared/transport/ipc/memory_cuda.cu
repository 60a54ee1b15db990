/* Device memory that other processes open by CUDA IPC */
#include <cstring>

#include "../../cuda_check.cuh"
#include "../transport.hxx"

namespace hepta::transport
{

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

} // namespace hepta::transport

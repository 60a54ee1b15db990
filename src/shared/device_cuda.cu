#include <cstdint>
#include <map>

#include "device.hxx"
#include "scratch.cuh"

namespace hepta
{

/* What is larger takes longer to fill than cudaMalloc() takes */
constexpr std::size_t most_pooled = std::size_t(1) << 25;

Status device_alloc(std::size_t bytes, void **p)
{
  *p = nullptr;
  return bytes ? cuda_status(cudaMalloc(p, bytes)) : nullptr;
}

Status device_alloc_own(std::size_t bytes, Stream stream, void **p)
{
  cudaMemPool_t pool;

  if (bytes > most_pooled) return device_alloc(bytes, p);
  *p = nullptr;
  if (!bytes) return nullptr;
  if (Status bad = scratch_pool(&pool)) return bad;
  return cuda_status(cudaMallocFromPoolAsync(p, bytes, pool, (cudaStream_t)stream));
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

Status device_free(void *p)
{
  frees += p != nullptr;
  const Status bad   = p ? cuda_status(cudaDeviceSynchronize()) : nullptr; /* cudaFree() does not wait where memory is of a pool */
  const Status wrong = cuda_status(cudaFree(p));
  return bad ? bad : wrong;
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

/* A pool for each device, as long as the process: of its own, so that the program's default pool stays as the program wants it */
Status scratch_pool(cudaMemPool_t *pool)
{
  constexpr std::uint64_t            part = 128; /* of the device's memory is kept at most */
  static std::map<int, cudaMemPool_t> pools;
  cudaMemPoolProps                   properties = {};
  std::size_t                        free_bytes, total;
  int                                device;

  if (Status bad = cuda_status(cudaGetDevice(&device))) return bad;
  const auto found = pools.find(device);
  if (found != pools.end()) {
    *pool = found->second;
    return nullptr;
  }
  properties.allocType     = cudaMemAllocationTypePinned; /* the one type that there is */
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id   = device;
  Status bad               = cuda_status(cudaMemGetInfo(&free_bytes, &total));
  if (!bad) bad = cuda_status(cudaMemPoolCreate(pool, &properties));
  if (bad) return bad;
  std::uint64_t kept = total / part;
  bad                = cuda_status(cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &kept));
  if (bad) (void)cudaMemPoolDestroy(*pool);
  else pools[device] = *pool;
  return bad;
}

} // namespace hepta

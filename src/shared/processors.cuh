/* Sizes of the current device */
#pragma once

#include <algorithm>
#include <atomic>

#include <cuda_runtime.h>

#include "tuning.hxx"

namespace hepta
{

/* An attribute of the current device, 0 if unknown; asked once for the first 64 devices: asking takes as long as launching */
template <cudaDeviceAttr WHICH> int device_attribute()
{
  static std::atomic<int> known[64];
  int                     device = 0, value = 0;

  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  if (device < 64) value = known[device].load(std::memory_order_relaxed);
  if (value) return value;
  if (cudaDeviceGetAttribute(&value, WHICH, device) != cudaSuccess) return 0;
  if (device < 64) known[device].store(value, std::memory_order_relaxed);
  return value;
}

/* Multiprocessors of the current device; 1 if unknown, so that grids made from it are not empty */
inline int processors()
{
  const int n = device_attribute<cudaDevAttrMultiProcessorCount>();

  return n > 0 ? n : 1;
}

/* The most bytes of shared memory that a thread block gets on request */
inline std::size_t most_shared()
{
  return std::size_t(device_attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>());
}

/* Bytes of a matrix that the second-level cache keeps from product to product */
inline std::size_t kept_in_cache()
{
  return std::size_t(std::min(1., tuning().cache_share) * device_attribute<cudaDevAttrL2CacheSize>());
}

/* The threads that keep the memory of the current device busy */
inline std::size_t enough_threads()
{
  return std::size_t(processors()) * whole(tuning().busy_threads);
}

} // namespace hepta

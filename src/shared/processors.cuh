/* How large the current device is */
#pragma once

#include <atomic>

#include <cuda_runtime.h>

namespace hepta
{

/* An attribute of the current device, 0 if unknown; asked once for each device, because asking takes as long as launching */
template <cudaDeviceAttr WHICH> int device_attribute()
{
  static std::atomic<int> known[64];
  int                     device = 0, value = 0;

  if (cudaGetDevice(&device) != cudaSuccess || device >= 64) return 0;
  value = known[device].load(std::memory_order_relaxed);
  if (!value && cudaDeviceGetAttribute(&value, WHICH, device) == cudaSuccess) known[device].store(value, std::memory_order_relaxed);
  return value;
}

/* Multiprocessors of the current device */
inline int processors()
{
  return device_attribute<cudaDevAttrMultiProcessorCount>();
}

} // namespace hepta

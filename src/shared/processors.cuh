/* How large the current device is */
#pragma once

#include <atomic>

#include <cuda_runtime.h>

namespace hepta
{

/* Multiprocessors of the current device, 0 if unknown; asked once for each device, because asking takes as long as launching */
inline int processors()
{
  static std::atomic<int> known[64];
  int                     device = 0, count = 0;

  if (cudaGetDevice(&device) != cudaSuccess || device >= 64) return 0;
  count = known[device].load(std::memory_order_relaxed);
  if (!count && cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) == cudaSuccess) known[device].store(count, std::memory_order_relaxed);
  return count;
}

} // namespace hepta

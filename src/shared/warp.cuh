/*
   Sums and maxima over the 32 threads of a warp, by CUB; all threads call, and the first thread gets the result. Kernels shuffle
   by themselves where every thread needs the sum, or where the number of threads that share a sum is known only at the launch:
   CUB has neither.
*/
#pragma once

#include <cub/warp/warp_reduce.cuh>

namespace hepta
{

template <class T, class F> __device__ __forceinline__ T warp_reduce(T x, F f)
{
  typename cub::WarpReduce<T>::TempStorage empty; /* a whole warp exchanges through registers */

  static_assert(sizeof(empty) == 1);
  return cub::WarpReduce<T>(empty).Reduce(x, f);
}

template <class T> __device__ __forceinline__ T warp_sum(T x)
{
  return warp_reduce(x, [](const T &a, const T &b) { return a + b; });
}

template <class T> __device__ __forceinline__ T warp_max(T x)
{
  return warp_reduce(x, [](const T &a, const T &b) { return a < b ? b : a; });
}

/*
   *total <- *total + the number of active threads for which `yes` holds: one addition for a warp, where cub::DeviceReduce would
   be a separate kernel
*/
__device__ __forceinline__ void count_if(bool yes, unsigned long long *total)
{
  const unsigned lanes = __activemask(), those = __ballot_sync(lanes, yes);

  if (those && int(threadIdx.x % 32) == __ffs(int(lanes)) - 1) atomicAdd(total, (unsigned long long)__popc(those));
}

} // namespace hepta

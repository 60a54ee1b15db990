/* What the CUDA launchers share */
#pragma once

#include <cuda_runtime.h>

#include "each.hxx"

namespace hepta
{

/* CUDA's own sentence for an error; nullptr for none. Clears CUDA's last error, so that no later check reports it again. */
inline Status cuda_status(cudaError_t error)
{
  if (error == cudaSuccess) return nullptr;
  (void)cudaGetLastError();
  return cudaGetErrorString(error);
}

/* To be called after a launch: an error if CUDA did not accept it */
inline Status launched()
{
  return cuda_status(cudaGetLastError());
}

template <class F> __global__ void each_kernel(std::size_t n, F f)
{
  for (std::size_t k = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; k < n; k += std::size_t(gridDim.x) * blockDim.x) f(k);
}

/*
   Calls f(k) for every k < n, in any order. cub::DeviceFor::Bulk() would do as well, but its headers make every source compile
   longer.
*/
template <class F> Status each(std::size_t n, cudaStream_t stream, F f)
{
  constexpr unsigned threads = 256;
  const std::size_t  blocks  = (n + threads - 1) / threads;

  if (!n) return nullptr;
  each_kernel<<<(unsigned)(blocks < 0x7fffffff ? blocks : 0x7fffffff), threads, 0, stream>>>(n, f);
  return launched();
}

template <class F> Status DeviceEach::operator()(std::size_t n, F f) const
{
  return each(n, (cudaStream_t)stream, f);
}

} // namespace hepta

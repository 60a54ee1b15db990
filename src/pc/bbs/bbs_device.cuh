/* What the device kernels of the triangular solver share: values that are their own flags */
#pragma once

#include "../../shared/cuda_check.cuh"
#include "bbs_launch.hxx"

namespace hepta::bbs
{

/*
   A solution that is not there yet has all bits set, as memset leaves it: a NaN that no operation makes. One load brings flag
   and value, so nothing else needs to be ordered. A value with all bits set that comes from outside gets another NaN.
*/
constexpr int unset_byte = 0xff;

__device__ inline bool is_unset(double a)
{
  return __double_as_longlong(a) == -1;
}

__device__ inline bool is_unset(float a)
{
  return __float_as_int(a) == -1;
}

__device__ inline Scalar peek(const Scalar *p)
{
  return *(const volatile Scalar *)p;
}

__device__ inline Scalar await(const Scalar *p, Scalar value)
{
  while (is_unset(value)) value = peek(p);
  return value;
}

__device__ inline void publish(Scalar *p, Scalar value)
{
  *(volatile Scalar *)p = is_unset(value) ? Scalar(0) / Scalar(0) : value;
}

/* Sum over the `parts` neighboring threads of a row; the whole warp calls */
__device__ inline Scalar sum_parts(Scalar sum, int parts)
{
  for (int o = parts / 2; o; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  return sum;
}

/* Sum over a thread block in a fixed order; all its threads call, the first one gets it. scratch: 32 values, free after the next barrier */
__device__ inline Scalar sum_block(Scalar sum, Scalar *scratch)
{
  sum = sum_parts(sum, 32);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (unsigned w = 0; w < blockDim.x / 32 && threadIdx.x == 0; w++) sum += scratch[w];
  return sum;
}

/* Launchers of the engines */
Status solve_chunks(const Triangle &T, const Vectors &v, const Plan &plan, cudaStream_t stream);
Status solve_resident(const Triangle &T, const Vectors &v, const Plan &plan, cudaStream_t stream);

} // namespace hepta::bbs

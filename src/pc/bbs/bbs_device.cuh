/* Shared by the device kernels of the triangular solver: values that are their own flags */
#pragma once

#include <type_traits>

#include <cuda/std/bit>

#include "../../shared/cuda_check.cuh"
#include "bbs_kernels.hxx"
#include "bbs_row.hxx"

namespace hepta::bbs
{

/*
   A value of the solution is its own flag: before the computation all bits are set, by memset. The bits are a NaN that no
   operation produces. One load reads flag and value, so no fence is needed. set_value() replaces this NaN in a right-hand side by
   another NaN.
*/
constexpr int unset_byte = 0xff;

template <class T> using BitsOf = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

template <class T> constexpr BitsOf<T> unset = BitsOf<T>(-1);

template <class T> __device__ inline BitsOf<T> as_bits(T a)
{
  return cuda::std::bit_cast<BitsOf<T>>(a);
}

template <class T> __device__ inline T from_bits(BitsOf<T> b)
{
  return cuda::std::bit_cast<T>(b);
}

template <class T> __device__ inline bool is_unset(T a)
{
  return as_bits(a) == unset<T>;
}

/* a, or another NaN if a has the bits of `unset`. The other NaN is a constant, since the compiler would compute 0/0 each time. */
template <class T> __device__ inline T set_value(T a)
{
  return from_bits<T>(is_unset(a) ? unset<T> >> 1 : as_bits(a));
}

/* Loads past the first-level cache, which does not see stores of other multiprocessors */
template <class T> __device__ inline T load_relaxed(const T *p)
{
  BitsOf<T> b;

  if constexpr (sizeof(T) == 8) asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(b) : "l"(p) : "memory");
  else asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(b) : "l"(p) : "memory");
  return from_bits<T>(b);
}

template <class T> __device__ inline void store_relaxed(T *p, T a)
{
  const auto b = as_bits(a);

  if constexpr (sizeof(T) == 8) asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(p), "l"(b) : "memory");
  else asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(p), "r"(b) : "memory");
}

template <class T> __device__ inline T await(const T *p)
{
  T a = load_relaxed(p);

  while (is_unset(a)) a = load_relaxed(p);
  return a;
}

template <class T> __device__ inline void publish(T *p, T a)
{
  store_relaxed(p, set_value(a));
}

/*
   Sum over `parts` neighboring threads, which share a row, beginning with threads `from` apart. All threads of a warp must call.
*/
template <class T> __device__ inline T sum_parts(T sum, int parts, int from = 1)
{
  for (int o = from; o < parts; o *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  return sum;
}

/*
   Sum over the first `threads` threads of a thread block, in a fixed order, for the first thread. All `threads` threads call, and
   barrier() is for these threads: further threads wait elsewhere, so cub::BlockReduce, which waits for all threads, does not fit.
   scratch: 32 values, free again after the next barrier
*/
template <class T, class B> __device__ inline T sum_block(T sum, T *scratch, int threads, const B &barrier)
{
  sum = sum_parts(sum, 32);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = sum;
  barrier();
  sum = 0;
  for (int w = 0; w < threads / 32 && threadIdx.x == 0; w++) sum += scratch[w];
  return sum;
}

/* Calls f(lane) in the whole warp for each lane with `asks` */
template <class F> __device__ inline void for_lanes(bool asks, const F &f)
{
  for (unsigned lanes = __ballot_sync(0xffffffffu, asks); lanes; lanes &= lanes - 1) f(__ffs(int(lanes)) - 1);
}

constexpr Index long_row = 128; /* rows with more blocks are processed by a warp instead of a thread */

/* Loads each x[k] that is still `unset` again from where(k), all at once; returns whether all x[k] are set */
template <class T, int N, class W> __device__ inline bool look_for(T (&x)[N], const W &where)
{
  bool there = true;

  for (int k = 0; k < N; k++) {
    if (is_unset(x[k])) x[k] = load_relaxed(where(k));
  }
  for (int k = 0; k < N; k++) there = there && !is_unset(x[k]);
  return there;
}

/* Engine `chunks` */
Status solve_chunks(const TiledTriangle &T, const Vectors &v, cudaStream_t stream);

} // namespace hepta::bbs

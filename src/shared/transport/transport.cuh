/* Flags between processes that address each other's memory */
#pragma once

#include "transport.hxx"

namespace hepta::transport
{

/* *flag <- turn; who sees it sees all that was written before */
__device__ __forceinline__ void raise_flag(unsigned *flag, unsigned turn)
{
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(turn) : "memory");
}

__device__ __forceinline__ unsigned read_flag(const unsigned *flag)
{
  unsigned turn;

  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(turn) : "l"(flag) : "memory");
  return turn;
}

__device__ __forceinline__ unsigned long long nanoseconds()
{
  unsigned long long t;

  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}

/* Called by a whole warp with its lanes: true when all neighbors have raised their flags to `turn`, and what they wrote before can be read by all lanes; false when one is late. The mark
   of lateness is in the host's memory, so it is read, like the clock, once in many polls. */
__device__ __forceinline__ bool wait_for_all(int lane, const Waiting &w, unsigned turn)
{
  const unsigned long long end  = nanoseconds() + (unsigned long long)w.limit;
  bool                     came = lane >= w.n;

  for (unsigned polls = 1; !came; polls++) {
    came = int(read_flag(w.here + lane) - turn) >= 0; /* which stays right when the count of exchanges overflows */
    if (came || polls % 256) continue;
    if (*(volatile int *)w.late) break;
    if (nanoseconds() > end) *(volatile int *)w.late = 1;
  }
  const bool all = __all_sync(~0u, came);
  __syncwarp();
  return all;
}

template <class T> __device__ __forceinline__ T not_a_number();
template <> __device__ __forceinline__ float    not_a_number<float>()
{
  return __int_as_float(-1);
}
template <> __device__ __forceinline__ double not_a_number<double>()
{
  return __longlong_as_double(-1);
}

/* Called by a whole warp, whose lanes all have the same sums: sum <- those of all processes together, NaN when one is late */
template <int N> __device__ __forceinline__ void add_ranks(int lane, const Team &t, double (&sum)[N])
{
  static_assert(N <= most_sums, "places of a process");
  const unsigned turn = t.progress->done + 1;
  const int      n = t.waiting.n, half = (turn & 1) * n;

  if (lane < n) {
#pragma unroll
    for (int k = 0; k < N; k++) t.there[lane][(half + t.rank) * most_sums + k] = sum[k];
    __threadfence_system();
    raise_flag(t.waiting.there[lane], turn);
  }
  const bool came = wait_for_all(lane, t.waiting, turn);
#pragma unroll
  for (int k = 0; k < N; k++) {
    sum[k] = 0;
    for (int r = 0; r < n; r++) sum[k] += __ldcg(t.here + (half + r) * most_sums + k);
    if (!came) sum[k] = not_a_number<double>();
  }
  __syncwarp();
  if (lane == 0) t.progress->done = turn;
}

} // namespace hepta::transport

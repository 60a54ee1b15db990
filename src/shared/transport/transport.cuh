/* Flags and numbers between processes that address each other's memory */
#pragma once

#include "transport.hxx"

namespace hepta::transport
{

__device__ __forceinline__ unsigned long long nanoseconds()
{
  unsigned long long t;

  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
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

/*
   Element e of a mailbox <- a number with the turn next to every four bytes of the number: one store, whose every eight bytes
   arrive as a whole
*/
__device__ __forceinline__ void send(void *box, std::size_t e, float number, unsigned turn)
{
  asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"((char *)box + e * (mailbox_bytes * 4)),
               "r"(__float_as_uint(number)), "r"(turn)
               : "memory");
}

__device__ __forceinline__ void send(void *box, std::size_t e, double number, unsigned turn)
{
  const unsigned long long bits = __double_as_longlong(number);

  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"((char *)box + e * (mailbox_bytes * 8)),
               "r"(unsigned(bits)), "r"(turn), "r"(unsigned(bits >> 32))
               : "memory");
}

/* *number <- the number of element e; returns whether the element has the given turn */
__device__ __forceinline__ bool look(const void *box, std::size_t e, unsigned turn, float *number)
{
  unsigned bits, sent;

  asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];"
               : "=r"(bits), "=r"(sent)
               : "l"((const char *)box + e * (mailbox_bytes * 4))
               : "memory");
  *number = __uint_as_float(bits);
  return sent == turn;
}

__device__ __forceinline__ bool look(const void *box, std::size_t e, unsigned turn, double *number)
{
  unsigned low, high, sent, too;

  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(low), "=r"(sent), "=r"(high), "=r"(too)
               : "l"((const char *)box + e * (mailbox_bytes * 8))
               : "memory");
  *number = __longlong_as_double((unsigned long long)high << 32 | low);
  return sent == turn && too == turn;
}

/*
   Calls there() until it returns true; returns false when a process is late. The flag `late` is in the host's memory, so the flag
   and the clock are read only once in many calls.
*/
template <class F> __device__ __forceinline__ bool wait_for(const Waiting &w, const F &there)
{
  unsigned long long end = 0;

  for (unsigned asked = 1; !there(); asked++) {
    if (asked % 1024) continue;
    if (*(volatile int *)w.late) return false;
    const unsigned long long now = nanoseconds();
    if (!end) end = now + (unsigned long long)w.limit;
    if (now > end) *(volatile int *)w.late = 1;
  }
  return true;
}

/*
   number[k] <- the number of element e + k step, k < n <= N; NaN if a number is late. All elements are read before the first
   wait.
*/
template <int N, class T>
__device__ __forceinline__ void receive(const void *box, std::size_t e, std::size_t step, int n, unsigned turn, const Waiting &w,
                                        T (&number)[N])
{
  const bool there = wait_for(w, [&] {
    bool all = true;

#pragma unroll
    for (int k = 0; k < N; k++) {
      if (k < n) all = look(box, e + k * step, turn, &number[k]) && all;
    }
    return all;
  });

  if (there) return;
#pragma unroll
  for (int k = 0; k < N; k++) number[k] = not_a_number<T>();
}

/* An exchange under way, for kernels that read the numbers that arrive */
struct Arriving {
  const void    *box; /* number e of a column is element e, of doubles or of floats */
  unsigned       turn;
  const Waiting *waiting;
};

/*
   To be called in all threads of a kernel with one-dimensional blocks; m is a parameter of the kernel. The first block waits for
   the exchange of every neighbor, also of neighbors that send no numbers. The count is not read from the first-level cache, as a
   kernel may call this before waiting for the preceding kernel.
*/
__device__ __forceinline__ Arriving arriving(const Mailboxes &m)
{
  const unsigned turn = __ldcg(&m.progress->done) + 1;

  if (blockIdx.x == 0 && threadIdx.x < m.waiting.n) {
    /* the difference is correct even after the count of exchanges has overflowed */
    (void)wait_for(m.waiting, [&] { return int(*(volatile const unsigned *)(m.waiting.here + threadIdx.x) - turn) >= 0; });
  }
  return {m.own + (turn & 1) * m.own_half, turn, &m.waiting};
}

/*
   Ends the exchange; to be called in all threads of the kernel after everything has been read, and after the end of the sending
   kernel, which reads the number of exchanges done
*/
__device__ __forceinline__ void end_exchange(const Mailboxes &m)
{
  __syncthreads();
  if (threadIdx.x || atomicAdd(&m.progress->received, 1u) != gridDim.x - 1) return;
  m.progress->received = 0;
  m.progress->done++;
}

/* Called by a whole warp, whose lanes all have the same sums: sum <- the sums over all processes, NaN when a process is late */
template <class T, int N> __device__ __forceinline__ void add_ranks(int lane, const Team &t, T (&sum)[N])
{
  static_assert(N <= most_sums, "A process has room for most_sums numbers in the memory of each");
  const unsigned turn = t.progress->done + 1;
  const int      n = t.waiting.n, half = (turn & 1) * n;
  T              own[N] = {};

  if (lane < n) {
#pragma unroll
    for (int k = 0; k < N; k++) send(t.there[lane], (half + t.rank) * most_sums + k, sum[k], turn);
    receive(t.here, (half + lane) * most_sums, 1, N, turn, t.waiting, own);
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < N; k++) {
    sum[k] = 0;
    for (int r = 0; r < n; r++) sum[k] += __shfl_sync(~0u, own[k], r);
  }
  if (lane == 0) t.progress->done = turn;
}

} // namespace hepta::transport

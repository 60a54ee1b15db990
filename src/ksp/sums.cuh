/*
   Sums over all threads of a pass, or of a product pass and the following border pass, in a fixed order, completed by the last
   thread block
*/
#pragma once

#include "../shared/cuda_check.cuh"
#include "../shared/device.hxx"
#include "../shared/overlap.cuh"
#include "../shared/processors.cuh"
#include "../shared/transport/transport.cuh"
#include "iteration.hxx"

namespace hepta::ksp
{

constexpr int pass_threads = 256;
/* thread blocks per multiprocessor for a pass without a measured number, about as many as are resident */
constexpr int blocks_of_device = 8;
constexpr int most_of_device   = 16; /* the most for any pass */
constexpr int in_flight        = 8;  /* sums of thread blocks that a thread loads at a time */

/*
   The number of thread blocks of a pass over n items, where a block takes `each` items at a time: at most `most` for each
   multiprocessor
*/
inline unsigned pass_blocks(std::size_t n, std::size_t each, int most)
{
  const std::size_t room = std::size_t(processors()) * std::size_t(most), want = (n + each - 1) / each;

  return unsigned(want < room ? (want ? want : 1) : room);
}

/* The number of thread blocks of a kernel that are resident on a multiprocessor, so that no block waits for another to end */
template <class K> int resident_blocks(K kernel, int threads, std::size_t shared)
{
  int blocks = 0;

  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared) != cudaSuccess || blocks < 1)
    return blocks_of_device;
  return blocks < most_of_device ? blocks : most_of_device;
}

/*
   To be called at the start of a pass: lets the next pass be launched, and waits for the end of the preceding pass; with
   `beside`, the pass runs beside the preceding pass and waits later. Where ranks share a device the next pass is not launched
   early: its waiting thread blocks could leave no room for another rank, whose sums one of the passes awaits.
*/
__device__ __forceinline__ void begin_pass(const transport::Team *team, bool beside = false)
{
  if (!team || !team->shares) let_next_begin();
  if (!beside) end_after_first();
}

/* begin_pass() for a product pass that may run beside the preceding kernel and ends with end_beside() */
__device__ __forceinline__ void begin_beside(const Pass &p)
{
  begin_pass(p.team, p.beside);
}

__device__ __forceinline__ void end_beside(const Pass &p)
{
  if (p.beside) end_after_first();
}

/* The thread's number in its block, and the number of threads */
__device__ __forceinline__ int thread_number()
{
  return threadIdx.y * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ int thread_count()
{
  return blockDim.x * blockDim.y;
}

/*
   sum[k] <- the sum over the thread block, in all threads of its first warp. The block has a multiple of 32 threads, which a
   product pass chooses at its launch; cub::BlockReduce wants the number at compile time.
*/
template <int N> __device__ __forceinline__ void block_sums(Scalar (&sum)[N])
{
  __shared__ Scalar warps[N][32];
  const int         t = thread_number();

#pragma unroll
  for (int k = 0; k < N; k++) {
    for (int o = 16; o; o >>= 1) sum[k] += __shfl_xor_sync(~0u, sum[k], o);
    if (t % 32 == 0) warps[k][t / 32] = sum[k];
  }
  __syncthreads();
  if (t < 32) {
#pragma unroll
    for (int k = 0; k < N; k++) {
      sum[k] = t < thread_count() / 32 ? warps[k][t] : Scalar(0);
      for (int o = 16; o; o >>= 1) sum[k] += __shfl_xor_sync(~0u, sum[k], o);
    }
  }
  __syncthreads();
}

/*
   Returns the number of earlier callers. Later callers see what this thread has written before the call, and this thread sees
   what earlier callers have written.
*/
__device__ __forceinline__ unsigned take_ticket(unsigned *tickets)
{
  unsigned before;

  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(tickets) : "memory");
  return before;
}

/* sum[k] <- the sum of the parts of all thread blocks, in the threads of the first warp */
template <int N> __device__ __forceinline__ void add_blocks(Scalar (&sum)[N], const Scalar *partial, unsigned blocks)
{
  const unsigned threads = thread_count();

  for (int k = 0; k < N; k++) sum[k] = 0;
  for (unsigned first = thread_number(); first < blocks; first += in_flight * threads) {
    Scalar part[N][in_flight];

#pragma unroll
    for (int u = 0; u < in_flight; u++) {
#pragma unroll
      for (int k = 0; k < N; k++)
        part[k][u] = first + u * threads < blocks ? __ldcg(partial + (first + u * threads) * N + k) : Scalar(0);
    }
#pragma unroll
    for (int u = 0; u < in_flight; u++) {
#pragma unroll
      for (int k = 0; k < N; k++) sum[k] += part[k][u];
    }
  }
  block_sums(sum);
}

/*
   state->sum[first_sum + k] <- sum k over all thread blocks of the pass, over the `left` thread blocks of the preceding pass, if
   that pass has left its sums, and over all ranks of a team; then the last thread block to finish calls end(state) once. A pass
   that leaves its sums stores the sums and the number of its thread blocks.
*/
template <int N, class F>
__device__ __forceinline__ void end_pass(Scalar (&sum)[N], int first_sum, const Pass &p, unsigned left, F end)
{
  __shared__ bool last;
  const unsigned  blocks = left + gridDim.x;

  /*
     A copy, read while block_sums() runs, since an access to global memory after a store there would wait. During the pass
     nothing else changes the state but `left`, which the next pass stores anew before reading, and tickets.
  */
  State s;
  if (thread_number() == 0) s = *p.state;
  block_sums(sum);
  if (thread_number() == 0) {
    last = blocks == 1 && !p.leaves;
    if (!last) {
#pragma unroll
      for (int k = 0; k < N; k++) p.partial[(left + blockIdx.x) * N + k] = sum[k];
      if (p.leaves && blockIdx.x == 0) p.state->left = gridDim.x;
      last = !p.leaves && take_ticket(&p.state->tickets) == gridDim.x - 1;
    }
  }
  __syncthreads();
  if (!last) return;
  if (blocks > 1) add_blocks(sum, p.partial, blocks);
  if (p.team && thread_number() < 32) transport::add_ranks(thread_number(), *p.team, sum);
  if (thread_number() == 0) {
#pragma unroll
    for (int k = 0; k < N; k++) s.sum[first_sum + k] = sum[k];
    s.tickets = 0;
    end(s);
    *p.state = s;
  }
}

/*
   One warp: state->sum <- the sums of all ranks, added by ascending rank, so with the same bits everywhere; then P::end(state). A
   separate kernel for ranks whose sums no pass can add.
*/
template <class P> __global__ void __launch_bounds__(32) rank_sums_kernel(const RankSums r, P p)
{
  const int lane = threadIdx.x;

  if (r.state->pause) return;
  for (int k = 0; k < r.n; k++) {
    Scalar sum = 0;

    for (int first = 0; first < r.ranks; first += 32) {
      const Scalar own = first + lane < r.ranks ? r.all[(first + lane) * r.n + k] : Scalar(0);

      for (int l = 0; l < 32 && first + l < r.ranks; l++) sum += __shfl_sync(~0u, own, l);
    }
    if (lane == 0) r.state->sum[r.first + k] = sum;
  }
  if (lane == 0) p.end(*r.state);
}

template <class P> Status end_pass_cuda(const P &p, const RankSums &r, Stream stream)
{
  rank_sums_kernel<<<1, 32, 0, (cudaStream_t)stream>>>(r, p);
  return launched();
}

} // namespace hepta::ksp

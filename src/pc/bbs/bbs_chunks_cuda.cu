/*
   Engine `chunks`: a thread block for each chunk and vector. The chunk's solution is in shared memory, so that a level costs a
   barrier of the thread block, and values of other chunks come from work space that shows when they are there. Chunks are
   taken in the order of their dependencies, hence never waited for by what must run first. Entries are read `ahead` steps
   before they are needed, and half as many steps before it values of other chunks: a thread block that had to wait for one
   falls behind far enough to find the next ones there.
*/
#include "bbs_device.cuh"

namespace hepta::bbs
{

struct Place {
  Index    begin, rows;
  Scalar  *x;    /* of the chunk, in shared memory, and a zero behind */
  Scalar  *work; /* of the vector */
  Scalar  *scratch;
};

/* 16 bytes at once */
__device__ static Entry read(const Entry *p)
{
  if constexpr (sizeof(Entry) == 16) {
    const int4 w = __ldg((const int4 *)p);
    return {__hiloint2double(w.y, w.x), w.z, std::uint32_t(w.w)};
  } else return *p;
}

template <bool WARP> __device__ static void barrier()
{
  if (WARP) __syncwarp();
  else __syncthreads();
}

/* The sum of a row is complete but for its parts: x_i <- f_i - sum */
template <bool WARP, bool ALONE> __device__ static void end_row(const Place &p, std::uint32_t control, Scalar sum)
{
  const int   code = int(control >> row_bits & parts_mask);
  const Index row  = Index(control & row_mask);
  Scalar      f    = p.x[row];
  bool        mine;

  if (!WARP && code == whole_block) {
    sum  = sum_block(sum, p.scratch);
    mine = threadIdx.x == 0;
  } else {
    sum  = sum_parts(sum, 1 << code);
    mine = (threadIdx.x & ((1 << code) - 1)) == 0;
  }
  if (!mine) return;
  f -= sum;
  p.x[row] = f;
  if (!ALONE && row < p.rows) publish(p.work + p.begin + row, f);
}

template <bool WARP, bool ALONE> __device__ static void solve_steps(const Place &p, const Entry *entry, std::size_t steps)
{
  Entry  e[ahead];
  Scalar other[ahead], sum = 0;

#pragma unroll
  for (int u = 0; u < ahead; u++) {
    e[u]     = read(entry + u * blockDim.x);
    other[u] = 0;
  }
#pragma unroll
  for (int u = 0; u < ahead / 2 && !ALONE; u++) {
    if (e[u].col < 0) other[u] = peek(p.work + ~e[u].col);
  }
  for (std::size_t s = 0; s < steps; s += ahead) {
    entry += ahead * blockDim.x;
#pragma unroll
    for (int u = 0; u < ahead; u++) {
      constexpr int  half = ahead / 2;
      const unsigned control = e[u].control;
      Scalar         x;
      if (ALONE || e[u].col >= 0) x = p.x[e[u].col];
      else x = await(p.work + ~e[u].col, other[u]);
      sum += e[u].val * x;
      e[u] = read(entry + u * blockDim.x);
      if (!ALONE && e[(u + half) % ahead].col < 0) other[(u + half) % ahead] = peek(p.work + ~e[(u + half) % ahead].col);
      if (control & ends_row) {
        end_row<WARP, ALONE>(p, control, sum);
        sum = 0;
      }
      if (control & ends_level) barrier<WARP>();
    }
  }
}

template <bool WARP, bool ALONE> __global__ void __launch_bounds__(WARP ? 32 : 1024) chunks_kernel(const __grid_constant__ Triangle T, const __grid_constant__ Vectors v, unsigned *ticket)
{
  extern __shared__ Scalar x[];
  __shared__ Scalar        scratch[32];
  __shared__ unsigned      taken;

  if (threadIdx.x == 0) taken = atomicInc(ticket, gridDim.x - 1); /* back to zero after the last */
  __syncthreads();
  const int   k     = int(taken % v.count);
  const Chunk chunk = T.chunk[taken / v.count];
  const Place place = {chunk.begin, chunk.rows, x, v.work + std::size_t(k) * T.n, scratch};

  for (Index i = Index(threadIdx.x); i < chunk.rows; i += Index(blockDim.x)) x[i] = given(v, k, chunk.begin + i);
  if (threadIdx.x == 0) x[chunk.rows] = 0;
  __syncthreads();
  solve_steps<WARP, ALONE>(place, T.entry + chunk.first_step * blockDim.x + threadIdx.x, chunk.steps);
  __syncthreads();
  for (Index i = Index(threadIdx.x); i < chunk.rows; i += Index(blockDim.x)) deliver(v, k, chunk.begin + i, [&](Index c) { return x[c - chunk.begin]; });
}

Status solve_chunks(const Triangle &T, const Vectors &v, const Plan &plan, cudaStream_t stream)
{
  const std::size_t bytes = (std::size_t(plan.rows) + 1) * sizeof(Scalar);
  const bool        warp = T.threads == 32, alone = T.nchunks == 1;
  const auto        kernel = warp ? (alone ? chunks_kernel<true, true> : chunks_kernel<true, false>) : (alone ? chunks_kernel<false, true> : chunks_kernel<false, false>);
  Status            bad    = cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));

  if (!bad && !alone) bad = cuda_status(cudaMemsetAsync(v.work, unset_byte, std::size_t(T.n) * v.count * sizeof(Scalar), stream));
  if (bad) return bad;
  kernel<<<unsigned(T.nchunks) * unsigned(v.count), unsigned(T.threads), bytes, stream>>>(T, v, plan.ticket);
  return launched();
}

Status device_limits_cuda(Index *rows, int *multiprocessors)
{
  cudaFuncAttributes kernel;
  int                device, shared;
  Status             bad = cuda_status(cudaGetDevice(&device));

  if (!bad) bad = cuda_status(cudaDeviceGetAttribute(multiprocessors, cudaDevAttrMultiProcessorCount, device));
  if (!bad) bad = cuda_status(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (!bad) bad = cuda_status(cudaFuncGetAttributes(&kernel, chunks_kernel<false, false>));
  if (!bad) *rows = Index((std::size_t(shared) - kernel.sharedSizeBytes) / sizeof(Scalar)) - 1;
  return bad;
}

} // namespace hepta::bbs

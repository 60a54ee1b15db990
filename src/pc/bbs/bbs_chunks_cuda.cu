/*
   Engine `chunks`: a thread block for each chunk and vector. The thread block keeps its solution in shared memory, so a level
   costs a barrier of the thread block. Further warps copy published values of other chunks to shared memory; an unpublished value
   is `unset`. Thread blocks take the chunks in the order of the dependencies, so a chunk waits only for chunks that are done or
   being solved. Entries are copied to shared memory some steps ahead of use.
*/
#include <atomic>
#include <mutex>

#include "../../shared/processors.cuh"
#include "bbs_analysis.hxx"
#include "bbs_device.cuh"

namespace hepta::bbs
{

constexpr unsigned most_threads = 1024;

template <class V> struct ChunkState {
  Chunk         chunk;
  V            *x;    /* in shared memory: the values of the chunk, a zero, and values of other chunks */
  V            *work; /* where the chunks publish their values of this vector */
  V            *scratch;
  std::uint32_t ring; /* this thread's position in shared memory for the entries of the first step */
};

template <bool WARP> __device__ static void barrier(int threads)
{
  if (WARP) __syncwarp();
  else asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

/* Begins to copy an entry; each thread reads only its own copies */
template <class V> __device__ static void copy(std::uint32_t to, const Entry<V> *from)
{
  if constexpr (sizeof(V) == 8) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n\tcp.async.cg.shared.global [%0 + 16], [%1 + 16], 16;" ::"r"(to),
                 "l"(from));
  } else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;\n\tcp.async.ca.shared.global [%0 + 8], [%1 + 8], "
                 "8;\n\tcp.async.ca.shared.global [%0 + 16], [%1 + 16], 8;" ::"r"(to),
                 "l"(from));
  asm volatile("cp.async.commit_group;");
}

/* Waits until all copies that were begun are complete, except the last N */
template <int N> __device__ static void copied()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* Sum over the 2^code neighboring threads of a row */
template <class V> __device__ static V sum_shared(V sum, int code)
{
  if (code > 0) {
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    if (code > 1) {
      sum += __shfl_xor_sync(0xffffffffu, sum, 2);
      if (code > 2) sum = sum_parts(sum, 1 << code, 4);
    }
  }
  return sum;
}

/* The bits of a value at an address of shared memory */
template <class B> __device__ inline void load_bits(std::uint32_t at, B &a)
{
  if constexpr (sizeof(B) == 8) asm volatile("ld.shared.b64 %0, [%1];" : "=l"(a) : "r"(at) : "memory");
  else asm volatile("ld.shared.b32 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
}

template <class B> __device__ inline void store_bits(std::uint32_t at, B a)
{
  if constexpr (sizeof(B) == 8) asm volatile("st.shared.b64 [%0], %1;" ::"r"(at), "l"(a) : "memory");
  else asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(a) : "memory");
}

/*
   a <- the value of a row of the chunk, or of a row of another chunk, perhaps `unset`. Threads wait for values of other chunks,
   at addresses beyond `last`, while other threads store these values. A value is its own flag, so store and load are atomic.
*/
template <bool ONE_CHUNK, class B> __device__ inline void look_up(std::uint32_t at, std::uint32_t last, B &a)
{
  if constexpr (ONE_CHUNK) load_bits(at, a);
  else if constexpr (sizeof(B) == 8)
    asm volatile("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, %2;\n\t@!p ld.shared.b64 %0, [%1];\n\t"
                 "@p atom.relaxed.cta.shared.cas.b64 %0, [%1], %3, %3;\n\t}"
                 : "=l"(a)
                 : "r"(at), "r"(last), "l"(B(-1))
                 : "memory");
  else
    asm volatile("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, %2;\n\t@!p ld.shared.b32 %0, [%1];\n\t"
                 "@p atom.relaxed.cta.shared.cas.b32 %0, [%1], %3, %3;\n\t}"
                 : "=r"(a)
                 : "r"(at), "r"(last), "r"(B(-1))
                 : "memory");
}

template <class B> __device__ inline void hand_over(std::uint32_t at, B a)
{
  if constexpr (sizeof(B) == 8) asm volatile("atom.relaxed.cta.shared.exch.b64 _, [%0], %1;" ::"r"(at), "l"(a) : "memory");
  else asm volatile("atom.relaxed.cta.shared.exch.b32 _, [%0], %1;" ::"r"(at), "r"(a) : "memory");
}

template <class V> __device__ static V load_shared(std::uint32_t at)
{
  BitsOf<V> a;

  load_bits(at, a);
  return from_bits<V>(a);
}

template <class V> __device__ static Entry<V> entry_at(std::uint32_t at)
{
  return *(const Entry<V> *)__cvta_shared_to_generic(at);
}

/* Completes a row from the partial sums of its threads: stores x_i for this chunk, and publishes x_i for other chunks */
template <bool WARP, bool ONE_CHUNK, class V>
__device__ static void end_row(const ChunkState<V> &p, int threads, int code, std::uint32_t row, V sum)
{
  if (!WARP && code == whole_block) {
    sum = sum_block(sum, p.scratch, threads, [=]() { barrier<false>(threads); });
    barrier<false>(threads);
  } else sum = sum_shared(sum, code);
  if (row >= std::uint32_t(p.chunk.rows)) return;
  if (!ONE_CHUNK) sum = set_value(sum);
  store_bits(std::uint32_t(__cvta_generic_to_shared(p.x + row)), as_bits(sum));
  if (!ONE_CHUNK) publish(p.work + p.chunk.begin + row, sum);
}

/*
   The critical path from one level to the next: a load, two multiplications with additions, the sum over a row's threads, a store
   and a barrier. All other work of a step overlaps with the critical path.
*/
template <bool WARP, bool ONE_CHUNK, int DEPTH, class V>
__device__ static void solve_steps(const ChunkState<V> &p, int threads, const Entry<V> *from)
{
  constexpr std::uint32_t size = sizeof(V);
  const std::uint32_t     step = threads * sizeof(Entry<V>), end = p.ring + DEPTH * step, steps = std::uint32_t(p.chunk.steps),
                      xs = std::uint32_t(__cvta_generic_to_shared(p.x)), last = xs + std::uint32_t(p.chunk.rows) * size;
  std::uint32_t at  = p.ring; /* address of the current entry */
  V             sum = 0;
  BitsOf<V>     x[2];
  Entry<V>      next;

  for (int u = 0; u < DEPTH; u++, from += threads) copy(p.ring + u * step, from);
  copied<DEPTH - 1>();
  next = entry_at<V>(at);
  for (std::uint32_t s = 0; s < steps; s++, from += threads) {
    const std::uint32_t after = at + step == end ? p.ring : at + step;
    asm("" : "+l"(from)); /* keeps `from` in a register: otherwise the compiler recomputes `from` in each step */
    const Entry<V>      now  = next;
    const std::uint32_t a[2] = {xs + now.col[0] * size, xs + now.col[1] * size};
    const V             f    = load_shared<V>(xs + now.own * size); /* zero for all threads of the row but the first */
    for (int e = 0; e < 2; e++) look_up<ONE_CHUNK>(a[e], last, x[e]);

    copied<DEPTH - 2>();
    next = entry_at<V>(after);
    copy(at, from);
    at = after;
    sum += f;
    while (!ONE_CHUNK && (x[0] == unset<V> || x[1] == unset<V>)) {
      for (int e = 0; e < 2; e++) look_up<ONE_CHUNK>(a[e], last, x[e]);
    }
    sum = now.val[1] * from_bits<V>(x[1]) + (now.val[0] * from_bits<V>(x[0]) + sum);
    if (now.control & ends_row) {
      end_row<WARP, ONE_CHUNK>(p, threads, int(now.control >> row_bits & parts_mask), now.own, sum);
      sum = 0;
    }
    if (now.control & ends_level) barrier<WARP>(threads);
  }
  copied<0>();
}

/* Fetches the values of other chunks: thread k of `lanes` threads takes values k, k + lanes, ... of the list */
template <class V> __device__ static void fetch_others(const ChunkState<V> &p, int threads, int lanes, const Index *other)
{
  const Index *row = other + p.chunk.first_other;
  Index        k   = Index(threadIdx.x) - threads;
  Index        j   = k < p.chunk.others ? row[k] : 0;

  while (k < p.chunk.others) {
    const Index next = k + lanes < p.chunk.others ? row[k + lanes] : 0; /* prefetched for the next iteration */
    hand_over(std::uint32_t(__cvta_generic_to_shared(p.x + p.chunk.rows + 1 + k)), as_bits(await(p.work + j)));
    k += lanes;
    j = next;
  }
}

/* Loads the right-hand side into shared memory; unrolled, so that several loads are in flight */
template <bool ONE_CHUNK, class V> __device__ static void load_right_hand_side(const ChunkState<V> &p, const Vectors &v, int k)
{
#pragma unroll 4
  for (Index i = Index(threadIdx.x); i < p.chunk.rows; i += Index(blockDim.x)) {
    const V f = input<V>(v, k, p.chunk.begin + i);
    p.x[i]    = ONE_CHUNK ? f : set_value(f);
  }
  for (Index i = Index(threadIdx.x); i < p.chunk.others; i += Index(blockDim.x))
    p.x[p.chunk.rows + 1 + i] = from_bits<V>(unset<V>);
  if (threadIdx.x == 0) p.x[p.chunk.rows] = 0;
}

/* T.threads threads solve, `fetching` threads fetch other chunks' values, further threads only load and store */
template <class V, bool WARP, bool ONE_CHUNK, int DEPTH>
__global__ void __launch_bounds__(most_threads)
  chunks_kernel(const __grid_constant__ TiledTriangle T, const __grid_constant__ Vectors v, unsigned *ticket, int fetching)
{
  extern __shared__ __align__(16) char ring[]; /* for 16 bytes at a time, see copy() */
  __shared__ V                         scratch[32];
  __shared__ unsigned                  taken;

  if (threadIdx.x == 0) taken = atomicInc(ticket, gridDim.x - 1); /* the last thread block resets ticket to zero */
  __syncthreads();
  const int           k     = int(taken % v.count);
  V                  *x     = (V *)((Entry<V> *)ring + DEPTH * T.threads);
  const ChunkState<V> state = {T.chunk[taken / v.count], x, (V *)v.work + std::size_t(k) * T.n, scratch,
                               std::uint32_t(__cvta_generic_to_shared((Entry<V> *)ring + threadIdx.x))};

  load_right_hand_side<ONE_CHUNK>(state, v, k);
  __syncthreads();
  if (int(threadIdx.x) < T.threads)
    solve_steps<WARP, ONE_CHUNK, DEPTH>(state, T.threads,
                                        (const Entry<V> *)T.entry + state.chunk.first_step * T.threads + threadIdx.x);
  else if (!ONE_CHUNK && int(threadIdx.x) < T.threads + fetching) fetch_others(state, T.threads, fetching, T.other);
  __syncthreads();
#pragma unroll 4
  for (Index i = Index(threadIdx.x); i < state.chunk.rows; i += Index(blockDim.x))
    store_solution(v, k, state.chunk.begin + i, [&](Index c) { return output(v, k, x[c - state.chunk.begin]); });
}

/*
   Allows a kernel `bytes` bytes of shared memory on the current device. On the first 64 devices CUDA is called only when `bytes`
   grows.
*/
template <void (*KERNEL)(TiledTriangle, Vectors, unsigned *, int)> static Status allow_shared(std::size_t bytes)
{
  static std::atomic<std::size_t> allowed[64];
  static std::mutex               growing;
  int                             device = 0;

  if (Status bad = cuda_status(cudaGetDevice(&device))) return bad;
  if (device < 64 && bytes <= allowed[device]) return nullptr;
  const std::lock_guard<std::mutex> alone(growing);
  if (device < 64 && bytes <= allowed[device]) return nullptr;
  const Status bad = cuda_status(cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
  if (!bad && device < 64) allowed[device] = bytes;
  return bad;
}

template <class V, bool WARP, bool ONE_CHUNK, int DEPTH>
static Status launch(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
{
  const std::size_t bytes = std::size_t(T.values) * sizeof(V) + std::size_t(DEPTH) * T.threads * sizeof(Entry<V>);
  Status            bad   = allow_shared<chunks_kernel<V, WARP, ONE_CHUNK, DEPTH>>(bytes);

  if (!bad && !ONE_CHUNK) bad = cuda_status(cudaMemsetAsync(v.work, unset_byte, std::size_t(T.n) * v.count * sizeof(V), stream));
  if (bad) return bad;
  chunks_kernel<V, WARP, ONE_CHUNK, DEPTH>
    <<<unsigned(T.nchunks) * unsigned(v.count), unsigned(chunk_threads(T)), bytes, stream>>>(T, v, T.ticket, fetching_threads(T));
  return launched();
}

static_assert(ring_steps(512) == ring_steps(256), "one kernel is launched with 256 and with 512 threads");

template <class V, bool ONE_CHUNK> static Status launch_by_threads(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
{
  if (T.threads == 32) return launch<V, true, ONE_CHUNK, ring_steps(32)>(T, v, stream);
  if (T.threads == 64) return launch<V, false, ONE_CHUNK, ring_steps(64)>(T, v, stream);
  return T.threads == 128 ? launch<V, false, ONE_CHUNK, ring_steps(128)>(T, v, stream)
                          : launch<V, false, ONE_CHUNK, ring_steps(256)>(T, v, stream);
}

Status solve_chunks(const TiledTriangle &T, const Vectors &v, cudaStream_t stream)
{
  return with_values(T.single, [&](auto a) {
    using V = decltype(a);
    return T.nchunks == 1 ? launch_by_threads<V, true>(T, v, stream) : launch_by_threads<V, false>(T, v, stream);
  });
}

Status device_limits_cuda(bool single, ChunkLimits *limits)
{
  /* the ring of 32 threads, and 1 KB for further variables of the kernel */
  const std::size_t others = 32 * std::size_t(ring_steps(32)) * entry_bytes(single) + 1024, shared = most_shared();

  *limits = {shared > others ? Index((shared - others) / value_bytes(single)) : 0, processors(),
             device_attribute<cudaDevAttrMaxThreadsPerMultiProcessor>(), single};
  return launched(); /* an error of the calls above, if there was one */
}

} // namespace hepta::bbs

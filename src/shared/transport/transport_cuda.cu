/* The kernels of exchanges; the current device, and streams and copies between which exchanges are ordered */
#include <algorithm>
#include <cstring>

#include "../cuda_check.cuh"
#include "../overlap.cuh"
#include "transport.cuh"

namespace hepta::transport
{

/*
   Numbers that a thread of a long exchange reads one right after the other, to wait for the memory once for all of them. A short
   exchange, of at most so many numbers for each thread, has a kernel of its own, as a kernel with many registers starts later.
*/
constexpr int TOGETHER = 8, SHORT = 4;
constexpr int THREADS = 256; /* of a thread block */
/* Thread blocks of a multiprocessor at once: a block that waits needs the numbers of all blocks of another process */
constexpr int RESIDENT = 2;

/* Column *c and number *k of the column, for number e of all columns; a single column takes no division of 64 bits */
static __device__ __forceinline__ void place_of(const Numbers &a, std::size_t e, Index *c, Index *k)
{
  *c = a.columns > 1 ? Index(e / a.n) : 0;
  *k = a.columns > 1 ? Index(e % a.n) : Index(e);
}

static __device__ __forceinline__ std::size_t offset_of(const Numbers &a, std::size_t e)
{
  Index c, k;

  place_of(a, e, &c, &k);
  return c * a.ld + (a.at ? std::size_t(a.at[k / a.bs]) * a.bs + k % a.bs : std::size_t(k));
}

template <class T>
static __device__ __forceinline__ void put(const Mailboxes &m, const Numbers &out, std::size_t e, T number, unsigned turn)
{
  Index c, k;
  int   b = 0;

  place_of(out, e, &c, &k);
  while (k >= m.first[b + 1]) b++;
  send(m.box[b] + (turn & 1) * m.half[b], std::size_t(c) * m.ld[b] + m.begin[b] + (k - m.first[b]), number, turn);
}

/* How many of the numbers e, e + step, ... e + (N - 1) step are below `all`, for e < all; without a division of 64 bits */
template <int N> static __device__ __forceinline__ int count_of(std::size_t e, std::size_t step, std::size_t all)
{
  int n = 1;

#pragma unroll
  for (int k = 1; k < N; k++) n += e + k * step < all;
  return n;
}

/* Sends a thread's numbers first, first + step, ..., N at a time */
template <int N, class T>
static __device__ __forceinline__ void send_numbers(const Mailboxes &m, const Numbers &out, const T *from, std::size_t first,
                                                    std::size_t step, unsigned turn)
{
  const std::size_t all = std::size_t(out.n) * out.columns;

  for (std::size_t e = first; e < all; e += N * step) {
    const int n = count_of<N>(e, step, all);
    T         number[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
      if (k < n) number[k] = from[offset_of(out, e + k * step)];
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
      if (k < n) put(m, out, e + k * step, number[k], turn);
    }
  }
}

/* Receives a thread's numbers likewise */
template <int N, class T>
static __device__ __forceinline__ void receive_numbers(const Arriving &a, const Numbers &in, T *to, std::size_t first,
                                                       std::size_t step)
{
  const std::size_t all = std::size_t(in.n) * in.columns;

  for (std::size_t e = first; e < all; e += N * step) {
    const int   n = count_of<N>(e, step, all);
    T           number[N];
    std::size_t at[N];
#pragma unroll
    for (int k = 0; k < N; k++) at[k] = k < n ? offset_of(in, e + k * step) : 0;
    receive(a.box, e, step, n, a.turn, *a.waiting, number);
#pragma unroll
    for (int k = 0; k < N; k++) {
      if (k < n) to[at[k]] = number[k];
    }
  }
}

/*
   The next kernel may begin at once, since the start of a kernel takes time: a next kernel that needs the numbers first waits for
   the end of this kernel, any other kernel ends after this kernel. But where processes share the device, a receiving kernel does
   not let the next kernel begin, which could keep the awaited processes from running.
*/
template <class T, bool PUT, bool TAKE, int N>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
  exchange_kernel(const __grid_constant__ Mailboxes m, const __grid_constant__ Numbers out, const T *from,
                  const __grid_constant__ Numbers in, T *to, const int *stop)
{
  const std::size_t first = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x, step = std::size_t(gridDim.x) * blockDim.x;

  end_after_first();
  if (!TAKE || !m.shares) let_next_begin();
  if (stop && *stop) return;
  if (PUT) {
    const unsigned turn = m.progress->done + 1;

    if (first < m.waiting.n) *(volatile unsigned *)m.waiting.there[first] = turn;
    send_numbers<N>(m, out, from, first, step, turn);
  }
  if (TAKE) {
    const Arriving a = arriving(m);

    receive_numbers<N>(a, in, to, first, step);
    end_exchange(m);
  }
}

/*
   Thread blocks for a kernel that handles n numbers: few where processes share the device, since waiting blocks keep other
   processes from the multiprocessors; otherwise two for each multiprocessor
*/
static unsigned blocks_for(std::size_t n, bool shares)
{
  const std::size_t most = shares ? 64 : RESIDENT * std::size_t(processors()), blocks = (n + THREADS - 1) / THREADS;

  return unsigned(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

template <class T, int N>
static Status exchange(const Mailboxes &m, const Numbers *out, const T *from, const Numbers *in, T *to, const int *stop,
                       unsigned blocks, cudaStream_t stream)
{
  const auto kernel = !in    ? exchange_kernel<T, true, false, N>
                      : !out ? exchange_kernel<T, false, true, N>
                             : exchange_kernel<T, true, true, N>;

  return launch_next(true, kernel, blocks, THREADS, 0, stream, m, out ? *out : Numbers{}, from, in ? *in : Numbers{}, to, stop);
}

template <class T>
static Status exchange(const Mailboxes &m, const Numbers *out, const T *from, const Numbers *in, T *to, const int *stop,
                       cudaStream_t stream)
{
  const std::size_t sent = out ? std::size_t(out->n) * out->columns : 0, received = in ? std::size_t(in->n) * in->columns : 0,
                    most = std::max(sent, received);
  const unsigned blocks  = blocks_for(most, m.shares);

  return most <= std::size_t(blocks) * THREADS * SHORT ? exchange<T, 1>(m, out, from, in, to, stop, blocks, stream)
                                                       : exchange<T, TOGETHER>(m, out, from, in, to, stop, blocks, stream);
}

Status exchange_cuda(const Mailboxes &m, const Numbers *out, const void *from, const Numbers *in, void *to, const int *stop,
                     Stream stream)
{
  return (out ? out : in)->size == 4 ? exchange(m, out, (const float *)from, in, (float *)to, stop, (cudaStream_t)stream)
                                     : exchange(m, out, (const double *)from, in, (double *)to, stop, (cudaStream_t)stream);
}

template <class F> static Status each_number(const Numbers &a, Stream stream, F f)
{
  return each(std::size_t(a.n) * a.columns, (cudaStream_t)stream, [=] __device__(std::size_t e) { f(e, offset_of(a, e)); });
}

template <class T> static Status pack(const Numbers &a, const T *from, T *buffer, Stream stream)
{
  return each_number(a, stream, [=] __device__(std::size_t e, std::size_t at) { buffer[e] = from[at]; });
}

template <class T> static Status unpack(const Numbers &a, const T *buffer, T *to, const int *late, Stream stream)
{
  return each_number(a, stream,
                     [=] __device__(std::size_t e, std::size_t at) { to[at] = late && *late ? not_a_number<T>() : buffer[e]; });
}

Status pack_cuda(const Numbers &a, const void *from, void *buffer, Stream stream)
{
  return a.size == 4 ? pack(a, (const float *)from, (float *)buffer, stream)
                     : pack(a, (const double *)from, (double *)buffer, stream);
}

Status unpack_cuda(const Numbers &a, const void *buffer, void *to, const int *late, Stream stream)
{
  /* a pass may begin before the preceding kernel of its stream has ended, but must not begin before the exchange has */
  if (!a.n) return each(1, (cudaStream_t)stream, [] __device__(std::size_t) {});
  return a.size == 4 ? unpack(a, (const float *)buffer, (float *)to, late, stream)
                     : unpack(a, (const double *)buffer, (double *)to, late, stream);
}

Status add_cuda(Index n, int bs, const Index *root, const Index *first, const Index *source, const Scalar *buffer, Scalar *to,
                Stream stream)
{
  return each(std::size_t(n) * bs, (cudaStream_t)stream, [=] __device__(std::size_t e) {
    const std::size_t d = e / bs, s = e % bs;
    Scalar            sum = to[std::size_t(root[d]) * bs + s];

    for (Index k = first[d]; k < first[d + 1]; k++) sum += buffer[std::size_t(source[k]) * bs + s];
    to[std::size_t(root[d]) * bs + s] = sum;
  });
}

Status publish_cuda(int *to, int number, const int *from, int *copy, Stream stream)
{
  return each(1, (cudaStream_t)stream, [=] __device__(std::size_t) {
    atomicMax(to, number); /* a later exchange, of another stream, may be published already */
    *copy = *(const volatile int *)from;
  });
}

Status sum_cuda(Index n, int processes, const Scalar *from, Scalar *to, Stream stream)
{
  return each(std::size_t(n), (cudaStream_t)stream, [=] __device__(std::size_t k) {
    Scalar sum = 0;

    for (int r = 0; r < processes; r++) sum += from[std::size_t(r) * n + k];
    to[k] = sum;
  });
}

static __global__ void largest_kernel(int n, const unsigned long long *from, unsigned long long *to, const int *stop)
{
  unsigned long long most = 0;

  if (!begin_in_turn(stop)) return;
  for (int k = 0; k < n; k++) most = from[k] > most ? from[k] : most;
  *to = most;
}

Status largest_cuda(int n, const unsigned long long *from, unsigned long long *to, const int *stop, Stream stream)
{
  return launch_next(true, largest_kernel, 1, 1, 0, (cudaStream_t)stream, n, from, to, stop);
}

Status device_identity(unsigned char identity[16])
{
  int            device;
  cudaDeviceProp properties;

  if (Status bad = cuda_status(cudaGetDevice(&device))) return bad;
  if (Status bad = cuda_status(cudaGetDeviceProperties(&properties, device))) return bad;
  std::memcpy(identity, properties.uuid.bytes, 16);
  return nullptr;
}

Status follow(Stream before, Stream after)
{
  cudaEvent_t event;

  if (Status bad = cuda_status(cudaEventCreateWithFlags(&event, cudaEventDisableTiming))) return bad;
  Status bad = cuda_status(cudaEventRecord(event, (cudaStream_t)before));
  if (!bad) bad = cuda_status(cudaStreamWaitEvent((cudaStream_t)after, event, 0));
  (void)cudaEventDestroy(event); /* CUDA keeps the event as long as a stream waits for it */
  return bad;
}

Status start_copy(void *to, const void *from, std::size_t bytes, Stream stream)
{
  return bytes ? cuda_status(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)stream)) : nullptr;
}

Status wait_for(Stream stream)
{
  return cuda_status(cudaStreamSynchronize((cudaStream_t)stream));
}

} // namespace hepta::transport

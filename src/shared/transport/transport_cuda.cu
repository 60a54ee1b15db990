#include <cstring>

#include "../cuda_check.cuh"
#include "transport.cuh"

namespace hepta::transport
{

static __device__ __forceinline__ std::size_t place_of(const Numbers &a, Index c, Index k)
{
  return c * a.ld + (a.at ? std::size_t(a.at[k / a.bs]) * a.bs + k % a.bs : std::size_t(k));
}

/* In the last thread block of a kernel to finish: true in all its threads */
static __device__ __forceinline__ bool is_last_block(unsigned *tickets)
{
  __shared__ bool last;

  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system(); /* what the block has written, before its ticket */
    last = atomicAdd(tickets, 1u) == gridDim.x - 1;
    __threadfence_system();
  }
  __syncthreads();
  return last;
}

template <class T> static __global__ void put_kernel(const __grid_constant__ Mailboxes m, const __grid_constant__ Numbers a, const T *from, const int *stop)
{
  if (stop && *stop) return;
  const unsigned turn = m.progress->done + 1;
  const size_t   all  = std::size_t(a.n) * a.columns;

  for (std::size_t e = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; e < all; e += std::size_t(gridDim.x) * blockDim.x) {
    const Index c = Index(e / a.n), k = Index(e % a.n);
    int         b = 0;

    while (k >= m.first[b + 1]) b++;
    ((T *)(m.box[b] + (turn & 1) * m.half[b]))[std::size_t(c) * m.ld[b] + m.begin[b] + (k - m.first[b])] = from[place_of(a, c, k)];
  }
  if (!is_last_block(&m.progress->sent)) return;
  if (threadIdx.x < m.waiting.n) raise_flag(m.waiting.there[threadIdx.x], turn);
  if (threadIdx.x == 0) m.progress->sent = 0;
}

template <class T> static __global__ void take_kernel(const __grid_constant__ Mailboxes m, const __grid_constant__ Numbers a, T *to, const int *stop)
{
  __shared__ bool there;

  if (stop && *stop) return;
  const unsigned turn = m.progress->done + 1;
  const size_t   all  = std::size_t(a.n) * a.columns;
  const T       *from = (const T *)(m.own + (turn & 1) * m.own_half);

  if (threadIdx.x < 32) {
    const bool came = wait_for_all(threadIdx.x, m.waiting, turn);
    if (threadIdx.x == 0) there = came;
  }
  __syncthreads();
  for (std::size_t e = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; e < all; e += std::size_t(gridDim.x) * blockDim.x) {
    const T number = __ldcg(from + e);

    to[place_of(a, Index(e / a.n), Index(e % a.n))] = there ? number : not_a_number<T>();
  }
  if (!is_last_block(&m.progress->received)) return;
  if (threadIdx.x == 0) {
    m.progress->received = 0;
    m.progress->done     = turn;
  }
}

/* Thread blocks for so many numbers: few, since those that wait keep others from the multiprocessors */
static unsigned blocks_of(const Numbers &a)
{
  const std::size_t blocks = (std::size_t(a.n) * a.columns + 255) / 256;

  return unsigned(blocks < 1 ? 1 : blocks < 64 ? blocks : 64);
}

Status put_cuda(const Mailboxes &m, const Numbers &a, const void *from, const int *stop, Stream stream)
{
  if (a.size == 4) put_kernel<<<blocks_of(a), 256, 0, (cudaStream_t)stream>>>(m, a, (const float *)from, stop);
  else put_kernel<<<blocks_of(a), 256, 0, (cudaStream_t)stream>>>(m, a, (const double *)from, stop);
  return launched();
}

Status take_cuda(const Mailboxes &m, const Numbers &a, void *to, const int *stop, Stream stream)
{
  if (a.size == 4) take_kernel<<<blocks_of(a), 256, 0, (cudaStream_t)stream>>>(m, a, (float *)to, stop);
  else take_kernel<<<blocks_of(a), 256, 0, (cudaStream_t)stream>>>(m, a, (double *)to, stop);
  return launched();
}

template <class F> static Status each_number(const Numbers &a, Stream stream, F f)
{
  return each(std::size_t(a.n) * a.columns, (cudaStream_t)stream, [=] __device__(std::size_t e) { f(e, place_of(a, Index(e / a.n), Index(e % a.n))); });
}

template <class T> static Status pack(const Numbers &a, const T *from, T *buffer, Stream stream)
{
  return each_number(a, stream, [=] __device__(std::size_t e, std::size_t at) { buffer[e] = from[at]; });
}

template <class T> static Status unpack(const Numbers &a, const T *buffer, T *to, Stream stream)
{
  return each_number(a, stream, [=] __device__(std::size_t e, std::size_t at) { to[at] = buffer[e]; });
}

Status pack_cuda(const Numbers &a, const void *from, void *buffer, Stream stream)
{
  return a.size == 4 ? pack(a, (const float *)from, (float *)buffer, stream) : pack(a, (const double *)from, (double *)buffer, stream);
}

Status unpack_cuda(const Numbers &a, const void *buffer, void *to, Stream stream)
{
  return a.size == 4 ? unpack(a, (const float *)buffer, (float *)to, stream) : unpack(a, (const double *)buffer, (double *)to, stream);
}

Status add_cuda(Index n, int bs, const Index *root, const Index *first, const Index *place, const Scalar *buffer, Scalar *to, Stream stream)
{
  return each(std::size_t(n) * bs, (cudaStream_t)stream, [=] __device__(std::size_t e) {
    const std::size_t d = e / bs, s = e % bs;
    Scalar            sum = to[std::size_t(root[d]) * bs + s];

    for (Index k = first[d]; k < first[d + 1]; k++) sum += buffer[std::size_t(place[k]) * bs + s];
    to[std::size_t(root[d]) * bs + s] = sum;
  });
}

static __global__ void largest_kernel(int n, const unsigned long long *from, unsigned long long *to, const int *stop)
{
  unsigned long long most = 0;

  if (stop && *stop) return;
  for (int k = 0; k < n; k++) most = from[k] > most ? from[k] : most;
  *to = most;
}

Status largest_cuda(int n, const unsigned long long *from, unsigned long long *to, const int *stop, Stream stream)
{
  largest_kernel<<<1, 1, 0, (cudaStream_t)stream>>>(n, from, to, stop);
  return launched();
}

} // namespace hepta::transport

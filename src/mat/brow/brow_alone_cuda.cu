/*
   Device products of the block rows that stand alone. Their values are contiguous, column by column: lane q*bs + r of a warp
   takes row r of the columns q, q + 32/bs, ..., so a warp reads contiguous values.

   A warp multiplies a block row. A huge block row is split into parts, a thread block each, whose sums are stored in `work`; the
   last thread block to finish adds up the sums. The order of all sums is fixed, so repeated products give the same bits.
*/
#include <algorithm>
#include <type_traits>

#include "../../shared/overlap.cuh"
#include "brow_load.cuh"

namespace hepta::brow
{

namespace
{

constexpr int threads = alone_threads, in_flight = alone_batch;

using Column = std::make_unsigned_t<Index>;

/* The sum over lanes r, r + n, ..., r + (count - 1)n, for lane r < n; cub::WarpReduce has no stride */
__device__ __forceinline__ Scalar lanes_sum(Scalar sum, int n, int count)
{
  const int q = int(threadIdx.x) % 32 / n;

  while (count > 1) {
    const int    half  = (count + 1) / 2;
    const Scalar other = __shfl_down_sync(0xffffffff, sum, half * n);
    if (q + half < count) sum += other;
    count = half;
  }
  return sum;
}

/* The sum for row r over the columns j, j + step, ..., below `end`, where column s of block k is number k*bs + s */
template <int N, class V, bool KEEP, bool WHOLE>
__device__ __forceinline__ Scalar alone_sum(const Operands<V, KEEP, WHOLE> &p, const V *v, const Index *col, Column j, Column end,
                                            unsigned step, int r)
{
  const unsigned    n      = N ? N : p.A.bs;
  const std::size_t stride = std::size_t(step) * n;
  Scalar            sum    = 0;

  for (v += std::size_t(j) * n + r; j < end; j += in_flight * step, v += in_flight * stride) {
    V      a[in_flight];
    Index  c[in_flight];
    Scalar x[in_flight];

#pragma unroll
    for (int u = 0; u < in_flight; u++) c[u] = j + u * step < end ? load(p, col + (j + u * step) / n) : -1;
#pragma unroll
    for (int u = 0; u < in_flight; u++) a[u] = j + u * step < end ? load(p, v + u * stride) : V(0);
#pragma unroll
    for (int u = 0; u < in_flight; u++) {
      const Index i      = c[u] * Index(n) + Index((j + u * step) % n);
      const bool  inside = c[u] >= 0 && (WHOLE || i < p.A.cols);
      x[u]               = inside ? __ldg(p.x + i) : Scalar(0);
      if (!WHOLE && !inside) a[u] = 0;
    }
#pragma unroll
    for (int u = 0; u < in_flight; u++) sum += Scalar(a[u]) * x[u];
  }
  return sum;
}

/* Block row number h of the block rows that stand alone, by one warp, whose lanes share the columns of its blocks */
template <int N, class P> __device__ __forceinline__ void alone_by_warp(const P &p, Index h)
{
  const int         n = N ? N : p.A.bs, lane = threadIdx.x % 32, lanes = n < 32 ? n : 32, count = 32 / lanes, q = lane / lanes;
  const Index       position = p.A.nslices * p.A.height + h;
  const std::size_t first    = p.A.first[p.A.nslices + h];
  const Column      end      = Column(p.A.length[position]) * n;

  /* one iteration unless a tile has more rows than a warp has lanes */
  for (int r = lane % lanes; r - lane % lanes < n; r += 32) {
    const bool   valid = r < n && q < count;
    const Scalar sum =
      lanes_sum(valid ? alone_sum<N>(p, p.A.v + first * n * n, p.A.col + first, q, end, count, r) : Scalar(0), lanes, count);
    if (valid && q == 0) store(p, p.A.perm[position], r, sum);
  }
}

/* Adds up the sums of the parts of block row m, work[part*n + r], when all parts are done */
template <class P> __device__ __forceinline__ void add_parts(const P &p, Index m, const Scalar *work, Index parts)
{
  const int n = p.A.bs, lane = threadIdx.x % 32, lanes = n < 32 ? n : 32, count = 32 / lanes, q = lane / lanes;

  for (int r = lane % lanes; r - lane % lanes < n; r += 32) {
    const bool valid = r < n && q < count;
    Scalar     sum   = 0;

#pragma unroll 8
    for (Index k = q; k < (valid ? parts : 0); k += count) sum += __ldcg(work + std::size_t(k) * n + r);
    sum = lanes_sum(sum, lanes, count);
    if (valid && q == 0) store(p, m, r, sum);
  }
}

/* Part k of the huge block rows by one thread block, whose warps share the columns of its blocks */
template <int N, class P> __device__ __forceinline__ void alone_by_block(const P &p, Index huge, Index k, Scalar *sums)
{
  const int         n = N ? N : p.A.bs, thread = threadIdx.x, warps = threads / 32, warp = thread / 32;
  const int         lane = thread % 32, lanes = n < 32 ? n : 32, count = 32 / lanes, q = lane / lanes;
  const Index       h = first_above(huge, [&](Index b) { return p.A.part[b + 1] > k; }), parts = p.A.part[h + 1] - p.A.part[h],
                    m      = p.A.perm[p.A.nslices * p.A.height + h];
  const std::size_t first  = p.A.first[p.A.nslices + h];
  const std::size_t blocks = p.A.length[p.A.nslices * p.A.height + h], own = k - p.A.part[h];
  const Column      begin = Column(blocks * own / parts * n), end = Column(blocks * (own + 1) / parts * n);

  for (int r = lane % lanes; r - lane % lanes < n; r += 32) {
    const bool valid = r < n && q < count;
    Scalar     sum =
      lanes_sum(valid ? alone_sum<N>(p, p.A.v + first * n * n, p.A.col + first, begin + warp * count + q, end, warps * count, r)
                      : Scalar(0),
                lanes, count);

    sums[thread] = sum;
    __syncthreads();
    if (warp == 0 && valid && q == 0) {
      for (int w = 1; w < warps; w++) sum += sums[w * 32 + lane];
      if (parts == 1) store(p, m, r, sum);
      else p.A.work[std::size_t(k) * n + r] = sum;
    }
    __syncthreads();
  }
  if (parts == 1 || warp > 0) return;
  __threadfence(); /* makes this part's sums visible before its arrival is counted */
  __syncwarp();
  unsigned before = lane == 0 ? atomicInc(p.A.arrived + h, parts - 1) : 0; /* the last part leaves zero to the next product */
  before          = __shfl_sync(0xffffffff, before, 0);
  if (before != unsigned(parts - 1)) return;
  __threadfence();
  add_parts(p, m, p.A.work + std::size_t(p.A.part[h]) * n, parts);
}

/*
   The block rows that stand alone: thread blocks [0, parts) multiply the huge block rows, each warp of the other thread blocks
   one block row
*/
template <int N, class P> __device__ __forceinline__ void alone(const P &p, Index huge, unsigned parts)
{
  __shared__ Scalar sums[threads];

  if (blockIdx.x < parts) return alone_by_block<N>(p, huge, Index(blockIdx.x), sums);
  const Index h = huge + Index(blockIdx.x - parts) * (threads / 32) + Index(threadIdx.x / 32);
  if (h < p.A.nlong) alone_by_warp<N>(p, h);
}

template <int N, class P> __global__ void __launch_bounds__(threads, 8) alone_kernel(const P p, Index huge, unsigned parts)
{
  let_next_begin(); /* the kernel of the slices may begin */
  alone<N>(p, huge, parts);
}

/* The second dimension of the grid counts the vectors */
template <int N, class P>
__global__ void __launch_bounds__(threads)
  alone_columns_kernel(const P p, std::size_t ldx, std::size_t ldy, Index huge, unsigned parts)
{
  P own = p;

  own.x += blockIdx.y * ldx;
  own.y += blockIdx.y * ldy;
  alone<N>(own, huge, parts);
}

/* The number of huge block rows, of their thread blocks, and of all thread blocks */
struct Shares {
  Index    huge, parts;
  unsigned blocks;
};

template <class V> Status share(const View<V> &A, Shares *s)
{
  const Index warps = threads / 32;

  s->huge   = A.mapping == Mapping::warp ? 0 : A.mapping == Mapping::blockrow ? A.nlong : A.nhuge;
  s->parts  = A.mapping == Mapping::warp ? 0 : A.mapping == Mapping::blockrow ? A.parts : A.huge_parts;
  s->blocks = unsigned(s->parts) + unsigned((A.nlong - s->huge + warps - 1) / warps);
  return s->parts > s->huge && !(A.work && A.arrived) ? "there is no work space for block rows in parts" : nullptr;
}

} // namespace

template <class V> Status alone_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream)
{
  Shares s;

  if (!A.nlong) return nullptr;
  if (Status wrong = share(A, &s)) return wrong;
  return by_kind(A, x, z, y, true, [&](const auto &p) {
    return with_block_size(A.bs, [&](auto n) {
      alone_kernel<decltype(n)::value><<<s.blocks, threads, 0, (cudaStream_t)stream>>>(p, s.huge, unsigned(s.parts));
      return launched();
    });
  });
}

template <class V>
Status alone_columns_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream)
{
  Shares s;

  if (!A.nlong) return nullptr;
  Status wrong = share(A, &s);
  /* vectors at a time; only 1 with sums of parts, since `work` has room for one vector */
  const Index many = s.parts > s.huge ? 1 : 65535;
  for (Index c = 0; c < n && !wrong; c += many) {
    const auto p = make_product<true, false>(A, x + c * ldx, nullptr, y + c * ldy);
    wrong        = with_block_size(A.bs, [&](auto tile) {
      alone_columns_kernel<decltype(tile)::value>
        <<<dim3(s.blocks, unsigned(std::min(many, n - c))), threads, 0, (cudaStream_t)stream>>>(p, ldx, ldy, s.huge,
                                                                                                unsigned(s.parts));
      return launched();
    });
  }
  return wrong;
}

HEPTA_INSTANCES(alone_cuda)
HEPTA_INSTANCES(alone_columns_cuda)

} // namespace hepta::brow

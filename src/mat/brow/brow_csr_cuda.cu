/* Compressed rows to blocks: a group of neighboring lanes, as many as the tile size rounded up to a power of two, merges the rows
   of a block row */
#include <type_traits>

#include "../../shared/each.hxx"
#include "../../shared/scratch.cuh"
#include "../../shared/warp.cuh"
#include "brow_csr.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

constexpr unsigned all_lanes = 0xffffffffu, threads = 256;

/*
   Calls f(k, c, begin, end) for each block k of block row m (none: -1), columns c ascending, in `lanes` neighboring lanes:
   entries begin ... end - 1 of the lane's own row are in this block. Must be called by whole warps.
*/
template <int lanes, class F> static __device__ void for_blocks(const CSRView &A, int bs, Index m, F f)
{
  constexpr unsigned none = 0xffffffffu;
  const int          r    = int(threadIdx.x) % lanes;
  const std::size_t  row  = std::size_t(m) * bs + r;
  const bool         mine = m >= 0 && r < bs && row < std::size_t(A.rows);
  const Index        last = mine ? A.i[row + 1] : 0;
  Index              p    = mine ? A.i[row] : 0;

  for (Index k = 0;; k++) {
    unsigned least = p < last ? unsigned(A.j[p]) : none;
    for (int o = lanes / 2; o; o /= 2) least = min(least, __shfl_xor_sync(all_lanes, least, o));
    if (__all_sync(all_lanes, least == none)) return;
    const Index c = Index(least / unsigned(bs)), begin = p;
    while (p < last && unsigned(A.j[p]) < unsigned(c + 1) * unsigned(bs)) p++;
    if (least != none) f(k, c, begin, p);
  }
}

template <int lanes> using Lanes = std::integral_constant<int, lanes>;

/* Calls f(lanes, thread blocks) for n block rows, with enough lanes for tiles of size bs */
template <class F> static Status with_lanes(int bs, Index n, F f)
{
  const auto call = [&](auto lanes) { f(lanes, unsigned((std::size_t(n) * lanes + threads - 1) / threads)); };

  if (bs == 1) call(Lanes<1>());
  else if (bs == 2) call(Lanes<2>());
  else if (bs <= 4) call(Lanes<4>());
  else if (bs <= 8) call(Lanes<8>());
  else if (bs <= 16) call(Lanes<16>());
  else call(Lanes<32>());
  return launched();
}

/* The number of this thread's group of lanes */
template <int lanes> static __device__ std::size_t group()
{
  return (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / lanes;
}

/* *total <- *total + the sum over the warp */
static __device__ void add_all(unsigned long long *total, unsigned long long x)
{
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0 && x) atomicAdd(total, x);
}

template <int lanes>
static __global__ void length_kernel(const CSRView A, int bs, Index nbr, Index *length, unsigned long long *total)
{
  const std::size_t m     = group<lanes>();
  const bool        first = threadIdx.x % lanes == 0;
  Index             count = 0;

  for_blocks<lanes>(A, bs, m < std::size_t(nbr) ? Index(m) : -1, [&](Index, Index, Index, Index) { count++; });
  if (first && length && m < std::size_t(nbr)) length[m] = count;
  if (total) add_all(total, first ? (unsigned long long)count : 0);
}

/* *result <- *found on the device, zero at first, after launch(found) */
template <class T, class F> static Status find_on_device(T *result, cudaStream_t stream, F launch)
{
  Scratch scratch(stream);
  T      *found;

  Status bad = scratch.Take(1, &found);
  if (!bad) bad = scratch.Zero();
  if (!bad) bad = launch(found);
  return bad ? bad : copy_to_host(result, found, sizeof(T), stream);
}

Status ascending_cuda(const CSRView &A, bool *ascending, Stream s)
{
  const cudaStream_t stream   = (cudaStream_t)s;
  unsigned           bad_rows = 0;

  const Status bad = find_on_device(&bad_rows, stream, [&](unsigned *found) {
    return each(std::size_t(A.rows), stream, [=] __device__(std::size_t r) {
      bool good = true;
      for (Index p = A.i[r] + 1; p < A.i[r + 1]; p++) good = good && A.j[p - 1] < A.j[p];
      if (!good) *found = 1;
    });
  });
  *ascending       = !bad_rows;
  return bad;
}

Status count_blocks_cuda(const CSRView &A, BlockCounts *counts, Stream s)
{
  const cudaStream_t stream  = (cudaStream_t)s;
  Index              entries = 0;

  *counts    = BlockCounts();
  Status bad = find_on_device(&counts->blocks, stream, [&](auto *total) {
    Status bad = nullptr;
    for (int n = 2; n <= max_counted && !bad; n++) {
      const Index nbr = Index((std::size_t(A.rows) + n - 1) / n);
      bad             = with_lanes(n, nbr, [&](auto lanes, unsigned blocks) {
        length_kernel<lanes><<<blocks, threads, 0, stream>>>(A, n, nbr, nullptr, (unsigned long long *)*total + n);
      });
    }
    return bad;
  });
  if (!bad) bad = copy_to_host(&entries, A.i + A.rows, sizeof(entries), s);
  counts->rows      = A.rows;
  counts->blocks[1] = std::size_t(entries);
  return bad;
}

Status block_lengths_cuda(const CSRView &A, int bs, Index *length, std::size_t *blocks, Stream s)
{
  const cudaStream_t stream = (cudaStream_t)s;
  const Index        nbr    = Index((std::size_t(A.rows) + bs - 1) / bs);

  return find_on_device(blocks, stream, [&](std::size_t *total) {
    return with_lanes(bs, nbr, [&](auto lanes, unsigned grid) {
      length_kernel<lanes><<<grid, threads, 0, stream>>>(A, bs, nbr, length, (unsigned long long *)total);
    });
  });
}

/* Block rows are taken in the order of positions, so that lanes write to neighboring addresses */
template <int lanes>
static __global__ void fill_kernel(const CSRView A, const View<const Scalar> T, Index *col, std::uint32_t *set,
                                   BlockContents *contents)
{
  const Index        positions = T.nslices * T.height + T.nlong, r = Index(threadIdx.x) % lanes;
  const std::size_t  p = group<lanes>();
  const Index        m = p < std::size_t(positions) ? T.perm[p] : -1, row = m < 0 ? -1 : m * T.bs + r;
  const Line         l       = m < 0 ? Line{} : line_at(T, Index(p));
  const std::size_t  first   = m < 0 ? 0 : std::size_t(l.col - T.col);
  const Index        high    = m < 0 ? 0 : min(Index(T.bs), A.rows - m * T.bs);
  unsigned long long entries = 0, slots = 0, main = 0;
  bool               diagonal = false;

  for_blocks<lanes>(A, T.bs, m, [&](Index k, Index c, Index begin, Index end) {
    diagonal = diagonal || c == m;
    if (r == 0) {
      col[first + std::size_t(k) * l.height] = c;
      slots += (unsigned long long)high * width_of(T, c);
    }
    for (Index e = begin; e < end; e++) {
      const std::size_t at = slot(T, l, k, r, A.j[e] - c * T.bs);
      atomicOr(set + at / 32, 1u << at % 32);
      main += A.j[e] == row;
    }
    entries += (unsigned long long)(end - begin);
  });
  if (m >= 0 && m < T.nbc && r == 0 && !diagonal) note_first(&contents->missing, m);
  add_all(&contents->entries, entries);
  add_all(&contents->slots, slots);
  add_all(&contents->main, main);
}

Status fill_structure_cuda(const CSRView &A, const View<const Scalar> &T, Index *col, std::uint32_t *set, BlockContents *contents,
                           Stream s)
{
  const cudaStream_t stream = (cudaStream_t)s;
  const Status       bad    = cuda_status(cudaMemsetAsync(col, 0xff, T.total * sizeof(Index), stream)); /* -1 in the padding */

  return bad ? bad : find_on_device(contents, stream, [&](BlockContents *found) {
    return with_lanes(T.bs, Index(T.positions()), [&](auto lanes, unsigned blocks) {
      fill_kernel<lanes><<<blocks, threads, 0, stream>>>(A, T, col, set, found);
    });
  });
}

/* Eight threads for each row, each of which copies one entry at a time */
template <class V> Status scatter_values_cuda(const CSRView &A, const View<V> &T, long long *lost, Stream s)
{
  constexpr unsigned lanes  = 8;
  const cudaStream_t stream = (cudaStream_t)s;

  return find_on_device(lost, stream, [&](long long *found) {
    return each(std::size_t(A.rows) * lanes, stream, [=] __device__(std::size_t k) {
      const Index row = Index(k / lanes), m = row / T.bs, r = row - m * T.bs;
      const Line  l = line(T, m);
      for (Index p = A.i[row] + Index(k % lanes); p < A.i[row + 1]; p += lanes) {
        const Index c = A.j[p] / T.bs, b = find_block(l, c);
        if (b < 0) note_first(found, row);
        else T.v[slot(T, l, b, r, A.j[p] - c * T.bs)] = V(A.a[p]);
      }
    });
  });
}

HEPTA_INSTANCES(scatter_values_cuda)

} // namespace hepta::brow

/* Transposed rows, chunks and levels of a triangle on the device: sorting and scanning by CUB, a thread for each row or level of
   a chunk */
#include <algorithm>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "../../shared/warp.cuh"
#include "bbs_analysis.cuh"

namespace hepta::bbs
{

/*
   Sorts the blocks of the triangle by column; blocks of a column keep the order of their rows. first[m]: the number of blocks
   before block row m
*/
Status transpose_cuda(const StrictTriangle &T, Index blocks, Index *i, Index *j, Index *block, Stream stream)
{
  const cudaStream_t   s = (cudaStream_t)stream;
  const DeviceEach     on{stream};
  const StrictTriangle strict = T;
  const std::size_t    n = std::size_t(T.n), all = std::size_t(blocks);
  Scratch              scratch(s);
  Index               *first, *row, *column, *order;
  std::size_t         *begin;

  Status bad = scratch.Take(n + 1, &first, all, &row, all, &column, all, &order, n + 1, &begin);
  if (!bad)
    bad = each(n + 1, s, [=] __device__(std::size_t m) {
      first[m] = m < n ? strict_end(strict, Index(m)) - strict_begin(strict, Index(m)) : 0;
    });
  if (!bad) bad = running_sums(on, n + 1, first);
  if (!bad)
    bad = each(all, s, [=] __device__(std::size_t k) {
      const Index m = first_above(strict.n, [&](Index r) { return first[r + 1] > Index(k); });
      row[k]        = m;
      column[k]     = strict.j[strict_begin(strict, m) + Index(k) - first[m]];
    });
  if (!bad) bad = by_groups(on, all, column, T.n, order, begin);
  if (!bad)
    bad = each(all, s, [=] __device__(std::size_t k) {
      const Index m = row[order[k]];
      j[k]          = m;
      block[k]      = strict_begin(strict, m) + order[k] - first[m];
    });
  return bad ? bad : each(n + 1, s, [=] __device__(std::size_t c) { i[c] = Index(begin[c]); });
}

/* Is the k-th of the sorted rows the first of its level in its chunk, or of a piece of that level? */
struct BeginsGroup {
  AnalysisArrays a;

  __device__ bool operator()(Index k) const
  {
    return k == 0 || (a.layout.piece && k % a.layout.piece == 0) || a.keys.group_of(a.key[k]) != a.keys.group_of(a.key[k - 1]);
  }
};

/* Sorts the rows by key, and finds where each level of a chunk begins */
static Status sort(AnalysisWork &w)
{
  const cudaStream_t s    = w.stream;
  const RowKeys      keys = w.keys;
  const Index        n    = w.Rows();
  const std::size_t  N    = std::size_t(n);
  const int          bits = bits_of((Key(keys.chunks) * keys.levels) * Key(keys.longest + 1));
  Scratch            unsorted(s);
  Key               *key;
  Index             *row;

  Status bad = w.scratch.Take(N, &w.key, N, &w.order, N + 1, &w.group, N + 1, &w.extent, std::size_t(keys.strict.n) + 1,
                              &w.outside, std::size_t(1), &w.totals);
  if (!bad) bad = unsorted.Take(N, &key, N, &row);
  if (!bad) bad = cuda_status(cudaMemsetAsync(w.totals, 0, sizeof(Totals), s));
  if (!bad)
    bad = each(N, s, [=] __device__(std::size_t i) {
      key[i] = keys.of_row(Index(i));
      row[i] = Index(i);
    });
  if (!bad)
    bad = with_work(s, [&](void *work, std::size_t &bytes) {
      return cub::DeviceRadixSort::SortPairs(work, bytes, (const Key *)key, w.key, (const Index *)row, w.order, n, 0, bits, s);
    });
  return bad ? bad : with_work(s, [&](void *work, std::size_t &bytes) {
    return cub::DeviceSelect::If(work, bytes, thrust::counting_iterator<Index>(0), w.group, &w.totals->groups, n, BeginsGroup{w},
                                 s);
  });
}

/* The cost of all groups with each number of threads. The costs are integers, so their sum does not depend on the order. */
static __global__ void cost_kernel(const Tuning numbers, const AnalysisArrays a)
{
  const Index g = Index(blockIdx.x * std::size_t(blockDim.x) + threadIdx.x), groups = a.totals->groups;

  if (blockIdx.x * std::size_t(blockDim.x) >= std::size_t(groups)) return;
  for (int k = 0; k < thread_choices; k++) {
    long long cost = 0;
    if (g < groups) {
      const Index length = a.length(g, 0);
      cost               = level_cost(numbers, a.rows_of(g), length < 1 ? 1 : length, thread_choice(k), entry_bytes(a.single));
    }
    cost = warp_sum(cost);
    if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long *)&a.totals->cost[k], (unsigned long long)cost);
  }
}

/* Chooses the number of threads, and counts the tiles and steps of each group */
static Status measure(const AnalysisWork &w)
{
  constexpr unsigned   block = 256;
  const cudaStream_t   s     = w.stream;
  const Index          n     = w.Rows();
  const AnalysisArrays a     = w;

  if (!a.layout.level_threads) cost_kernel<<<unsigned((n + block - 1) / block), block, 0, s>>>(tuning(), a);
  Status bad = launched();
  if (!bad)
    bad = each(1, s, [=] __device__(std::size_t) {
      int best = 0;
      for (int k = 1; k < thread_choices; k++) best = a.totals->cost[k] < a.totals->cost[best] ? k : best;
      a.totals->threads =
        a.layout.level_threads ? threads_of_levels(a.layout, std::size_t(n), std::size_t(a.totals->groups)) : thread_choice(best);
    });
  if (!bad)
    bad = each(std::size_t(n) + 1, s, [=] __device__(std::size_t g) {
      TileCount e = {};
      if (g < std::size_t(a.totals->groups)) {
        for_tiles(
          a.rows_of(Index(g)), a.totals->threads, a.layout, [&](Index k) { return a.length(Index(g), k); },
          [&](Index, Index, int, Index steps) { e = e + TileCount{std::size_t(steps), 1}; });
      }
      a.extent[g] = e;
    });
  return bad ? bad : with_work(s, [&](void *work, std::size_t &bytes) {
    return cub::DeviceScan::ExclusiveScan(work, bytes, (const TileCount *)a.extent, a.extent, cuda::std::plus<>{}, TileCount{},
                                          n + 1, s);
  });
}

/*
   Counts the blocks of each block row in columns of other chunks, and over all rows the blocks in a column that the row before
   lacks: an estimate of the fetched values, exact if columns ascend and no earlier row has fetched the value
*/
static __global__ void outside_kernel(const AnalysisArrays a)
{
  const StrictTriangle &T = a.keys.strict;
  const Index           m = Index(blockIdx.x * std::size_t(blockDim.x) + threadIdx.x), before = T.upper ? m + 1 : m - 1;
  const bool  has   = m < T.n && before >= 0 && before < T.n && a.keys.chunk_of(before * T.bs) == a.keys.chunk_of(m * T.bs);
  const Index end   = has ? strict_end(T, before) : 0;
  Index       count = 0, q = has ? strict_begin(T, before) : 0;
  long long   fresh = 0;

  for (Index p = m < T.n ? strict_begin(T, m) : 0; m < T.n && p < strict_end(T, m); p++) {
    if (a.keys.chunk_of(T.j[p] * T.bs) == a.keys.chunk_of(m * T.bs)) continue;
    count++;
    while (q < end && T.j[q] < T.j[p]) q++;
    fresh += q == end || T.j[q] != T.j[p];
  }
  if (m <= T.n) a.outside[m] = count;
  fresh = warp_sum(fresh);
  if (threadIdx.x % 32 == 0 && fresh) atomicAdd((unsigned long long *)&a.totals->fetched, (unsigned long long)fresh);
}

static Status count_outside(const AnalysisWork &w)
{
  constexpr unsigned block = 256;
  const std::size_t  n     = std::size_t(w.keys.strict.n);

  outside_kernel<<<unsigned(n / block + 1), block, 0, w.stream>>>(w);
  Status bad = launched();
  return bad ? bad : running_sums(DeviceEach{w.stream}, n + 1, w.outside);
}

Status Analysis::Arrange(Index chunk_rows, const TileLayout &layout)
{
  const cudaStream_t s     = (cudaStream_t)stream;
  Totals             found = {};

  chunks = (Rows() + chunk_rows - 1) / chunk_rows;
  work.reset(new AnalysisWork(s));
  work->keys   = {strict, level, levels, longest * strict.bs, chunk_rows, chunks};
  work->layout = layout;
  work->single = single;
  Status bad   = sort(*work);
  if (!bad) bad = measure(*work);
  if (!bad && chunks > 1) bad = count_outside(*work);
  if (bad) return bad;
  const AnalysisArrays a = *work;
  bad                    = each(1, s, [=] __device__(std::size_t) {
    a.totals->all     = a.extent[a.totals->groups];
    a.totals->outside = a.keys.chunks > 1 ? a.outside[a.keys.strict.n] : 0;
  });
  if (!bad) bad = copy_to_host(&found, a.totals, sizeof(found), stream);
  groups  = found.groups;
  threads = found.threads;
  tiles   = found.all.tiles;
  steps   = found.all.steps;
  others  = found.outside * strict.bs;
  fetched = found.fetched * strict.bs;
  cost    = layout.level_threads ? 0 : *std::min_element(found.cost, found.cost + thread_choices);
  return bad;
}

} // namespace hepta::bbs

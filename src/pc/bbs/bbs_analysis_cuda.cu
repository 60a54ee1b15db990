/* Transposed rows, chunks and levels of a triangle on the device: sorting and scanning by CUB, a thread for each row or level of a chunk */
#include <algorithm>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "bbs_analysis.cuh"

namespace hepta::bbs
{

/* Blocks of a strict triangle, counted by rows; first: how many there are before each row */
struct CountedBlocks {
  Half         T;
  const Index *first;

  __device__ Index row(Index k) const { return first_above(T.n, [&](Index m) { return first[m + 1] > k; }); }
  __device__ Index place(Index m, Index k) const { return half_begin(T, m) + k - first[m]; }
};

/* Blocks sorted by column; the sort is stable, so that a column's blocks stay in the order of their rows */
Status transpose_cuda(const Half &T, Index blocks, Index *i, Index *j, Index *block, Stream stream)
{
  const cudaStream_t s    = (cudaStream_t)stream;
  const Half         half = T;
  const std::size_t  n = std::size_t(T.n), all = std::size_t(blocks);
  const int          bits = bits_of(Key(T.n));
  Scratch            scratch(s);
  std::size_t        need[2];
  Index             *first, *column, *sorted, *number, *order;
  char              *work;

  Status bad = cuda_status(cub::DeviceScan::ExclusiveSum(nullptr, need[0], (const Index *)nullptr, (Index *)nullptr, T.n + 1, s));
  if (!bad) bad = cuda_status(cub::DeviceRadixSort::SortPairs(nullptr, need[1], (const Index *)nullptr, (Index *)nullptr, (const Index *)nullptr, (Index *)nullptr, blocks, 0, bits, s));
  std::size_t bytes = need[0] > need[1] ? need[0] : need[1];
  if (!bad) bad = scratch.Take(n + 1, &first, all, &column, all, &sorted, all, &number, all, &order, bytes, &work);
  if (!bad) bad = each(n + 1, s, [=] __device__(std::size_t m) { first[m] = m < n ? half_end(half, Index(m)) - half_begin(half, Index(m)) : 0; });
  if (!bad) bad = cuda_status(cub::DeviceScan::ExclusiveSum(work, bytes, (const Index *)first, first, T.n + 1, s));
  const CountedBlocks counted = {T, first};
  if (!bad)
    bad = each(all, s, [=] __device__(std::size_t k) {
      column[k] = half.j[counted.place(counted.row(Index(k)), Index(k))];
      number[k] = Index(k);
    });
  if (!bad && blocks) bad = cuda_status(cub::DeviceRadixSort::SortPairs(work, bytes, (const Index *)column, sorted, (const Index *)number, order, blocks, 0, bits, s));
  if (!bad)
    bad = each(all, s, [=] __device__(std::size_t k) {
      j[k]     = counted.row(order[k]);
      block[k] = counted.place(j[k], order[k]);
    });
  return bad ? bad : each(n + 1, s, [=] __device__(std::size_t c) { i[c] = first_above(blocks, [&](Index k) { return sorted[k] >= Index(c); }); });
}

Analysis::Analysis(const Half &T, const Index *l, Index deep, Index long_, Stream s) : half(T), level(l), levels(deep), longest(long_), stream(s)
{
}

Analysis::~Analysis() = default;

/* Is the k-th row in the order the first of its level in its chunk, or of a piece of it? */
struct BeginsGroup {
  Keys       keys;
  const Key *key;
  Index      piece;

  __device__ bool operator()(Index k) const { return k == 0 || (piece && k % piece == 0) || keys.group_of(key[k]) != keys.group_of(key[k - 1]); }
};

/* The rows by key, and where each level of a chunk begins */
static Status sort(AnalysisWork &w, Index piece)
{
  const cudaStream_t s    = w.stream;
  const Keys         keys = w.keys;
  const Index        n = w.Rows(), blocks = keys.half.n;
  const int          bits = bits_of((Key(keys.chunks) * keys.levels) * Key(keys.longest + 1));
  std::size_t        need[4];

  Status bad = cuda_status(cub::DeviceRadixSort::SortPairs(nullptr, need[0], (const Key *)nullptr, (Key *)nullptr, (const Index *)nullptr, (Index *)nullptr, n, 0, bits, s));
  if (!bad) bad = cuda_status(cub::DeviceSelect::If(nullptr, need[1], thrust::counting_iterator<Index>(0), (Index *)nullptr, (Index *)nullptr, n, BeginsGroup{}, s));
  if (!bad) bad = cuda_status(cub::DeviceScan::ExclusiveScan(nullptr, need[2], (const Extent *)nullptr, (Extent *)nullptr, cuda::std::plus<>{}, Extent{}, n + 1, s));
  if (!bad) bad = cuda_status(cub::DeviceScan::ExclusiveSum(nullptr, need[3], (const Index *)nullptr, (Index *)nullptr, blocks + 1, s));
  for (std::size_t b : need) w.cub_bytes = b > w.cub_bytes ? b : w.cub_bytes;
  const std::size_t N = std::size_t(n);
  if (!bad) bad = w.scratch.Take(N, &w.key, N, &w.unsorted, N, &w.row, N, &w.order, N + 1, &w.group, N + 1, &w.extent, std::size_t(blocks) + 1, &w.outside, std::size_t(1), &w.totals, w.cub_bytes, (char **)&w.cub);
  if (bad) return bad;
  Key    *key   = w.unsorted;
  Index  *row   = w.row;
  Totals *total = w.totals;
  bad           = cuda_status(cudaMemsetAsync(w.totals, 0, sizeof(Totals), s));
  if (!bad)
    bad = each(N, s, [=] __device__(std::size_t i) {
      key[i] = keys.of_row(Index(i));
      row[i] = Index(i);
    });
  if (!bad) bad = cuda_status(cub::DeviceRadixSort::SortPairs(w.cub, w.cub_bytes, (const Key *)w.unsorted, w.key, (const Index *)w.row, w.order, n, 0, bits, s));
  return bad ? bad : cuda_status(cub::DeviceSelect::If(w.cub, w.cub_bytes, thrust::counting_iterator<Index>(0), w.group, &total->groups, n, BeginsGroup{keys, w.key, piece}, s));
}

/* The cost of all groups with each number of threads; integers, so that the order of the sums does not matter */
static __global__ void cost_kernel(Index n, const Keys keys, const Key *key, const Index *group, Totals *total)
{
  const Index g = Index(blockIdx.x * std::size_t(blockDim.x) + threadIdx.x), groups = total->groups;

  if (blockIdx.x * std::size_t(blockDim.x) >= std::size_t(groups)) return;
  for (int k = 0; k < thread_choices; k++) {
    long long cost = 0;
    if (g < groups) {
      const Index length = keys.length_of(key[group[g]]);
      cost               = level_cost(rows_of_group(group, g, groups, n), length < 1 ? 1 : length, thread_choice(k));
    }
    for (int o = 16; o; o /= 2) cost += __shfl_xor_sync(0xffffffffu, cost, o);
    if (threadIdx.x % 32 == 0) atomicAdd((unsigned long long *)&total->cost[k], (unsigned long long)cost);
  }
}

/* Threads, tiles and steps */
static Status measure(AnalysisWork &w, const Whole &whole)
{
  constexpr unsigned block  = 256;
  const cudaStream_t s      = w.stream;
  const Index        n      = w.Rows();
  const Keys         keys   = w.keys;
  const Key         *key    = w.key;
  const Index       *group  = w.group;
  Extent            *extent = w.extent;
  Totals            *total  = w.totals;

  if (!whole.fill) cost_kernel<<<unsigned((n + block - 1) / block), block, 0, s>>>(n, keys, key, group, total);
  Status bad = launched();
  if (!bad)
    bad = each(1, s, [=] __device__(std::size_t) {
      int best = 0;
      for (int k = 1; k < thread_choices; k++) best = total->cost[k] < total->cost[best] ? k : best;
      total->threads = whole.fill ? threads_of_levels(whole, std::size_t(n), std::size_t(total->groups)) : thread_choice(best);
    });
  if (!bad)
    bad = each(std::size_t(n) + 1, s, [=] __device__(std::size_t g) {
      const Index groups = total->groups;
      Extent      e      = {};
      if (g < std::size_t(groups)) {
        const Key *first = key + group[g];
        for_tiles(
          rows_of_group(group, Index(g), groups, n), total->threads, whole, [&](Index k) { return keys.length_of(first[k]); },
          [&](Index, Index, int, Index steps) {
            e = e + Extent{std::size_t(steps), 1};
          });
      }
      extent[g] = e;
    });
  if (!bad) bad = cuda_status(cub::DeviceScan::ExclusiveScan(w.cub, w.cub_bytes, (const Extent *)extent, extent, cuda::std::plus<>{}, Extent{}, n + 1, s));
  return bad;
}

/* Entries that the chunks have in others' columns, by block row */
static Status count_outside(AnalysisWork &w)
{
  const Keys    keys    = w.keys;
  Index        *outside = w.outside;
  const Half    T       = keys.half;
  Status        bad     = each(std::size_t(T.n) + 1, w.stream, [=] __device__(std::size_t k) {
    Index count = 0, m = Index(k);
    for (Index p = m < T.n ? half_begin(T, m) : 0; m < T.n && p < half_end(T, m); p++) count += keys.chunk_of(T.j[p] * T.bs) != keys.chunk_of(m * T.bs);
    outside[k] = count;
  });
  return bad ? bad : cuda_status(cub::DeviceScan::ExclusiveSum(w.cub, w.cub_bytes, (const Index *)outside, outside, T.n + 1, w.stream));
}

Status Analysis::Arrange(Index chunk_rows, const Whole &wanted)
{
  const cudaStream_t s = (cudaStream_t)stream;
  Totals             found;

  whole  = wanted;
  chunks = (Rows() + chunk_rows - 1) / chunk_rows;
  work.reset(new AnalysisWork(s));
  work->keys = {half, level, levels, longest * half.bs, chunk_rows, chunks};
  Status bad = sort(*work, whole.piece);
  if (!bad) bad = measure(*work, whole);
  if (!bad && chunks > 1) bad = count_outside(*work);
  if (bad) return bad;
  const Extent *extent  = work->extent;
  const Index  *outside = work->outside, last = half.n;
  Totals       *total   = work->totals;
  const bool    several = chunks > 1;
  bad                   = each(1, s, [=] __device__(std::size_t) {
    total->all     = extent[total->groups];
    total->outside = several ? outside[last] : 0;
  });
  if (!bad) bad = copy_to_host(&found, total, sizeof(found), stream);
  groups  = found.groups;
  threads = found.threads;
  tiles   = found.all.tiles;
  steps   = found.all.steps;
  others  = found.outside * half.bs;
  cost    = whole.fill ? 0 : *std::min_element(found.cost, found.cost + thread_choices);
  return bad;
}

} // namespace hepta::bbs

/* Windows of block rows are sorted and divided by a thread block each, and the tables of the layout are made by scans */
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "../../shared/group.hxx"
#include "../../shared/scratch.cuh"
#include "brow_layout_device.hxx"

namespace hepta::brow
{

using Count = unsigned long long;

/* Positions in slices, whole slices, block rows that stand alone, whether block rows have moved (1), and the longest in slices: first of a window, after the scan of all windows before it */
struct Sums {
  Index positions, alone, moved, longest;

  __host__ __device__ Sums operator+(const Sums &b) const { return {Index(positions + b.positions), Index(alone + b.alone), Index(moved + b.moved), longest > b.longest ? longest : b.longest}; }
};

/* The numbers that the host reads */
struct Found {
  Count sliced, total;
  Index nhuge, huge_parts, parts;
};

struct LayoutWork {
  Scratch scratch;
  Index   nbr, windows;
  Index  *order;  /* block rows, window by window: those that stand alone first */
  Sums   *before; /* windows + 1 */

  explicit LayoutWork(cudaStream_t s) : scratch(s) {}
};

/* One block row of a window for each thread */
constexpr int rows_at_once = int(window);
using SortBlock            = cub::BlockRadixSort<Count, rows_at_once, 1>;
using SumBlock             = cub::BlockReduce<Count, rows_at_once>;
using ScanBlock            = cub::BlockScan<Count, rows_at_once>;

union WindowMemory {
  typename SortBlock::TempStorage sort;
  typename SumBlock::TempStorage  sum;
  typename ScanBlock::TempStorage scan;
};

/* The largest of the lengths that `height` neighboring threads hold, height being a power of two up to 32 */
static __device__ Index slice_most(Index length, int height)
{
  for (int o = height / 2; o; o /= 2) length = max(length, __shfl_xor_sync(0xffffffffu, length, o));
  return length;
}

/*
   The first k of the sorted lengths from which on slices have bounded padding: the padding from k on is
   height*(length[k] + length[k + height] + ...) - (length[k] + length[k + 1] + ...), as the first row of a slice is its longest. All threads get it.
*/
static __device__ Index first_bounded(const Index *sorted, Index n, int height, Count before, Count blocks, int *first)
{
  const Index k = Index(threadIdx.x);

  if (k == 0) *first = int(n);
  __syncthreads();
  if (k < n) {
    const Count left = blocks - before;
    Count       most = 0;
    for (Index p = k; p < n; p += height) most += Count(sorted[p]);
    if (!(double(most * height - left) > most_padding * double(left + Count(n - k)))) atomicMin(first, int(k));
  }
  __syncthreads();
  return *first;
}

static __global__ void __launch_bounds__(rows_at_once) window_kernel(Index nbr, int height, bool slices, const Index *length, Index *order, Sums *sums)
{
  __shared__ WindowMemory memory;
  __shared__ Index        sorted[rows_at_once];
  __shared__ int          first, longest;
  __shared__ Count        blocks, padded;
  const Index             t = Index(threadIdx.x), begin = Index(blockIdx.x) * rows_at_once, n = min(Index(rows_at_once), nbr - begin), own = t < n ? length[begin + t] : 0;
  Index                   row = t, alone = slices ? 0 : n, here = own;

  const Count sum = SumBlock(memory.sum).Sum(Count(own));
  __syncthreads();
  const Index most = slice_most(own, height);
  const Count with = SumBlock(memory.sum).Sum(t % height == 0 ? Count(most) * height : 0);
  if (t == 0) blocks = sum;
  if (t == 0) padded = with;
  if (t == 0) longest = 0;
  __syncthreads();
  if (slices && double(padded - blocks) > tidy_padding * double(blocks)) { /* the longest first, by a stable sort */
    Count key[1] = {Count(0x7fffffff - own) << 32 | Count(t)}, before;
    SortBlock(memory.sort).Sort(key);
    row       = Index(key[0] & 0xffffffffu);
    sorted[t] = here = 0x7fffffff - Index(key[0] >> 32);
    __syncthreads();
    ScanBlock(memory.scan).ExclusiveSum(Count(sorted[t]), before);
    alone = first_bounded(sorted, n, height, before, blocks, &first);
  }
  if (t < n) order[begin + t] = begin + row;
  if (t >= alone && t < n) atomicMax(&longest, int(here));
  const Index moved = __syncthreads_or(t < n && row != t) != 0;
  if (t == 0) sums[blockIdx.x] = {(n - alone + height - 1) / height * height, alone, moved, longest};
  if (t == 0 && blockIdx.x + 1 == gridDim.x) sums[gridDim.x] = {};
}

DeviceLayout::DeviceLayout(const Index *l, Stream s) : length(l), stream(s)
{
}

DeviceLayout::~DeviceLayout() = default;

Status DeviceLayout::Rows(bool slices, Layout *L)
{
  const cudaStream_t s = (cudaStream_t)stream;
  Sums               all;

  work.reset(new LayoutWork(s));
  LayoutWork &w = *work;
  w.nbr         = L->nbr;
  w.windows     = (L->nbr + window - 1) / window;
  Status bad    = w.scratch.Take(std::size_t(w.nbr), &w.order, std::size_t(w.windows) + 1, &w.before);
  if (bad) return bad;
  window_kernel<<<unsigned(w.windows), rows_at_once, 0, s>>>(w.nbr, L->height, slices, length, w.order, w.before);
  bad = launched();
  if (!bad) bad = with_work(s, [&](void *work, std::size_t &bytes) { return cub::DeviceScan::ExclusiveScan(work, bytes, (const Sums *)w.before, w.before, cuda::std::plus<>{}, Sums{}, w.windows + 1, s); });
  if (!bad) bad = copy_to_host(&all, w.before + w.windows, sizeof(all), stream);
  L->nslices = all.positions / L->height;
  L->nlong   = all.alone;
  L->natural = !all.alone && !all.moved;
  L->longest = all.longest;
  return bad;
}

/* The number of blocks of each slice, padding included, and of each block row that stands alone */
static Status widths(const Layout &L, const RowTables &T, cudaStream_t s)
{
  const Index nslices = L.nslices, nlong = L.nlong, height = L.height;

  return each(L.groups() + 1, s, [=] __device__(std::size_t g) {
    Index most = 0;
    if (g < std::size_t(nslices)) {
      for (Index b = 0; b < height; b++) most = max(most, T.length[g * height + b]);
    } else if (g < std::size_t(nslices) + nlong) most = T.length[g + std::size_t(nslices) * (height - 1)];
    T.first[g] = std::size_t(most) * (g < std::size_t(nslices) ? height : 1);
  });
}

/* Sets position, perm and length of the rows in slices, and lists those that stand alone */
static Status position_rows(const LayoutWork &w, const Index *length, const RowTables &T, Index *alone, cudaStream_t s)
{
  const Index *order  = w.order;
  const Sums  *before = w.before;

  return each(std::size_t(w.nbr), s, [=] __device__(std::size_t k) {
    const Index win = Index(k / rows_at_once), t = Index(k % rows_at_once), m = order[k], apart = before[win + 1].alone - before[win].alone;
    if (t < apart) alone[before[win].alone + t] = m;
    else {
      const Index p = before[win].positions + t - apart;
      T.perm[p]     = m;
      T.position[m] = p;
      T.length[p]   = length[m];
    }
  });
}

/* Sets the same for rows that stand alone: the huge ones first, otherwise in the order of the list; huge[i] is the number of huge ones before entry i of the list */
static Status position_alone(const Index *length, const Layout &L, const RowTables &T, const Index *alone, const Index *huge, cudaStream_t s)
{
  const Index       nlong = L.nlong, sliced = L.nslices * L.height;
  const std::size_t size = std::size_t(L.bs) * L.bs, part_blocks = size < std::size_t(part_values) ? std::size_t(part_values) / size : 1;

  return each(std::size_t(nlong), s, [=] __device__(std::size_t i) {
    const bool  is = huge[i + 1] > huge[i];
    const Index at = is ? huge[i] : huge[nlong] + Index(i) - huge[i], m = alone[i], p = sliced + at;
    T.perm[p]               = m;
    T.position[m]           = p;
    T.length[p]             = length[m];
    const std::size_t parts = (std::size_t(length[m]) + part_blocks - 1) / part_blocks;
    T.part[at]              = Index(parts ? parts : 1);
  });
}

Status DeviceLayout::Write(const RowTables &T, Layout *L)
{
  const cudaStream_t s         = (cudaStream_t)stream;
  const std::size_t  positions = L->positions(), groups = L->groups(), size = std::size_t(L->bs) * L->bs;
  const Index       *rows = length, nlong = L->nlong;
  Index             *alone, *huge;
  Found             *found, all;
  Scratch            scratch(s);

  Status bad = scratch.Take(std::size_t(nlong) + 1, &alone, std::size_t(nlong) + 1, &huge, std::size_t(1), &found);
  if (!bad && positions) bad = cuda_status(cudaMemsetAsync(T.perm, 0xff, positions * sizeof(Index), s)); /* empty positions: -1, length 0 */
  if (!bad && positions) bad = cuda_status(cudaMemsetAsync(T.length, 0, positions * sizeof(Index), s));
  if (!bad) bad = position_rows(*work, length, T, alone, s);
  if (!bad) bad = each(std::size_t(nlong) + 1, s, [=] __device__(std::size_t i) { huge[i] = i < std::size_t(nlong) && std::size_t(rows[alone[i]]) * size > std::size_t(huge_values); });
  if (!bad) bad = running_sums(DeviceEach{stream}, std::size_t(nlong) + 1, huge);
  if (!bad) bad = cuda_status(cudaMemsetAsync(T.part + nlong, 0, sizeof(Index), s));
  if (!bad) bad = position_alone(length, *L, T, alone, huge, s);
  if (!bad) bad = running_sums(DeviceEach{stream}, std::size_t(nlong) + 1, T.part);
  if (!bad) bad = widths(*L, T, s);
  if (!bad) bad = running_sums(DeviceEach{stream}, groups + 1, T.first);
  const Index nslices = L->nslices;
  if (!bad)
    bad = each(1, s, [=] __device__(std::size_t) {
      const Index nhuge = huge[nlong];
      *found            = {T.first[nslices], T.first[groups], nhuge, T.part[nhuge], T.part[nlong]};
    });
  if (!bad) bad = copy_to_host(&all, found, sizeof(all), stream);
  if (bad) return bad;
  L->nhuge      = all.nhuge;
  L->huge_parts = all.huge_parts;
  L->parts      = all.parts;
  L->sliced     = std::size_t(all.sliced);
  L->total      = std::size_t(all.total);
  return nullptr;
}

} // namespace hepta::brow

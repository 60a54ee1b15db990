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

struct AddSums {
  __host__ __device__ WindowSums operator()(const WindowSums &a, const WindowSums &b) const
  {
    return {a.positions + b.positions, a.alone + b.alone,           a.huge + b.huge,
            a.parts + b.parts,         a.huge_parts + b.huge_parts, a.longest > b.longest ? a.longest : b.longest,
            a.moved | b.moved,         a.sliced + b.sliced,         a.blocks + b.blocks};
  }
};

/* One block row of a window for each thread */
constexpr int rows_at_once = int(window);
using SortBlock            = cub::BlockRadixSort<Count, rows_at_once, 1>;
using SumBlock             = cub::BlockReduce<WindowSums, rows_at_once>;
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
   height*(length[k] + length[k + height] + ...) - (length[k] + length[k + 1] + ...), as the first row of a slice is its longest.
   All threads get the result.
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

/* A block row of `blocks` blocks that stands alone */
static __device__ WindowSums alone_sums(Index blocks, int bs)
{
  const bool  huge  = is_huge(blocks, bs);
  const Index parts = parts_alone(blocks, bs);

  return {0, 1, huge, parts, huge ? parts : 0, 0, 0, 0, std::size_t(blocks)};
}

/* A block row of `blocks` blocks in a slice whose longest block row has `most`; the first block row counts for the slice */
static __device__ WindowSums slice_sums(bool first, int height, Index most, Index blocks, bool moved)
{
  return {first ? height : 0, 0, 0, 0, 0, blocks, moved, first ? std::size_t(most) * height : 0, 0};
}

static __global__ void __launch_bounds__(rows_at_once)
  window_kernel(Index nbr, int bs, int height, bool slices, const DividedRows R)
{
  __shared__ WindowMemory memory;
  __shared__ Index        sorted[rows_at_once];
  __shared__ int          first;
  __shared__ Count        blocks, padded;
  const Index t = Index(threadIdx.x), begin = Index(blockIdx.x) * rows_at_once, n = min(Index(rows_at_once), nbr - begin),
              own = t < n ? R.length[begin + t] : 0;
  Index       row = t, alone = slices ? 0 : n, here = own, most = slice_most(own, height);
  WindowSums  sums = {};

  sums.blocks = std::size_t(own);
  sums.sliced = t % height == 0 ? std::size_t(most) * height : 0;
  sums        = SumBlock(memory.sum).Reduce(sums, AddSums());
  if (t == 0) blocks = sums.blocks;
  if (t == 0) padded = sums.sliced;
  __syncthreads();
  /* the longest or the huge ones first, by a stable sort */
  if (!slices || double(padded - blocks) > tidy_padding * double(blocks)) {
    Count key[1] = {Count(slices ? 0x7fffffff - own : !is_huge(own, bs)) << 32 | Count(t)}, before;
    SortBlock(memory.sort).Sort(key);
    row       = Index(key[0] & 0xffffffffu);
    sorted[t] = here = most = row < n ? R.length[begin + row] : 0;
    __syncthreads();
    ScanBlock(memory.scan).ExclusiveSum(Count(here), before);
    if (slices) alone = first_bounded(sorted, n, height, before, blocks, &first);
  }
  __syncthreads();
  sums = {};
  if (t < alone) sums = alone_sums(here, bs);
  else if (t < n) sums = slice_sums((t - alone) % height == 0, height, most, here, row != t);
  if (t < n) R.order[begin + t] = begin + row;
  sums = SumBlock(memory.sum).Reduce(sums, AddSums());
  if (t == 0) R.before[blockIdx.x] = sums;
  if (t == 0 && blockIdx.x + 1 == gridDim.x) R.before[gridDim.x] = {};
}

Status divide_rows_cuda(const DividedRows &R, bool slices, Layout *L, Stream stream)
{
  const cudaStream_t s       = (cudaStream_t)stream;
  const Index        windows = (L->nbr + window - 1) / window;
  WindowSums         all;

  window_kernel<<<unsigned(windows), rows_at_once, 0, s>>>(L->nbr, L->bs, L->height, slices, R);
  Status bad = launched();
  if (!bad)
    bad = with_work(s, [&](void *work, std::size_t &bytes) {
      return cub::DeviceScan::ExclusiveScan(work, bytes, (const WindowSums *)R.before, R.before, AddSums(), WindowSums{},
                                            windows + 1, s);
    });
  if (!bad) bad = copy_to_host(&all, R.before + windows, sizeof(all), stream);
  if (bad) return bad;
  L->nslices    = all.positions / L->height;
  L->nlong      = all.alone;
  L->natural    = !all.alone && !all.moved;
  L->longest    = all.longest;
  L->nhuge      = all.huge;
  L->huge_parts = all.huge_parts;
  L->parts      = all.parts;
  L->sliced     = all.sliced;
  L->total      = all.sliced + all.blocks;
  return nullptr;
}

Status fill_rows_cuda(const DividedRows &R, const Layout &L, const Tables &T, Stream stream)
{
  const cudaStream_t s       = (cudaStream_t)stream;
  const Index        nslices = L.nslices, nlong = L.nlong, nhuge = L.nhuge, height = L.height, sliced = nslices * height;
  const int          bs = L.bs;

  Status bad = cuda_status(cudaMemsetAsync(T.perm, 0xff, L.positions() * sizeof(Index), s)); /* empty positions: -1, length 0 */
  if (!bad) bad = cuda_status(cudaMemsetAsync(T.length, 0, L.positions() * sizeof(Index), s));
  if (!bad) bad = cuda_status(cudaMemsetAsync(T.part + nlong, 0, sizeof(Index), s));
  if (!bad)
    bad = each(std::size_t(L.nbr), s, [=] __device__(std::size_t k) {
      const WindowSums *const w = R.before + k / rows_at_once;
      const Index t = Index(k % rows_at_once), m = R.order[k], alone = w[1].alone - w[0].alone, huge = w[1].huge - w[0].huge;
      const Index p =
        t >= alone ? w[0].positions + t - alone : sliced + t + (t < huge ? w[0].huge : nhuge - huge + w[0].alone - w[0].huge);
      T.perm[p]     = m;
      T.position[m] = p;
      T.length[p]   = R.length[m];
      if (t < alone) T.part[p - sliced] = parts_alone(R.length[m], bs);
    });
  if (!bad) bad = running_sums(DeviceEach{stream}, std::size_t(nlong) + 1, T.part);
  /* the blocks of a slice, padding included, or of a block row that stands alone */
  if (!bad)
    bad = each(L.groups(), s, [=] __device__(std::size_t g) {
      Index most = g < std::size_t(nslices) ? 0 : T.length[g + std::size_t(nslices) * (height - 1)];
      for (Index b = 0; b < height && g < std::size_t(nslices); b++) most = max(most, T.length[g * height + b]);
      T.first[g] = std::size_t(most) * (g < std::size_t(nslices) ? height : 1);
    });
  return bad ? bad : running_sums(DeviceEach{stream}, L.groups(), T.first);
}

} // namespace hepta::brow

/* Levels on the device */
#include <cub/device/device_radix_sort.cuh>

#include "../../shared/each.hxx"
#include "../../shared/scratch.cuh"
#include "bbs_analysis.hxx"
#include "bbs_device.cuh"

namespace hepta::bbs
{

/* note_first() for the rows m of a warp that are in question; rows ascend with the lanes */
static __device__ void note_first_row(long long *code, Index m, bool in_question)
{
  const unsigned lanes = __ballot_sync(0xffffffffu, in_question);

  if (!lanes || int(threadIdx.x % 32) != __ffs(int(lanes)) - 1) return;
  const long long noted = first_noted(*(volatile long long *)code); /* most are behind one that was noted */
  if (noted < 0 || noted > m) note_first(code, m);
}

/* What a row has: blocks below and above the diagonal, and where that is; do its columns ascend? */
struct RowInspection {
  unsigned below = 0, above = 0;
  Index    at    = -1;
  bool     order = true;

  /* Every step-th block from the first-th on */
  __device__ void Look(Index m, const Index *i, const Index *j, Index first, Index step)
  {
    for (Index p = i[m] + first; p < i[m + 1]; p += step) {
      order = order && (p == i[m] || j[p - 1] < j[p]);
      if (j[p] == m) at = p;
      else j[p] > m ? above++ : below++;
    }
  }
};

/* A thread for each row, and a warp for each long one */
static __global__ void inspect_kernel(Index n, const Index *i, const Index *j, Index *diag, Inspection *found)
{
  constexpr unsigned all = 0xffffffffu;
  const Index        m = Index(blockIdx.x * std::size_t(blockDim.x) + threadIdx.x), lane = Index(threadIdx.x % 32), length = m < n ? i[m + 1] - i[m] : 0;
  RowInspection      row;

  if (length <= long_row && m < n) row.Look(m, i, j, 0, 1);
  for_lanes(length > long_row, [&](int who) {
    RowInspection part;
    part.Look(m - lane + who, i, j, lane, 32);
    const unsigned has = __ballot_sync(all, part.at >= 0);
    part.below = __reduce_add_sync(all, part.below);
    part.above = __reduce_add_sync(all, part.above);
    part.at    = __shfl_sync(all, part.at, has ? __ffs(int(has)) - 1 : 0);
    part.order = __all_sync(all, part.order);
    if (lane == who) row = part;
  });
  if (m < n) diag[m] = row.at;
  unsigned long long blocks[2] = {row.below, row.above};
  note_first_row(&found->missing, m, m < n && row.at < 0);
  note_first_row(&found->disorder, m, !row.order);
  note_first_row(&found->below, m, row.below > 0);
  note_first_row(&found->above, m, row.above > 0);
  for (int upper = 0; upper < 2; upper++) {
    for (int o = 16; o; o /= 2) blocks[upper] += __shfl_xor_sync(all, blocks[upper], o);
    if (threadIdx.x % 32 == 0 && blocks[upper]) atomicAdd(&found->blocks[upper], blocks[upper]);
  }
}

Status inspect_cuda(Index n, const Index *i, const Index *j, Index *diag, Inspection *result, Stream s)
{
  constexpr unsigned threads = 256;
  cudaStream_t       stream  = (cudaStream_t)s;
  Scratch            scratch(stream);
  Inspection        *found;

  *result    = Inspection();
  Status bad = scratch.Take(1, &found);
  if (!bad) bad = cuda_status(cudaMemsetAsync(found, 0, sizeof(*found), stream));
  if (bad || !n) return bad;
  inspect_kernel<<<unsigned((n + threads - 1) / threads), threads, 0, stream>>>(n, i, j, diag, found);
  bad = launched();
  return bad ? bad : copy_to_host(result, found, sizeof(*found), s);
}

/* Of all rows */
struct LevelReport {
  unsigned long long levels, longest, widest;
};

constexpr unsigned level_rows = 512; /* of a thread block */

/* What a row depends on, from the farthest to the nearest, which is mostly the last to be known; places count from where dependencies begin */
struct Dependencies {
  const Half &T;
  Index       first, begin, count, p = 0, top = 0, place; /* of the thread block's first row; the one looked at, the largest level so far, and its place */

  __device__       Dependencies(const Half &half, Index f, Index m, bool busy) : T(half), first(f), begin(busy ? half_begin(half, m) : 0), count(busy ? half_end(half, m) - begin : 0) { Look(); }
  __device__ Index Column(Index k) const { return T.j[T.upper ? begin + count - 1 - k : begin + k]; }
  __device__ void  Look() { place = p < count ? (T.upper ? T.n - 1 - Column(p) : Column(p)) - first : 0; }
  __device__ bool  Left() const { return p < count; }
  /* Is the place among the 32 that begin with k? */
  __device__ bool  Among(Index k) const { return Left() && place >= 0 && place / 32 == k / 32; }
  __device__ void  Take(Index l)
  {
    top = l > top ? l : top;
    p++;
    Look();
  }
  /* Passes those that are known; own: are rows of the thread block asked, or others? level(place): zero for not yet */
  template <class L> __device__ void Pass(bool own, const L &level)
  {
    while (Left() && (place >= 0) == own) {
      const Index l = level(place);
      if (!l) break;
      Take(l);
    }
  }
};

/* Rows with many dependencies left pass them with all threads of their warp, as long as they are known */
static __device__ void pass_together(Dependencies &d, const Index *level)
{
  constexpr unsigned all  = 0xffffffffu;
  constexpr Index    step = 128, many = 4 * step;
  const Index        lane = Index(threadIdx.x) % 32;

  for_lanes(d.count - d.p >= many, [&](int who) {
    Dependencies row = d;
    unsigned     top = 0, missing = 0;
    row.begin        = __shfl_sync(all, d.begin, who);
    row.count        = __shfl_sync(all, d.count, who);
    Index p          = __shfl_sync(all, d.p, who);
    for (; p + step <= row.count; p += step) {
      unsigned largest = 0;
      for (Index k = p + lane; k < p + step; k += 32) {
        const unsigned l = unsigned(load_relaxed(level + row.Column(k)));
        missing |= l == 0;
        largest = l > largest ? l : largest;
      }
      if (__any_sync(all, missing)) break;
      top = largest > top ? largest : top;
    }
    top = __reduce_max_sync(all, top);
    if (lane != who) return;
    d.p   = p;
    d.top = Index(top) > d.top ? Index(top) : d.top;
    d.Look();
  });
}

/*
   A thread finds the level of a row, a thread block those of neighboring rows. What it needs of its own warp it gets by shuffles, of the thread block's
   other warps from shared memory, by atomic operations, as nothing else orders the two, and of others in `level`; zero: not there yet. Thread blocks
   are numbered as they begin to work, hence what is waited for is done or being worked on.
*/
static __global__ void __launch_bounds__(level_rows) levels_kernel(const __grid_constant__ Half T, Index *level, unsigned *ticket, LevelReport *report)
{
  constexpr unsigned  all = 0xffffffffu;
  __shared__ unsigned own[level_rows];
  __shared__ unsigned taken;
  const Index         k = Index(threadIdx.x);

  if (k == 0) taken = atomicAdd(ticket, 1u);
  own[k] = 0;
  __syncthreads();
  const Index  first = Index(taken) * Index(level_rows), m = T.upper ? T.n - 1 - (first + k) : first + k;
  const bool   mine = first + k < T.n;
  Dependencies d(T, first, m, mine);
  bool         busy  = mine;
  unsigned     found = 0;
  while (__any_sync(all, busy)) {
    const Index near = (Index)__shfl_sync(all, found, int(unsigned(d.place) % 32));
    if (!d.Among(k)) d.Pass(true, [&](Index place) { return place / 32 == k / 32 ? Index(0) : Index(atomicOr(own + place, 0u)); });
    else if (near) d.Take(near);
    const bool ready = busy && !d.Left();
    if (ready) {
      found = unsigned(d.top + 1);
      atomicExch(own + k, found);
      store_relaxed(level + m, d.top + 1);
      busy = false;
    }
    /* others are asked, which takes long, when nobody gets on without them */
    if (__any_sync(all, ready)) continue;
    pass_together(d, level);
    d.Pass(false, [&](Index place) { return load_relaxed(level + (T.upper ? T.n - 1 - (first + place) : first + place)); });
  }
  const unsigned deepest = __reduce_max_sync(all, mine ? unsigned(d.top + 1) : 0u), longest = __reduce_max_sync(all, unsigned(d.count));
  if (k % 32) return;
  atomicMax(&report->levels, (unsigned long long)deepest);
  atomicMax(&report->longest, (unsigned long long)longest);
}

/* The most rows of a level: counts first, then their largest */
static Status find_widest(Index n, const Index *level, Index *count, LevelReport *report, cudaStream_t stream)
{
  Status bad = each(std::size_t(n), stream, [=] __device__(std::size_t m) { atomicAdd((unsigned *)(count + (level[m] - 1)), 1u); });

  return bad ? bad : each(std::size_t(n), stream, [=] __device__(std::size_t l) {
    const auto rows = (unsigned long long)*(const unsigned *)(count + l);
    if (rows > *(volatile unsigned long long *)&report->widest) atomicMax(&report->widest, rows);
  });
}

Status levels_cuda(const Half &T, Index *level, Index *levels, Index *widest, Index *longest, Stream s)
{
  cudaStream_t stream = (cudaStream_t)s;
  Scratch      scratch(stream);
  LevelReport *report, found = {};
  unsigned    *ticket;
  Index       *count;

  Status bad = scratch.Take(1, &report, 1, &ticket, std::size_t(T.n), &count);
  if (!bad) bad = scratch.Zero();
  if (!bad) bad = cuda_status(cudaMemsetAsync(level, 0, std::size_t(T.n) * sizeof(Index), stream));
  if (!bad && T.n) {
    levels_kernel<<<unsigned((T.n + level_rows - 1) / level_rows), level_rows, 0, stream>>>(T, level, ticket, report);
    bad = launched();
  }
  if (!bad) bad = find_widest(T.n, level, count, report, stream);
  if (!bad) bad = copy_to_host(&found, report, sizeof(found), s);
  *levels  = Index(found.levels);
  *widest  = Index(found.widest);
  *longest = Index(found.longest);
  return bad;
}

Status level_order_cuda(Index n, Index levels, const Index *level, Index *order, Stream s)
{
  cudaStream_t stream = (cudaStream_t)s;
  Scratch      scratch(stream);
  Index       *row, *sorted;
  std::size_t  bytes = 0;
  char        *work;
  int          bits = 1;

  while (bits < 31 && Index(1) << bits <= levels) bits++;
  Status bad = cuda_status(cub::DeviceRadixSort::SortPairs(nullptr, bytes, level, (Index *)nullptr, (const Index *)nullptr, order, n, 0, bits, stream));
  if (!bad) bad = scratch.Take(std::size_t(n), &row, std::size_t(n), &sorted, bytes, &work);
  if (!bad) bad = each(std::size_t(n), stream, [=] __device__(std::size_t m) { row[m] = Index(m); });
  return bad ? bad : cuda_status(cub::DeviceRadixSort::SortPairs(work, bytes, level, sorted, (const Index *)row, order, n, 0, bits, stream));
}

} // namespace hepta::bbs

/* Checks the rows of a matrix, and finds levels, on the device */
#include "../../shared/scratch.cuh"
#include "../../shared/warp.cuh"
#include "bbs_analysis.hxx"
#include "bbs_device.cuh"

namespace hepta::bbs
{

/* Entry by entry, so that long rows take no longer than short ones */
Status inspect_cuda(Index n, std::size_t blocks, const Index *i, const Index *j, Index *diag, Inspection *result, Stream s)
{
  const cudaStream_t stream = (cudaStream_t)s;
  Scratch            scratch(stream);
  Inspection        *found;

  Status bad = scratch.Take(1, &found);
  if (!bad) bad = scratch.Zero();
  if (!bad)
    bad = each(blocks, stream, [=] __device__(std::size_t k) {
      const Index p = Index(k), m = first_above(n, [&](Index r) { return i[r + 1] > p; });
      if (j[p] == m) diag[m] = p;
      count_if(j[p] == m, &found->diagonal);
      count_if(j[p] < m, &found->below);
      count_if(p > i[m] && j[p - 1] >= j[p], &found->unordered);
    });
  return bad ? bad : copy_to_host(result, found, sizeof(*found), s);
}

struct LevelReport {
  unsigned long long levels, longest;
};

constexpr unsigned level_rows = 512; /* rows whose levels a thread block finds */

/*
   The dependencies of a row, from the farthest to the nearest: the nearest row's level is usually known last. The position of a
   row counts from the thread block's first row, in the order of the dependencies; rows of other thread blocks have negative
   positions.
*/
struct Dependencies {
  const StrictTriangle &T;
  /* first: the thread block's first row; p, position: of the next dependency; top: the largest level so far */
  Index first, begin, count, p = 0, top = 0, position;

  __device__ Dependencies(const StrictTriangle &strict, Index f, Index m, bool busy)
    : T(strict), first(f), begin(busy ? strict_begin(strict, m) : 0), count(busy ? strict_end(strict, m) - begin : 0)
  {
    ReadNext();
  }
  __device__ Index Column(Index k) const { return T.j[T.upper ? begin + count - 1 - k : begin + k]; }
  __device__ void  ReadNext() { position = p < count ? (T.upper ? T.n - 1 - Column(p) : Column(p)) - first : 0; }
  __device__ bool  HasMore() const { return p < count; }
  /* Is the next dependency among the rows of the warp that has position k? */
  __device__ bool IsNear(Index k) const { return HasMore() && position >= 0 && position / 32 == k / 32; }
  __device__ void Add(Index l)
  {
    top = l > top ? l : top;
    p++;
    ReadNext();
  }
  /*
     Processes dependencies as long as levels are known; own: only rows of this thread block, otherwise only rows of other thread
     blocks. An unknown level(position) is zero.
  */
  template <class L> __device__ void AddKnown(bool own, const L &level)
  {
    while (HasMore() && (position >= 0) == own) {
      const Index l = level(position);
      if (!l) break;
      Add(l);
    }
  }
};

/* All threads of a warp process the dependencies of a row with many remaining dependencies, as long as levels are known */
static __device__ void pass_by_warp(Dependencies &d, const Index *level)
{
  constexpr unsigned all  = 0xffffffffu;
  constexpr Index    step = 128, many = 4 * step;
  const Index        lane = Index(threadIdx.x) % 32;

  for_lanes(d.count - d.p >= many, [&](int who) {
    Dependencies row = d;
    unsigned     top = 0, missing = 0;
    row.begin = __shfl_sync(all, d.begin, who);
    row.count = __shfl_sync(all, d.count, who);
    Index p   = __shfl_sync(all, d.p, who);
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
    d.ReadNext();
  });
}

/*
   A thread finds the level of a row, a thread block the levels of neighboring rows. A thread reads levels of its own warp by
   shuffles, levels of other warps of the thread block from shared memory, by atomic operations, since there is no barrier, and
   levels of other thread blocks from `level`; zero: not known yet. Thread blocks are numbered as they begin, so a thread block
   waits only for thread blocks that are done or running.
*/
static __global__ void __launch_bounds__(level_rows)
  levels_kernel(const __grid_constant__ StrictTriangle T, Index *level, unsigned *ticket, LevelReport *report)
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
    const Index near = (Index)__shfl_sync(all, found, int(unsigned(d.position) % 32));
    if (!d.IsNear(k))
      d.AddKnown(true, [&](Index position) { return position / 32 == k / 32 ? Index(0) : Index(atomicOr(own + position, 0u)); });
    else if (near) d.Add(near);
    const bool ready = busy && !d.HasMore();
    if (ready) {
      found = unsigned(d.top + 1);
      atomicExch(own + k, found);
      store_relaxed(level + m, d.top + 1);
      busy = false;
    }
    /* loads of other thread blocks' levels are slow: only when no row of the warp can proceed otherwise */
    if (__any_sync(all, ready)) continue;
    pass_by_warp(d, level);
    d.AddKnown(false,
               [&](Index position) { return load_relaxed(level + (T.upper ? T.n - 1 - (first + position) : first + position)); });
  }
  const unsigned deepest = __reduce_max_sync(all, mine ? unsigned(d.top + 1) : 0u),
                 longest = __reduce_max_sync(all, unsigned(d.count));
  if (k % 32) return;
  atomicMax(&report->levels, (unsigned long long)deepest);
  atomicMax(&report->longest, (unsigned long long)longest);
}

Status levels_cuda(const StrictTriangle &T, Index *level, Index *levels, Index *longest, Stream s)
{
  cudaStream_t stream = (cudaStream_t)s;
  Scratch      scratch(stream);
  LevelReport *report, found = {};
  unsigned    *ticket;

  Status bad = scratch.Take(1, &report, 1, &ticket);
  if (!bad) bad = scratch.Zero();
  if (!bad) bad = cuda_status(cudaMemsetAsync(level, 0, std::size_t(T.n) * sizeof(Index), stream));
  if (!bad && T.n) {
    levels_kernel<<<unsigned((T.n + level_rows - 1) / level_rows), level_rows, 0, stream>>>(T, level, ticket, report);
    bad = launched();
  }
  if (!bad) bad = copy_to_host(&found, report, sizeof(found), s);
  *levels  = Index(found.levels);
  *longest = Index(found.longest);
  return bad;
}

} // namespace hepta::bbs

/* A product on a device whose thread blocks read the entries of their rows together */
#pragma once

#include "../../shared/unroll.hxx"
#include "aggmg_level.hxx"

namespace hepta::aggmg
{

/* rows of a thread block, one for each thread; entries at a time; the most entries of a row that one thread adds up */
constexpr int STAGE_ROWS = 128, STAGE = 1024, STAGE_LONG = 64;

/* For each lane with a long row: the sum of room[low ... high - 1], added up by the whole warp; 0 for all other lanes */
template <class V> __device__ V sum_long(const V *room, Index low, Index high)
{
  const int lane = int(threadIdx.x) & 31;
  V         mine = 0;

  for (unsigned left = __ballot_sync(0xffffffffu, high - low > STAGE_LONG); left; left &= left - 1) {
    const int   of  = __ffs(int(left)) - 1;
    const Index end = __shfl_sync(0xffffffffu, high, of);
    V           sum = 0;
    for (Index k = __shfl_sync(0xffffffffu, low, of) + lane; k < end; k += 32) sum += room[k];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (lane == of) mine = sum;
  }
  return mine;
}

/* Neighbors in memory, which a thread reads at once */
template <class T> struct alignas(16) Four {
  T of[4];
};

/*
   The sum of term(a, j) over the entries a of the row of this thread, for rows of single entries; j: the column of a. The threads
   of a thread block read the entries of all rows of the block, neighbors side by side, into shared memory: coalesced, in
   contrast to a thread that reads its own row.
*/
template <class T, class F> __device__ auto staged_sum(const Tiles<T> &A, F term)
{
  using V            = decltype(term(T(), Index()));
  constexpr int each = STAGE / STAGE_ROWS / 4;
  __shared__ Four<V> room[STAGE / 4];
  const V *const     all = (const V *)room;
  const Index        m = Index(blockIdx.x) * STAGE_ROWS, rows = A.rows - m < STAGE_ROWS ? A.rows - m : STAGE_ROWS,
              in    = Index(threadIdx.x) < rows ? Index(threadIdx.x) : rows - 1;
  const Index begin = A.first[m] & ~Index(3), end = A.first[m + rows], own = A.first[m + in], own_end = A.first[m + in + 1];
  V           sum = 0;

  for (Index base = begin; base < end; base += STAGE) {
    Four<V> some[each] = {};
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < each; k++) {
      const Index e = base + 4 * (Index(threadIdx.x) + k * STAGE_ROWS);
      if (e + 4 <= end) {
        const Four<T>     a = *(const Four<T> *)(A.val + e);
        const Four<Index> j = *(const Four<Index> *)(A.col + e);
        HEPTA_DEVICE_UNROLL
        for (int c = 0; c < 4; c++) some[k].of[c] = term(a.of[c], j.of[c]);
      } else {
        HEPTA_DEVICE_UNROLL
        for (int c = 0; c < 4; c++) {
          if (e + c < end) some[k].of[c] = term(A.val[e + c], A.col[e + c]);
        }
      }
    }
    __syncthreads(); /* the room may still be read */
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < each; k++) room[Index(threadIdx.x) + k * STAGE_ROWS] = some[k];
    __syncthreads();
    const Index low = own > base ? own - base : 0, high = own_end - base < STAGE ? own_end - base : STAGE;
    if (high - low <= STAGE_LONG) {
      for (Index k = low; k < high; k++) sum += all[k];
    }
    sum += sum_long(all, low, high);
  }
  return sum;
}

} // namespace hepta::aggmg

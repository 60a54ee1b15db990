/* The launchers of coo.hxx */
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "../../shared/scratch.cuh"
#include "coo.hxx"

namespace hepta::blocked
{

/* Is entry k not the first of its slot? */
template <class View> struct IsDuplicate {
  View                 A;
  CooEntries           e;
  const std::uint32_t *first;

  __device__ bool operator()(std::uint64_t k) const { return e.i[k] >= 0 && e.j[k] >= 0 && first[find_slot(A, e.i[k], e.j[k])] != std::uint32_t(k); }
};

template <class View> Status coo_first_cuda(const View &A, const CooEntries &e, std::size_t slots, std::uint32_t *first, unsigned long long *duplicates, Stream stream)
{
  const cudaStream_t      s = (cudaStream_t)stream;
  const IsDuplicate<View> duplicate{A, e, first};

  Status bad = slots ? cuda_status(cudaMemsetAsync(first, 0xff, slots * sizeof(*first), s)) : nullptr;
  if (!bad)
    bad = each(e.n, s, [=] __device__(std::size_t k) {
      if (e.i[k] >= 0 && e.j[k] >= 0) atomicMin(&first[find_slot(A, e.i[k], e.j[k])], std::uint32_t(k));
    });
  if (!bad)
    bad = each(e.n, s, [=] __device__(std::size_t k) {
      const unsigned lanes = __activemask(), yes = __ballot_sync(lanes, duplicate(k));
      if (yes && int(threadIdx.x % 32) == __ffs(int(lanes)) - 1) atomicAdd(duplicates, (unsigned long long)__popc(yes));
    });
  return bad;
}

template <class View> Status coo_duplicates_cuda(const View &A, const CooEntries &e, const std::uint32_t *first, std::size_t duplicates, std::uint64_t *slot, std::uint64_t *perm, Stream stream)
{
  using Number                              = std::uint64_t;
  const cudaStream_t                      s = (cudaStream_t)stream;
  const IsDuplicate<View>                 duplicate{A, e, first};
  const thrust::counting_iterator<Number> all(0);
  const long long                         n = (long long)duplicates;
  std::size_t                             need[2];
  char                                   *work;
  Number                                 *selected, *number, *unsorted;
  Scratch                                 scratch(s);

  Status bad = cuda_status(cub::DeviceSelect::If(nullptr, need[0], all, perm, (Number *)nullptr, (long long)e.n, duplicate, s));
  if (!bad) bad = cuda_status(cub::DeviceRadixSort::SortPairs(nullptr, need[1], slot, slot, perm, perm, n, 0, 64, s));
  if (!bad) bad = scratch.Take(1, &selected, duplicates, &number, duplicates, &unsorted, need[0] > need[1] ? need[0] : need[1], &work);
  if (!bad) bad = cuda_status(cub::DeviceSelect::If(work, need[0], all, number, selected, (long long)e.n, duplicate, s)); /* in the order given */
  if (!bad) bad = each(duplicates, s, [=] __device__(std::size_t k) { unsorted[k] = find_slot(A, e.i[number[k]], e.j[number[k]]); });
  if (!bad) bad = cuda_status(cub::DeviceRadixSort::SortPairs(work, need[1], unsorted, slot, number, perm, n, 0, 64, s)); /* stable */
  return bad;
}

} // namespace hepta::blocked

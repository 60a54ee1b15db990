/* The launchers of coo.hxx */
#pragma once

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "../../shared/group.hxx"
#include "../../shared/scratch.cuh"
#include "../../shared/warp.cuh"
#include "coo.hxx"

namespace hepta::blocked
{

/* Does entry k arrive from another rank, or follow another entry for its slot? */
template <class View> struct IsDuplicate {
  View                 A;
  CooEntries           e;
  const std::uint32_t *first;
  std::size_t          given;

  __device__ bool operator()(std::uint64_t k) const
  {
    return e.i[k] >= 0 && e.j[k] >= 0 && (k >= given || first[find_slot(A, e.i[k], e.j[k])] != std::uint32_t(k));
  }
};

template <class View>
Status coo_first_cuda(const View &A, const CooEntries &e, std::size_t given, std::size_t slots, std::uint32_t *first,
                      unsigned long long *duplicates, Stream stream)
{
  const cudaStream_t      s = (cudaStream_t)stream;
  const IsDuplicate<View> duplicate{A, e, first, given};

  Status bad = slots ? cuda_status(cudaMemsetAsync(first, 0xff, slots * sizeof(*first), s)) : nullptr;
  if (!bad)
    bad = each(e.n, s, [=] __device__(std::size_t k) {
      if (e.i[k] >= 0 && e.j[k] >= 0) atomicMin(&first[find_slot(A, e.i[k], e.j[k])], std::uint32_t(k));
    });
  if (!bad) bad = each(e.n, s, [=] __device__(std::size_t k) { count_if(duplicate(k), duplicates); });
  return bad;
}

template <class View>
Status coo_duplicates_cuda(const View &A, const CooEntries &e, std::size_t given, const std::uint32_t *first,
                           std::size_t duplicates, std::uint64_t *slot, std::uint64_t *perm, Stream stream)
{
  using Number              = std::uint64_t;
  const cudaStream_t      s = (cudaStream_t)stream;
  const IsDuplicate<View> duplicate{A, e, first, given};
  Number                 *selected, *number, *unsorted;
  Scratch                 scratch(s);

  Status bad = scratch.Take(1, &selected, duplicates, &number, duplicates, &unsorted);
  if (!bad) /* the selection is stable, so that duplicates keep their order */
    bad = with_work(s, [=](void *work, std::size_t &bytes) {
      return cub::DeviceSelect::If(work, bytes, thrust::counting_iterator<Number>(0), number, selected, (long long)e.n, duplicate,
                                   s);
    });
  if (!bad)
    bad = each(duplicates, s, [=] __device__(std::size_t k) { unsorted[k] = find_slot(A, e.i[number[k]], e.j[number[k]]); });
  return bad ? bad : sort_by_key(DeviceEach{stream}, duplicates, 64, unsorted, slot, number, perm);
}

} // namespace hepta::blocked

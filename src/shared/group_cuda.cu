/* Running sums and the order by groups on the device */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "group.hxx"
#include "scratch.cuh"

namespace hepta
{

template <class T> static Status add_up(cudaStream_t s, std::size_t n, T *x)
{
  std::size_t need = 0;
  char       *work;
  Scratch     scratch(s);

  if (!n) return nullptr;
  Status bad = cuda_status(cub::DeviceScan::ExclusiveSum(nullptr, need, x, x, (long long)n, s));
  if (!bad) bad = scratch.Take(need, &work);
  return bad ? bad : cuda_status(cub::DeviceScan::ExclusiveSum(work, need, x, x, (long long)n, s));
}

Status running_sums(const DeviceEach &each, std::size_t n, std::size_t *x)
{
  return add_up((cudaStream_t)each.stream, n, x);
}

Status running_sums(const DeviceEach &each, std::size_t n, Index *x)
{
  return add_up((cudaStream_t)each.stream, n, x);
}

Status by_groups(const DeviceEach &on, std::size_t n, const Index *group, Index groups, Index *order, std::size_t *first)
{
  const cudaStream_t s    = (cudaStream_t)on.stream;
  int                bits = 1;
  std::size_t        need = 0;
  char              *work;
  Index             *sorted, *number;
  Scratch            scratch(s);

  while (bits < int(8 * sizeof(Index)) - 1 && (groups - 1) >> bits > 0) bits++;
  Status bad = cuda_status(cub::DeviceRadixSort::SortPairs(nullptr, need, group, order, order, order, (long long)n, 0, bits, s));
  if (!bad) bad = scratch.Take(n, &sorted, n, &number, need, &work);
  if (!bad) bad = each(n, s, [=] __device__(std::size_t k) { number[k] = Index(k); });
  if (!bad) bad = cuda_status(cub::DeviceRadixSort::SortPairs(work, need, group, sorted, (const Index *)number, order, (long long)n, 0, bits, s)); /* stable */
  if (!bad) bad = each(std::size_t(groups) + 1, s, [=] __device__(std::size_t e) { first[e] = std::size_t(first_above(Index(n), [&](Index k) { return std::size_t(sorted[k]) >= e; })); });
  return bad;
}

} // namespace hepta

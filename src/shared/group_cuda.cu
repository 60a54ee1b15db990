/* Running sums, the order by groups, and sorting on the device */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "group.hxx"
#include "scratch.cuh"

namespace hepta
{

template <class T> Status running_sums(const DeviceEach &on, std::size_t n, T *x)
{
  const cudaStream_t s = (cudaStream_t)on.stream;

  return n ? with_work(s, [=](void        *work,
                              std::size_t &bytes) { return cub::DeviceScan::ExclusiveSum(work, bytes, x, x, (long long)n, s); })
           : nullptr;
}

template Status running_sums(const DeviceEach &, std::size_t, std::size_t *);
template Status running_sums(const DeviceEach &, std::size_t, Index *);

Status by_groups(const DeviceEach &on, std::size_t n, const Index *group, Index groups, Index *order, std::size_t *first)
{
  const cudaStream_t s    = (cudaStream_t)on.stream;
  const int          bits = bits_of(std::uint64_t(groups > 0 ? groups - 1 : 0));
  Index             *sorted, *number;
  Scratch            scratch(s);

  Status bad = scratch.Take(n, &sorted, n, &number);
  if (!bad) bad = each(n, s, [=] __device__(std::size_t k) { number[k] = Index(k); });
  /* stable */
  if (!bad)
    bad = with_work(s, [=](void *work, std::size_t &bytes) {
      return cub::DeviceRadixSort::SortPairs(work, bytes, group, sorted, (const Index *)number, order, (long long)n, 0, bits, s);
    });
  if (!bad)
    bad = each(std::size_t(groups) + 1, s, [=] __device__(std::size_t e) {
      first[e] = std::size_t(first_above(Index(n), [&](Index k) { return std::size_t(sorted[k]) >= e; }));
    });
  return bad;
}

Status sort_by_key(const DeviceEach &on, std::size_t n, int bits, const std::uint64_t *key, std::uint64_t *sorted,
                   const std::uint64_t *value, std::uint64_t *by_key)
{
  const cudaStream_t s = (cudaStream_t)on.stream;

  return with_work(s, [=](void *work, std::size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(work, bytes, key, sorted, value, by_key, (long long)n, 0, bits, s);
  });
}

Status sort_once(const DeviceEach &on, std::size_t n, int bits, std::uint64_t *key, std::uint64_t *count)
{
  const cudaStream_t s = (cudaStream_t)on.stream;
  std::uint64_t     *sorted;
  Scratch            scratch(s);

  Status bad = scratch.Take(n, &sorted);
  if (!bad)
    bad = with_work(s, [=](void *work, std::size_t &bytes) {
      return cub::DeviceRadixSort::SortKeys(work, bytes, (const std::uint64_t *)key, sorted, (long long)n, 0, bits, s);
    });
  return bad ? bad : with_work(s, [=](void *work, std::size_t &bytes) {
    return cub::DeviceSelect::Unique(work, bytes, (const std::uint64_t *)sorted, key, count, (long long)n, s);
  });
}

} // namespace hepta

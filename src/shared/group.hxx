/* Running sums, the order by groups, and reading a value back, for launchers that are templates over Each: host and device have
   implementations of their own (group_host.cxx, group_cuda.cu). Also sorting on the device. */
#pragma once

#include <numeric>

#include "each.hxx"

namespace hepta
{

/* x[k] <- x[0] + ... + x[k - 1] for k < n */
template <class T> Status running_sums(const HostEach &, std::size_t n, T *x)
{
  std::exclusive_scan(x, x + n, x, T(0));
  return nullptr;
}

template <class T> Status running_sums(const DeviceEach &, std::size_t n, T *x);

/*
   order <- the numbers k < n sorted by group[k] < groups: the numbers of group e are ascending from order[first[e]] on;
   first[groups] <- n
*/
Status by_groups(const HostEach &, std::size_t n, const Index *group, Index groups, Index *order, std::size_t *first);
Status by_groups(const DeviceEach &, std::size_t n, const Index *group, Index groups, Index *order, std::size_t *first);

/* The number of binary digits of the largest key, at least one */
inline int bits_of(std::uint64_t largest)
{
  int bits = 1;

  while (bits < 64 && largest >> bits) bits++;
  return bits;
}

/*
   sorted <- the n keys in ascending order of their lowest `bits` bits; by_key <- the values in the order of their keys. The sort
   is stable.
*/
Status sort_by_key(const DeviceEach &, std::size_t n, int bits, const std::uint64_t *key, std::uint64_t *sorted,
                   const std::uint64_t *value, std::uint64_t *by_key);
/* key <- the distinct keys among n keys of `bits` bits, ascending; *count <- their number */
Status sort_once(const DeviceEach &, std::size_t n, int bits, std::uint64_t *key, std::uint64_t *count);

/* *to, on the host, <- *from, after all kernels launched before in the stream */
template <class T> Status fetch(const HostEach &, const T *from, T *to)
{
  *to = *from;
  return nullptr;
}

template <class T> Status fetch(const DeviceEach &each, const T *from, T *to)
{
  return copy_to_host(to, from, sizeof(T), each.stream);
}

} // namespace hepta

/* Running sums and the order by groups on the host */
#include <vector>

#include "group.hxx"

namespace hepta
{

template <class T> static Status add_up(std::size_t n, T *x)
{
  T sum = 0;

  for (std::size_t k = 0; k < n; k++) {
    const T term = x[k];
    x[k]         = sum;
    sum += term;
  }
  return nullptr;
}

Status running_sums(const HostEach &, std::size_t n, std::size_t *x)
{
  return add_up(n, x);
}

Status running_sums(const HostEach &, std::size_t n, Index *x)
{
  return add_up(n, x);
}

Status by_groups(const HostEach &, std::size_t n, const Index *group, Index groups, Index *order, std::size_t *first)
{
  for (Index e = 0; e <= groups; e++) first[e] = 0;
  for (std::size_t k = 0; k < n; k++) first[group[k] + 1]++;
  for (Index e = 0; e < groups; e++) first[e + 1] += first[e];
  std::vector<std::size_t> next(first, first + groups);
  for (std::size_t k = 0; k < n; k++) order[next[group[k]]++] = Index(k);
  return nullptr;
}

} // namespace hepta

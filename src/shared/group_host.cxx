/* The order by groups on the host */
#include <vector>

#include "group.hxx"

namespace hepta
{

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

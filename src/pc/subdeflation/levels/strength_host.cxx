/* Aggregates of strongly coupled rows on the host */
#include <vector>

#include "strength_launch.hxx"

namespace hepta::strength
{

HEPTA_STRENGTH_LAUNCHERS(HostEach)

Status coarsen_host(const Graph &g, const Index *number, Index count, std::size_t *first, Index *neighbor, Scalar *weight, std::size_t *entries)
{
  std::vector<std::size_t> begin(std::size_t(count) + 1), position(count, ~std::size_t(0)); /* the positions of the present aggregate's couplings */
  std::vector<Index>       member(g.n);
  std::size_t              n = 0;

  const Status bad = by_groups(HostEach(), std::size_t(g.n), number, count, member.data(), begin.data());
  for (Index e = 0; e < count; e++) {
    first[e] = n;
    for (std::size_t q = begin[e]; q < begin[e + 1]; q++) {
      for (std::size_t p = g.first[member[q]]; p < g.first[member[q] + 1]; p++) {
        const Index f = number[g.neighbor[p]];
        if (f == e) continue;
        if (position[f] == ~std::size_t(0)) {
          position[f] = n;
          neighbor[n] = f;
          weight[n++] = 0;
        }
        weight[position[f]] += g.weight[p];
      }
    }
    for (std::size_t p = first[e]; p < n; p++) position[neighbor[p]] = ~std::size_t(0);
  }
  first[count] = *entries = n;
  return bad;
}

} // namespace hepta::strength

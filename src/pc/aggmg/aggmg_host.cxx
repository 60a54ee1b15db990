/* Algebraic multigrid on the host */
#include <algorithm>
#include <cmath>
#include <cstring>

#include "aggmg_launchers.hxx"

namespace hepta::aggmg
{

Status sort_rows(const HostEach &, Index rows, const std::size_t *offset, int, std::uint64_t *key, std::size_t *count)
{
  std::size_t to = 0;

  for (Index m = 0; m < rows; m++) {
    std::sort(key + offset[m], key + offset[m + 1]);
    to = std::size_t(std::unique_copy(key + offset[m], key + offset[m + 1], key + to) - key);
  }
  *count = to;
  return nullptr;
}

} // namespace hepta::aggmg

/* Algebraic multigrid on the device */
#include <cmath>
#include <cstring>

#include "../../shared/cuda_check.cuh"
#include "../../shared/scratch.cuh"
#include "aggmg_launchers.hxx"

namespace hepta::aggmg
{

Status sort_rows(const DeviceEach &each, Index rows, const std::size_t *offset, int bits, std::uint64_t *key, std::size_t *count)
{
  std::size_t    n = 0;
  std::uint64_t *found, distinct = 0;
  Scratch        scratch((cudaStream_t)each.stream);

  Status bad = fetch(each, offset + rows, &n);
  if (!bad) bad = scratch.Take(std::size_t(1), &found);
  if (!bad && n) bad = sort_once(each, n, bits, key, found);
  if (!bad && n) bad = fetch(each, (const std::uint64_t *)found, &distinct);
  *count = std::size_t(distinct);
  return bad;
}

} // namespace hepta::aggmg

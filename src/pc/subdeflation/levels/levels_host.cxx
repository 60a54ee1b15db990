/* The levels of any aggregates on the host */
#include "levels_launch.hxx"

namespace hepta::levels
{

Status member_sums_host(std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, const Scalar *w, Scalar *sum)
{
  return member_sums(HostEach(), n, first, member, alpha, v, w, sum);
}

Status transpose_dense_host(std::size_t d, const Scalar *B, Scalar *y)
{
  return transpose_dense(HostEach(), d, B, y);
}

HEPTA_LEVELS_LAUNCHERS(HostEach)

} // namespace hepta::levels

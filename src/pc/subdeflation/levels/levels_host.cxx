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

template Status subtract_from(const HostEach &, std::size_t, const Scalar *, Scalar *);
template Status add_step(const HostEach &, std::size_t, Scalar, const Scalar *, Scalar *);
template Status damp(const HostEach &, std::size_t, Scalar, Scalar *);

} // namespace hepta::levels

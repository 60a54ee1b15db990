/* The launchers of ip_kernels.hxx on the host */
#include "ip_launch.hxx"

namespace hepta::ip
{

template <class V, class W> Status build_host(const View<V> &A, const View<W> &M, const Recipe &r, Found *found)
{
  return build(HostEach(), A, M, r, found);
}

template <class V> Status invert_host(const View<V> &A, Scalar *inverse, Index *pivot, Found *found)
{
  return invert(HostEach(), A, inverse, pivot, found);
}

template <class V, class W> Status scale_host(const View<V> &A, const View<W> &M, const Recipe &r, const Scalar *inverse, const Work &S)
{
  return scale(HostEach(), A, M, r, inverse, S);
}

template <class V> Status scale_ghost_host(const GhostView<V> &B, const Recipe &r, const unsigned char *lower, std::size_t ld, const Scalar *inverse, const Scalar *ghost_inverse, const Work &S)
{
  return scale_ghost(HostEach(), B, r, lower, ld, inverse, ghost_inverse, S);
}

template <class W> Status combine_host(const View<W> &M, const Recipe &r, const Work &S, const Work &out)
{
  return combine(HostEach(), M, r, S, out);
}

Status add_terms_host(const Terms &t, std::size_t main, const Work &S, const Work &out)
{
  return add_terms(HostEach(), t, main, S, out);
}

template <class W> Status finish_host(const View<W> &M, const Recipe &r, const Scalar *inverse, const Work &from, Found *found)
{
  return finish(HostEach(), M, r, inverse, from, found);
}

template <class W> Status finish_ghost_host(const GhostView<W> &M, const Recipe &r, const Scalar *ghost_inverse, const Work &from, Found *found)
{
  return finish_ghost(HostEach(), M, r, ghost_inverse, from, found);
}

Status pack_host(std::size_t n, const std::size_t *at, const Work &S, Scalar *packed)
{
  return pack(HostEach(), n, at, S, packed);
}

#define HEPTA_INSTANTIATE_ONE(V) \
  template Status invert_host(const View<V> &, Scalar *, Index *, Found *); \
  template Status scale_ghost_host(const GhostView<V> &, const Recipe &, const unsigned char *, std::size_t, const Scalar *, const Scalar *, const Work &); \
  template Status combine_host(const View<V> &, const Recipe &, const Work &, const Work &); \
  template Status finish_host(const View<V> &, const Recipe &, const Scalar *, const Work &, Found *); \
  template Status finish_ghost_host(const GhostView<V> &, const Recipe &, const Scalar *, const Work &, Found *);
#define HEPTA_INSTANTIATE_TWO(V, W) \
  template Status build_host(const View<V> &, const View<W> &, const Recipe &, Found *); \
  template Status scale_host(const View<V> &, const View<W> &, const Recipe &, const Scalar *, const Work &);
HEPTA_INSTANTIATE_ONE(double)
HEPTA_INSTANTIATE_ONE(float)
HEPTA_INSTANTIATE_TWO(double, double)
HEPTA_INSTANTIATE_TWO(double, float)
HEPTA_INSTANTIATE_TWO(float, double)
HEPTA_INSTANTIATE_TWO(float, float)

} // namespace hepta::ip

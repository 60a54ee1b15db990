/* The passes of fused CG that include a product with block diagonals */
#include "../../shared/unroll.hxx"
#include "../border.cuh"
#include "fusedcg_product.cuh"

namespace hepta::ksp
{

namespace
{

/* p <- z + beta p, q <- A p, (p, q) */
struct DirectionOf {
  const Scalar *z, *before;
  Scalar        beta;

  __device__ explicit DirectionOf(const CG &c, const State &s) : z(c.z), before(direction_before(c, s.it)), beta(s.beta) {}
  __device__ __forceinline__ Scalar operator()(std::size_t i) const { return __ldg(z + i) + beta * __ldg(before + i); }
};

/* The same in the border rows */
struct BorderOfDirection : CG {
  static constexpr int sums = 1, first = index_pq;
  const Scalar        *p_now;
  Scalar              *to;

  struct Ghosts {
    Sent          z;
    const Scalar *before;
    Scalar        beta;

    __device__ __forceinline__ void operator()(std::size_t j, int n, Scalar (&to)[blocked::ghosts_at_once]) const
    {
      z(j, n, to);
      HEPTA_DEVICE_UNROLL
      for (int u = 0; u < blocked::ghosts_at_once; u++) {
        if (u < n) to[u] += beta * before[j + u];
      }
    }
  };

  __device__ void begin(const State &s)
  {
    p_now = direction(*this, s.it);
    to    = s.it & 1 ? pg[1] : pg[0];
  }
  __device__ Ghosts ghosts(const Sent &zg) const { return {zg, state->it & 1 ? pg[0] : pg[1], state->beta}; }
  __device__ void   keep(const Ghosts &p, std::size_t j) const
  {
    Scalar value[blocked::ghosts_at_once];

    p(j, 1, value);
    to[j] = value[0];
  }
  __device__ void   add(std::size_t i, Scalar Bp, Scalar sum[]) const
  {
    const Scalar product = q[i] + Bp;

    q[i] = product;
    sum[0] += p_now[i] * product;
  }
  __device__ void end(State &) const {}
};

/* z <- M r and the sums with z */
struct InnerProduct : CG {
  static constexpr int sums = most_sums, first = index_rz;

  __device__ bool begin(const State &) { return true; }
  __device__ bdia::Plain input() const { return {r}; }
  __device__ void        put(const bdia::Plain &, std::size_t i, Scalar product, Scalar sum[]) const
  {
    z[i] = product;
    add_sums(*this, r[i], product, flexible ? q[i] : Scalar(0), sum);
  }
  __device__ void end(State &s) const { end_update(*this, s); }
};

} // namespace

template <class V> Status direction_product_cuda(const CG &c, const bdia::View<V> &A, Stream stream)
{
  return run_product(pass_of<DirectionProduct<DirectionOf>>(c), A, stream);
}

template <class V> Status direction_border_cuda(const CG &c, const blocked::GhostView<V> &B, const Scalar *zg, const transport::Mailboxes *arriving, Stream stream)
{
  return launch_border(pass_of<BorderOfDirection>(c), B, zg, arriving, stream);
}

template <class V> Status inner_product_cuda(const CG &c, const bdia::View<V> &M, Stream stream)
{
  return run_product(pass_of<InnerProduct>(c), M, stream);
}

#define HEPTA_INSTANTIATE(V) \
  template Status direction_product_cuda(const CG &, const bdia::View<V> &, Stream); \
  template Status direction_border_cuda(const CG &, const blocked::GhostView<V> &, const Scalar *, const transport::Mailboxes *, Stream); \
  template Status inner_product_cuda(const CG &, const bdia::View<V> &, Stream);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::ksp

/* The passes of fused CG that make the direction inside the product with block diagonals */
#include "../../shared/unroll.hxx"
#include "../border.cuh"
#include "../product.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

namespace
{

/* Entry i of the direction, p <- z + beta p, or deflated z + Z y + beta p */
template <bool DEFLATED> struct DirectionOf {
  const Scalar *z, *before, *y;
  const Index  *label;
  Scalar        beta;

  __device__ explicit DirectionOf(const CG &c, const State &s)
    : z(c.z), before(direction_before(c, s.it)), y(c.y), label(c.label), beta(s.beta)
  {
  }
  __device__ __forceinline__ Scalar operator()(std::size_t i) const
  {
    const Scalar own = DEFLATED ? __ldg(z + i) + y[__ldg(label + i)] : __ldg(z + i);

    return own + beta * __ldg(before + i);
  }
};

/* q <- A p, (p, q). The product reads p of other rows too, so the pass computes each entry of p at each use. */
template <bool DEFLATED> struct DirectionProduct : CG {
  static constexpr int sums = 1, first = index_pq;
  Scalar              *to;

  __device__ bool begin(const State &s)
  {
    to = direction(*this, s.it);
    return true;
  }
  __device__ DirectionOf<DEFLATED> input() const { return DirectionOf<DEFLATED>(*this, *state); }
  __device__ void                  put(const DirectionOf<DEFLATED> &in, std::size_t i, Scalar product, Scalar sum[]) const
  {
    const Scalar own = in(i);

    to[i] = own;
    q[i]  = product;
    if (!border.Has(i)) sum[0] += own * product;
  }
};

/* DirectionProduct in the border rows */
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
  __device__ void add(std::size_t i, Scalar Bp, Scalar sum[]) const
  {
    const Scalar product = q[i] + Bp;

    q[i] = product;
    sum[0] += p_now[i] * product;
  }
};

} // namespace

template <class V> Status direction_product_cuda(const CG &c, const bdia::View<V> &A, Stream stream)
{
  return c.y ? run_product(pass_of<DirectionProduct<true>>(c), A, stream)
             : run_product(pass_of<DirectionProduct<false>>(c), A, stream);
}

template <class V>
Status direction_border_cuda(const CG &c, const blocked::GhostView<V> &B, const Scalar *zg, const transport::Mailboxes *arriving,
                             Stream stream)
{
  return launch_border(pass_of<BorderOfDirection>(c), B, zg, arriving, stream);
}

HEPTA_INSTANCES(direction_product_cuda)
HEPTA_INSTANCES(direction_border_cuda)

} // namespace hepta::ksp

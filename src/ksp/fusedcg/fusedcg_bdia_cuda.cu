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
template <class T, bool DEFLATED> struct DirectionOf {
  const T      *z, *before;
  const Scalar *y;
  const Index  *label;
  Scalar        beta;

  __device__ explicit DirectionOf(const CGOf<T> &c, const State &s)
    : z(c.z), before(direction_before(c, s.it)), y(c.y), label(c.label), beta(s.beta)
  {
  }
  __device__ __forceinline__ Scalar operator()(std::size_t i) const
  {
    const Scalar own = DEFLATED ? Scalar(__ldg(z + i)) + y[__ldg(label + i)] : Scalar(__ldg(z + i));

    return T(own + beta * __ldg(before + i));
  }
};

/* q <- A p, (p, q). The product reads p of other rows too, so the pass computes each entry of p at each use. */
template <class T, bool DEFLATED> struct DirectionProduct : CGOf<T> {
  static constexpr int sums = 1, first = index_pq;
  using Of                  = DirectionOf<T, DEFLATED>;
  T *to;

  __device__ bool begin(const State &s)
  {
    to = direction(*this, s.it);
    return true;
  }
  __device__ Of   input() const { return Of(*this, *this->state); }
  __device__ void put(const Of &in, std::size_t i, Scalar product, Scalar sum[]) const
  {
    const Scalar own = in(i);

    to[i]      = T(own);
    this->q[i] = T(product);
    if (!this->border.Has(i)) sum[0] += own * T(product);
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
  return c.y ? run_product(pass_of<DirectionProduct<Scalar, true>>(c), A, stream)
             : run_product(pass_of<DirectionProduct<Scalar, false>>(c), A, stream);
}

Status float_direction_cuda(const CGOf<float> &c, const bdia::View<float> &A, Stream stream)
{
  return run_product(pass_of<DirectionProduct<float, false>>(c), A, stream);
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

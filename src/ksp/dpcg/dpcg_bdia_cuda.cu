/* The product pass of deflated CG */
#include "../fusedcg/fusedcg_product.cuh"

namespace hepta::ksp
{

namespace
{

/* p <- z + Z y + beta p */
struct DeflatedDirectionOf {
  const Scalar *z, *before, *y;
  const Index  *label;
  Scalar        beta;

  __device__ explicit DeflatedDirectionOf(const CG &c, const State &s) : z(c.z), before(direction_before(c, s.it)), y(c.y), label(c.label), beta(s.beta) {}
  __device__ __forceinline__ Scalar operator()(std::size_t i) const { return __ldg(z + i) + y[__ldg(label + i)] + beta * __ldg(before + i); }
};

} // namespace

template <class V> Status deflated_product_cuda(const CG &c, const bdia::View<V> &A, Stream stream)
{
  return run_product(pass_of<DirectionProduct<DeflatedDirectionOf>>(c), A, stream);
}

template Status deflated_product_cuda(const CG &, const bdia::View<double> &, Stream);
template Status deflated_product_cuda(const CG &, const bdia::View<float> &, Stream);

} // namespace hepta::ksp

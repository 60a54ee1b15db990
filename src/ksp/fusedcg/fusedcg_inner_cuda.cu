/* The pass of fused CG that multiplies with the matrix of a preconditioner, in block diagonals */
#include "../product.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

namespace
{

/* z <- M r and the sums with z */
struct InnerProduct : CG {
  static constexpr int sums = most_sums, first = index_rz;

  __device__ bdia::Plain input() const { return {r}; }
  __device__ void        put(const bdia::Plain &, std::size_t i, Scalar product, Scalar sum[]) const
  {
    z[i] = product;
    add_sums(*this, r[i], product, flexible ? q[i] : Scalar(0), sum);
  }
  __device__ void end(State &s) const { end_update(*this, s); }
};

} // namespace

template <class V> Status inner_product_cuda(const CG &c, const bdia::View<V> &M, Stream stream)
{
  return run_product(pass_of<InnerProduct>(c), M, stream);
}

HEPTA_INSTANCES(inner_product_cuda)

} // namespace hepta::ksp

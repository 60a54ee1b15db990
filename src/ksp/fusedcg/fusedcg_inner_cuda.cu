/* The pass of fused CG that multiplies with the matrix of a preconditioner, in block diagonals */
#include "../product.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

namespace
{

/* An entry of r */
template <class T> struct EntryOf {
  const T *r;

  __device__ __forceinline__ Scalar operator()(std::size_t i) const { return Scalar(__ldg(r + i)); }
};

/* z <- M r and the sums with z */
template <class T> struct InnerProduct : CGOf<T> {
  static constexpr int sums = most_sums, first = index_rz;

  __device__ EntryOf<T> input() const { return {this->r}; }
  __device__ void       put(const EntryOf<T> &, std::size_t i, Scalar product, Scalar sum[]) const
  {
    this->z[i] = T(product);
    add_sums(*this, this->r[i], T(product), this->flexible ? Scalar(this->q[i]) : Scalar(0), sum);
  }
  __device__ void end(State &s) const { end_update(*this, s); }
};

} // namespace

template <class V> Status inner_product_cuda(const CG &c, const bdia::View<V> &M, Stream stream)
{
  return run_product(pass_of<InnerProduct<Scalar>>(c), M, stream);
}

Status float_inner_cuda(const CGOf<float> &c, const bdia::View<float> &M, Stream stream)
{
  return run_product(pass_of<InnerProduct<float>>(c), M, stream);
}

HEPTA_INSTANCES(inner_product_cuda)

} // namespace hepta::ksp

/* The product with sums on the device */
#include "border.cuh"
#include "pass.cuh"
#include "product.cuh"
#include "product.hxx"

namespace hepta::ksp
{

namespace
{

/* The product and its sums in one pass */
struct MultiplyAndSum : ProductSums {
  static constexpr int sums = 2;

  __device__ bdia::Plain input() const { return {x}; }
  __device__ void put(const bdia::Plain &, std::size_t i, Scalar Ax, Scalar sum[]) const { take_product(*this, i, Ax, sum); }
};

/* The product in the border rows */
struct AddAndSum : ProductSums {
  static constexpr int sums = 2;

  __device__ Sent ghosts(const Sent &xg) const { return xg; }
  __device__ void keep(const Sent &, std::size_t) const {}
  __device__ void add(std::size_t i, Scalar Bx, Scalar sum[]) const { add_to_product(*this, i, Bx, sum); }
};

/* A row a thread, since a thread would not have the loads of several rows in flight at once as in a pass */
__global__ void __launch_bounds__(pass_threads) blocks_kernel(const MultiplyBlocks b)
{
  begin_pass(b.team);
  if (b.state->pause) return;
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < b.n; i += std::size_t(gridDim.x) * blockDim.x)
    b.z[i] = b.get(i);
}

} // namespace

HEPTA_PASS(SumProduct)
HEPTA_PASS_END(Pass)

template <class V> Status product_with_sums_cuda(const ProductSums &p, const bdia::View<V> &A, Stream stream)
{
  return run_product(pass_of<MultiplyAndSum>(p), A, stream);
}

template <class V>
Status border_with_sums_cuda(const ProductSums &p, const blocked::GhostView<V> &B, const Scalar *xg,
                             const transport::Mailboxes *arriving, Stream stream)
{
  return launch_border(pass_of<AddAndSum>(p), B, xg, arriving, stream);
}

template <> Status run_pass(const DeviceEach &each, const MultiplyBlocks &b)
{
  return launch_next(true, blocks_kernel, pass_blocks(b.n, pass_threads, blocks_of_device), dim3(pass_threads), 0,
                     (cudaStream_t)each.stream, b);
}

std::size_t partial_sums_cuda()
{
  return std::size_t(processors()) * (most_of_device + border_blocks) * most_sums;
}

template Status product_with_sums_cuda(const ProductSums &, const bdia::View<double> &, Stream);
template Status product_with_sums_cuda(const ProductSums &, const bdia::View<float> &, Stream);
HEPTA_INSTANCES(border_with_sums_cuda)

} // namespace hepta::ksp

/* The product with sums for matrices in blocked rows */
#include "../mat/brow/brow_slices.cuh"
#include "product.hxx"
#include "sums.cuh"

namespace hepta::ksp
{

namespace
{

struct SumRows : ProductSums {
  Scalar sum[2];

  __device__ bool begin()
  {
    sum[0] = sum[1] = 0;
    begin_beside(*this);
    if (state->pause) end_beside(*this);
    return !state->pause;
  }
  template <class P> __device__ __forceinline__ void row(const P &p, Index m, int r, Scalar Ax)
  {
    const Index i = m * p.A.bs + r;

    if (i < p.A.rows) take_product(*this, std::size_t(i), Ax, sum);
  }
  __device__ void end()
  {
    end_beside(*this);
    end_pass(sum, first, *this, 0, [](State &) {});
  }
};

} // namespace

template <class V> bool rows_have_sums_cuda(const brow::View<V> &A)
{
  const std::size_t rows = std::size_t(A.nslices) * A.height * A.bs;

  return A.nlong == 0 && A.nslices > 0 && rows / brow::split_threads < std::size_t(processors()) * most_of_device;
}

template <class V> Status product_with_sums_cuda(const ProductSums &s, const brow::View<V> &A, Stream stream)
{
  const bool aligned = std::uintptr_t(s.x) % (2 * sizeof(Scalar)) == 0;

  return brow::by_kind(A, s.x, nullptr, s.y, aligned, [=](const auto &p) {
    return brow::with_block_size(p.A.bs, [&](auto n) {
      return brow::launch_slices<decltype(n)::value>(p, pass_of<SumRows>(s), true, (cudaStream_t)stream);
    });
  });
}

HEPTA_INSTANCES(rows_have_sums_cuda)
template Status product_with_sums_cuda(const ProductSums &, const brow::View<double> &, Stream);
template Status product_with_sums_cuda(const ProductSums &, const brow::View<float> &, Stream);

} // namespace hepta::ksp

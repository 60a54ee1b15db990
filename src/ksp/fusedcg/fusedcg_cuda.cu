/* The passes of fused CG over vectors alone, on the device */
#include "../sums.cuh"
#include "fusedcg_kernels.hxx"

namespace hepta::ksp
{

namespace
{

constexpr int rows_in_flight = 4; /* of a thread of `update`, whose loads are under way at the same time; */
constexpr int update_blocks  = 3; /* with them a multiprocessor holds so many thread blocks. One H200, 5-point Poisson: 18.4, 54.8 and 164 us an iteration at 262 k, 1 M and 4.2 M rows, with 1 row and 8 blocks 31.5, 67.8 and 178 */

__global__ void __launch_bounds__(pass_threads) direction_kernel(const CG c)
{
  const State &s = *c.state;

  begin_pass();
  if (s.pause) return;
  const Scalar  beta = s.beta, *before = direction_before(c, s.it);
  Scalar *const p = direction(c, s.it);
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < c.n; i += std::size_t(gridDim.x) * blockDim.x) p[i] = c.z[i] + beta * before[i];
}

__global__ void __launch_bounds__(pass_threads) product_sum_kernel(const CG c)
{
  begin_pass();
  if (c.state->pause) return;
  const Scalar *const p      = direction(c, c.state->it);
  Scalar              sum[1] = {};
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < c.n; i += std::size_t(gridDim.x) * blockDim.x) sum[0] += p[i] * c.q[i];
  end_pass(sum, c.state, c.partial, [&] {
    if (c.ends) end_direction(c, *c.state);
  });
}

template <Inner I> __global__ void __launch_bounds__(pass_threads, update_blocks) update_kernel(const CG c)
{
  begin_pass();
  if (c.state->pause) return;
  constexpr int       U              = rows_in_flight;
  const Scalar        alpha          = c.state->alpha;
  const Scalar *const p              = direction(c, c.state->it);
  const std::size_t   stride         = std::size_t(gridDim.x) * blockDim.x;
  Scalar              sum[most_sums] = {};

  for (std::size_t first = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; first < c.n; first += U * stride) {
    Row row[U];

#pragma unroll
    for (int u = 0; u < U; u++) {
      if (first + u * stride < c.n) row[u] = get_row<I>(c, p, first + u * stride);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
      if (first + u * stride < c.n) update_row<I>(c, first + u * stride, alpha, row[u], sum);
    }
  }
  if (I == Inner::outside) return;
  end_pass(sum, c.state, c.partial, [&] {
    if (c.ends) end_update(c, *c.state);
  });
}

__global__ void __launch_bounds__(pass_threads) update_blocks_kernel(const CG c)
{
  begin_pass();
  if (c.state->pause) return;
  const Scalar        alpha          = c.state->alpha;
  const Scalar *const p              = direction(c, c.state->it);
  Scalar              sum[most_sums] = {};

  for (std::size_t m = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; m < c.n / c.bs; m += std::size_t(gridDim.x) * blockDim.x) update_block(c, m * c.bs, alpha, p, sum);
  end_pass(sum, c.state, c.partial, [&] {
    if (c.ends) end_update(c, *c.state);
  });
}

__global__ void __launch_bounds__(pass_threads) inner_sums_kernel(const CG c)
{
  begin_pass();
  if (c.state->pause) return;
  Scalar sum[most_sums] = {};
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < c.n; i += std::size_t(gridDim.x) * blockDim.x) add_sums(c, c.r[i], c.z[i], c.q[i], sum);
  end_pass(sum, c.state, c.partial, [&] {
    if (c.ends) end_update(c, *c.state);
  });
}

} // namespace

std::size_t partial_sums_cuda()
{
  return std::size_t(processors()) * blocks_of_device * most_sums;
}

template <class K> static Status launch_pass(K kernel, const CG &c, std::size_t n, std::size_t each, int most, Stream stream)
{
  return launch_next(true, kernel, pass_blocks(n, each, most), dim3(pass_threads), 0, (cudaStream_t)stream, c);
}

Status direction_cuda(const CG &c, Stream stream)
{
  return launch_pass(direction_kernel, c, c.n, pass_threads, blocks_of_device, stream);
}

Status product_sum_cuda(const CG &c, Stream stream)
{
  return launch_pass(product_sum_kernel, c, c.n, pass_threads, blocks_of_device, stream);
}

template <Inner I> static Status update(const CG &c, Stream stream)
{
  return launch_pass(update_kernel<I>, c, c.n, rows_in_flight * pass_threads, update_blocks, stream);
}

Status update_cuda(const CG &c, Stream stream)
{
  switch (c.inner) {
  case Inner::outside: return update<Inner::outside>(c, stream);
  case Inner::identity: return update<Inner::identity>(c, stream);
  case Inner::diagonal: return update<Inner::diagonal>(c, stream);
  default: return launch_pass(update_blocks_kernel, c, c.n / c.bs, pass_threads, blocks_of_device, stream);
  }
}

Status inner_sums_cuda(const CG &c, Stream stream)
{
  return launch_pass(inner_sums_kernel, c, c.n, pass_threads, blocks_of_device, stream);
}

} // namespace hepta::ksp

/* Subdomain deflation on the device */
#include "../../shared/cuda_check.cuh"
#include "subdeflation_launch.hxx"

namespace hepta::subdeflation
{

constexpr int WARP        = 32;
constexpr int CHUNK_WARPS = 4;   /* warps of a block that sums chunks, a warp for each chunk */
constexpr int CHUNK_LOADS = 4;   /* entries of a lane whose loads are under way together, since the vectors are read where the rows of entries say */
constexpr int DENSE_BLOCK = 128; /* threads that share a row of a dense matrix */

/* The sum over a warp, in lane 0, in a fixed order */
__device__ __forceinline__ Scalar warp_sum(Scalar sum)
{
  for (int step = WARP / 2; step; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  return sum;
}

template <class R> Status az_values_cuda(std::size_t n, const R &rows, const Labels &labels, const Index *row, const Index *subdomain, Scalar *az, Stream stream)
{
  return az_values(DeviceEach{(cudaStream_t)stream}, n, rows, labels, row, subdomain, az);
}

Status gather_cuda(std::size_t n, const std::size_t *first, const std::size_t *at, Scalar alpha, const Scalar *partial, Scalar *out, Stream stream)
{
  return gather(DeviceEach{(cudaStream_t)stream}, n, first, at, alpha, partial, out);
}

Status prolong_cuda(std::size_t n, const Index *label, const Scalar *y, const Scalar *w, Scalar *z, Stream stream)
{
  return prolong(DeviceEach{(cudaStream_t)stream}, n, label, y, w, z);
}

Status az_product_cuda(std::size_t n, const std::size_t *first, const std::size_t *entry, const Index *subdomain, const Scalar *az, const Scalar *y, const Scalar *r, Scalar *t, Stream stream)
{
  return az_product(DeviceEach{(cudaStream_t)stream}, n, first, entry, subdomain, az, y, r, t);
}

Status add_rank_one_cuda(std::size_t d, Scalar alpha, const Scalar *c, Scalar *B, Stream stream)
{
  return add_rank_one(DeviceEach{(cudaStream_t)stream}, d, alpha, c, B);
}

Status identity_cuda(std::size_t d, Scalar *B, Stream stream)
{
  return identity(DeviceEach{(cudaStream_t)stream}, d, B);
}

Status to_float_cuda(std::size_t n, const Scalar *from, float *to, Stream stream)
{
  return to_float(DeviceEach{(cudaStream_t)stream}, n, from, to);
}

__global__ void chunk_sums_kernel(Chunks c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial)
{
  const std::size_t k    = blockIdx.x * std::size_t(CHUNK_WARPS) + threadIdx.x / WARP;
  const int         lane = threadIdx.x % WARP;
  Scalar            sum  = 0;

  if (k >= c.n) return;
  const bool        own = c.own[k];
  const std::size_t end = c.first[k + 1];
  for (std::size_t p = c.first[k] + lane; p < end; p += CHUNK_LOADS * WARP) {
    Scalar term[CHUNK_LOADS];

#pragma unroll
    for (int u = 0; u < CHUNK_LOADS; u++) term[u] = p + u * WARP < end ? entry_term(p + u * WARP, own, row, az, r, w) : Scalar(0);
#pragma unroll
    for (int u = 0; u < CHUNK_LOADS; u++) sum += term[u];
  }
  sum = warp_sum(sum);
  if (!lane) partial[k] = sum;
}

Status chunk_sums_cuda(const Chunks &c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial, Stream stream)
{
  if (!c.n) return nullptr;
  chunk_sums_kernel<<<unsigned((c.n + CHUNK_WARPS - 1) / CHUNK_WARPS), CHUNK_WARPS * WARP, 0, (cudaStream_t)stream>>>(c, row, az, r, w, partial);
  return launched();
}

template <class V> __global__ void dense_product_kernel(std::size_t d, const V *B, const Scalar *q, Scalar *y)
{
  __shared__ Scalar part[DENSE_BLOCK / WARP];
  const V          *b   = B + blockIdx.x * d;
  Scalar            sum = 0;

  for (std::size_t j = threadIdx.x; j < d; j += DENSE_BLOCK) sum += Scalar(b[j]) * q[j];
  sum = warp_sum(sum);
  if (threadIdx.x % WARP == 0) part[threadIdx.x / WARP] = sum;
  __syncthreads();
  if (threadIdx.x) return;
  for (int k = 1; k < DENSE_BLOCK / WARP; k++) sum += part[k];
  y[blockIdx.x] = sum;
}

template <class V> Status dense_product_cuda(std::size_t d, const V *B, const Scalar *q, Scalar *y, Stream stream)
{
  if (!d) return nullptr;
  dense_product_kernel<<<unsigned(d), DENSE_BLOCK, 0, (cudaStream_t)stream>>>(d, B, q, y);
  return launched();
}

template Status az_values_cuda(std::size_t, const DiagonalRows<double> &, const Labels &, const Index *, const Index *, Scalar *, Stream);
template Status az_values_cuda(std::size_t, const DiagonalRows<float> &, const Labels &, const Index *, const Index *, Scalar *, Stream);
template Status az_values_cuda(std::size_t, const CompressedRows &, const Labels &, const Index *, const Index *, Scalar *, Stream);
template Status dense_product_cuda(std::size_t, const double *, const Scalar *, Scalar *, Stream);
template Status dense_product_cuda(std::size_t, const float *, const Scalar *, Scalar *, Stream);

} // namespace hepta::subdeflation

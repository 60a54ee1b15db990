/* The dense inverse of the cycle's last level on the device */
#include <cub/block/block_reduce.cuh>

#include "../../../shared/cuda_check.cuh"
#include "cycle_launch.hxx"

namespace hepta::cycle
{

constexpr int NULL_BLOCK = 256;

/*
   A block for each tile (I, J) of DENSE_TILE x DENSE_TILE, a thread for each entry. With K the tile of the pivots and P the inverse of E_KK, which each block computes,

     E_KK <- -P,   E_IK <- E_IK P,   E_KJ <- P E_KJ,   E_IJ <- E_IJ - E_IK P E_KJ.
*/
__global__ void __launch_bounds__(DENSE_TILE *DENSE_TILE) eliminate_kernel(std::size_t N, std::size_t first, const double *from, double *to)
{
  __shared__ double P[DENSE_TILE][DENSE_TILE + 1], left[DENSE_TILE][DENSE_TILE + 1], right[DENSE_TILE][DENSE_TILE + 1];
  const int         i = threadIdx.y, j = threadIdx.x;
  const std::size_t I = blockIdx.y * DENSE_TILE, J = blockIdx.x * DENSE_TILE;
  const bool        pivot_row = I == first, pivot_column = J == first;

  P[i][j]     = from[(first + i) * N + first + j];
  left[i][j]  = from[(I + i) * N + first + j];
  right[i][j] = from[(first + i) * N + J + j];
  __syncthreads();
  for (int p = 0; p < DENSE_TILE; p++) {
    const double inverse = inverse_pivot(P[p][p]), row = P[p][j], column = P[i][p];
    __syncthreads();
    if (i == p && j == p) P[i][j] = -inverse;
    else if (i == p) P[i][j] = row * inverse;
    else if (j == p) P[i][j] = column * inverse;
    else P[i][j] -= column * inverse * row;
    __syncthreads();
  }
  double product = 0; /* of the left tile and P, or in the row of the pivots of P and the right tile; the array P holds -P */
  for (int q = 0; q < DENSE_TILE; q++) product -= pivot_row ? P[i][q] * right[q][j] : left[i][q] * P[q][j];
  double result = pivot_row && pivot_column ? P[i][j] : product;
  if (!pivot_row && !pivot_column) {
    __syncthreads();
    left[i][j] = product;
    __syncthreads();
    result = from[(I + i) * N + J + j];
    for (int q = 0; q < DENSE_TILE; q++) result -= left[i][q] * right[q][j];
  }
  to[(I + i) * N + J + j] = result;
}

/* One thread block: the cells are few */
template <class T> __global__ void __launch_bounds__(NULL_BLOCK) find_null_kernel(int D, Level<T> L, std::size_t N, double *null)
{
  using Sum = cub::BlockReduce<double, NULL_BLOCK>; /* in a fixed order */
  __shared__ typename Sum::TempStorage shared;
  __shared__ double                    all;
  const std::size_t                    n    = std::size_t(L.g.n[0]) * L.g.n[1] * L.g.n[2];
  double                               mine = 0;
  bool                                 zero = true;

  for (std::size_t q = threadIdx.x; q < n; q += NULL_BLOCK) {
    const Index m = cell_index(L.g, Index(q));
    zero          = zero && L.row_sum[m] == 0;
    mine += last_diagonal(D, L, m);
  }
  mine = Sum(shared).Sum(mine);
  if (!threadIdx.x) all = mine;
  zero = __syncthreads_and(zero); /* after it all threads see the sum */
  for (std::size_t q = threadIdx.x; q < N; q += NULL_BLOCK) null[q] = zero && q < n ? null_entry(D, L, Index(q), all) : 0;
}

template <class T> Status find_null_cuda(int D, const Level<T> &L, std::size_t N, double *null, Stream stream)
{
  find_null_kernel<<<1, NULL_BLOCK, 0, (cudaStream_t)stream>>>(D, L, N, null);
  return launched();
}

Status eliminate_cuda(std::size_t N, std::size_t first, const double *from, double *to, Stream stream)
{
  const unsigned tiles = unsigned(N / DENSE_TILE);

  eliminate_kernel<<<dim3(tiles, tiles), dim3(DENSE_TILE, DENSE_TILE), 0, (cudaStream_t)stream>>>(N, first, from, to);
  return launched();
}

template Status find_null_cuda(int, const Level<double> &, std::size_t, double *, Stream);
template Status find_null_cuda(int, const Level<float> &, std::size_t, double *, Stream);

} // namespace hepta::cycle

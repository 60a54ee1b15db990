/* The cycle over nested boxes on the device */
#include "../../../shared/overlap.cuh"
#include "cycle_launch.hxx"

namespace hepta::cycle
{

constexpr int      WARP           = 32;
constexpr int      STRENGTH_BLOCK = 1024;
constexpr int      NULL_BLOCK     = 256;
constexpr unsigned WIDE           = 64;    /* cells of a block along the first axis: 32 and 128 take the same time within 2 percent */
constexpr int      BLOCK          = 256;   /* threads of a block of cells */
constexpr int      LINES          = 65535; /* the most blocks along the second and third axis */

template <class F> __global__ void __launch_bounds__(BLOCK) cells_kernel(Index n0, Index n1, Index n2, const int *stop, F f)
{
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;

  let_next_begin();
  end_after_first();
  if (stop && *stop) return;
  if (i >= n0) return;
  for (Index k = blockIdx.z; k < n2; k += gridDim.z) {
    for (Index j = Index(blockIdx.y) * blockDim.y + threadIdx.y; j < n1; j += gridDim.y * blockDim.y) f(i, j, k);
  }
}

/* A thread for a cell, a warp or more along the first axis */
struct DeviceCells {
  cudaStream_t stream;

  template <class F> Status operator()(const Grid &g, const int *stop, F f) const
  {
    unsigned wide = 8;
    while (wide < WIDE && Index(wide) < g.n[0]) wide *= 2;
    const unsigned high = BLOCK / wide;
    const dim3     grid(unsigned((g.n[0] + wide - 1) / wide), unsigned((g.n[1] + high - 1) / high), unsigned(g.n[2]));

    return launch_next(true, cells_kernel<F>, dim3(grid.x, grid.y < LINES ? grid.y : LINES, grid.z < LINES ? grid.z : LINES), dim3(wide, high), 0, stream, g.n[0], g.n[1], g.n[2], stop, f);
  }
};

template <class T> __global__ void find_largest_kernel(Level<T> L, const Scalar *x, Scales *scales)
{
  __shared__ unsigned long long largest;
  const Index                   rows = L.g.n[0] * L.g.n[1] * L.g.n[2];
  unsigned long long            mine = 0;

  let_next_begin();
  end_after_first();
  if (L.stop && *L.stop) return;
  if (!threadIdx.x) largest = 0;
  __syncthreads();
  for (std::size_t m = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; m < std::size_t(rows); m += gridDim.x * blockDim.x) { /* Index could overflow in the last step */
    const unsigned long long bits = magnitude_bits(double(x[m]) * L.e[place_of(L.g, Index(m))]);
    mine                          = bits > mine ? bits : mine;
  }
  for (int step = WARP / 2; step; step /= 2) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffu, mine, step);
    mine                           = other > mine ? other : mine;
  }
  if (threadIdx.x % WARP == 0) atomicMax(&largest, mine);
  __syncthreads();
  if (!threadIdx.x) atomicMax(&scales->gathered, largest);
}

/* y <- A^-1 r with a warp for each row */
template <class T> __global__ void solve_last_kernel(Level<T> L, std::size_t n, const double *inverse, Scales *scales)
{
  const std::size_t e    = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / WARP;
  const int         lane = threadIdx.x % WARP;

  let_next_begin();
  end_after_first();
  if (e >= n || (L.stop && *L.stop)) return;
  double sum = dense_row(L, n, inverse, e, lane, WARP);
  for (int step = WARP / 2; step; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane) return;
  L.z[place_of(L.g, Index(e))] = T(sum);
  if (!e && scales) take_largest(scales);
}

/*
   A block for each tile (I, J) of DENSE_TILE x DENSE_TILE, a thread for each entry. With K the tile of the pivots and P the inverse of E_KK, which each block makes,

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
  double product = 0; /* of the left tile and P, or where the row is the pivots' of P and the right tile; P holds -P */
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

/* The sum over a block of so many threads, a power of two, in all of them, in an order that is always the same */
template <int THREADS> __device__ double block_sum(double mine)
{
  __shared__ double part[THREADS];

  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = THREADS / 2; half; half /= 2) {
    if (int(threadIdx.x) < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = part[0];
  __syncthreads(); /* before the next one */
  return sum;
}

/* One thread block: the rows are few */
template <class V> __global__ void __launch_bounds__(STRENGTH_BLOCK) strengths_kernel(bdia::View<V> A, Diagonals d, Index step, double *sum)
{
  for (int a = 0; a < 3; a++) {
    double mine = 0;
    for (std::size_t i = threadIdx.x * std::size_t(step); i < std::size_t(A.nbr); i += STRENGTH_BLOCK * std::size_t(step)) mine += strength(A, d, a, Index(i));
    mine = block_sum<STRENGTH_BLOCK>(mine);
    if (!threadIdx.x) sum[a] = mine;
  }
}

template <class V> Status strengths_cuda(const bdia::View<V> &A, const Diagonals &d, Index step, double *sum, Stream stream)
{
  strengths_kernel<<<1, STRENGTH_BLOCK, 0, (cudaStream_t)stream>>>(A, d, step, sum);
  return launched();
}

template <class V, class T> Status build_fine_cuda(int D, const bdia::View<V> &A, const Diagonals &d, const Level<T> &L, Scales *scales, Found *found, Stream stream)
{
  return by_axes(D, [&](auto axes) { return build_fine<axes>(DeviceCells{(cudaStream_t)stream}, A, d, L, scales, found); });
}

template <class T> Status build_coarse_cuda(int D, const Level<T> &L, const Level<T> &C, Found *found, Stream stream)
{
  return by_axes(D, [&](auto axes) { return build_coarse<axes>(DeviceCells{(cudaStream_t)stream}, L, C, found); });
}

/* One thread block: the cells are few */
template <class T> __global__ void __launch_bounds__(NULL_BLOCK) find_null_kernel(int D, Level<T> L, std::size_t N, double *null)
{
  const std::size_t n    = std::size_t(L.g.n[0]) * L.g.n[1] * L.g.n[2];
  double            mine = 0;
  bool              zero = true;

  for (std::size_t q = threadIdx.x; q < n; q += NULL_BLOCK) {
    const Index m = place_of(L.g, Index(q));
    zero          = zero && L.row_sum[m] == 0;
    mine += last_diagonal(D, L, m);
  }
  zero             = __syncthreads_and(zero);
  const double sum = block_sum<NULL_BLOCK>(mine);
  for (std::size_t q = threadIdx.x; q < N; q += NULL_BLOCK) null[q] = zero && q < n ? null_entry(D, L, Index(q), sum) : 0;
}

template <class T> Status find_null_cuda(int D, const Level<T> &L, std::size_t N, double *null, Stream stream)
{
  find_null_kernel<<<1, NULL_BLOCK, 0, (cudaStream_t)stream>>>(D, L, N, null);
  return launched();
}

template <class T> Status fill_dense_cuda(int D, const Level<T> &L, std::size_t N, const double *null, double *E, Stream stream)
{
  return fill_dense(DeviceEach{(cudaStream_t)stream}, D, L, N, null, E);
}

Status eliminate_cuda(std::size_t N, std::size_t first, const double *from, double *to, Stream stream)
{
  const unsigned tiles = unsigned(N / DENSE_TILE);

  eliminate_kernel<<<dim3(tiles, tiles), dim3(DENSE_TILE, DENSE_TILE), 0, (cudaStream_t)stream>>>(N, first, from, to);
  return launched();
}

template <class T> Status take_inverse_cuda(const Level<T> &L, std::size_t n, std::size_t N, const double *E, double *B, Stream stream)
{
  return take_inverse(DeviceEach{(cudaStream_t)stream}, L, n, N, E, B);
}

template <class T> Status find_largest_cuda(const Level<T> &L, const Scalar *x, Scales *scales, Stream stream)
{
  const std::size_t rows = std::size_t(L.g.n[0]) * L.g.n[1] * L.g.n[2], blocks = (rows + 4 * BLOCK - 1) / (4 * BLOCK);

  return launch_next(true, find_largest_kernel<T>, unsigned(blocks < 1024 ? blocks : 1024), dim3(BLOCK), 0, (cudaStream_t)stream, L, x, scales);
}

template <class T> Status smooth_input_cuda(int D, const Level<T> &L, const Scalar *x, const Scales *scales, Stream stream)
{
  return by_axes(D, [&](auto axes) { return smooth_input<axes>(DeviceCells{(cudaStream_t)stream}, L, x, scales); });
}

template <class T> Status smooth_first_cuda(int D, const Level<T> &L, Stream stream)
{
  return by_axes(D, [&](auto axes) { return smooth_first<axes>(DeviceCells{(cudaStream_t)stream}, L); });
}

template <class T> Status restrict_residual_cuda(int D, const Level<T> &L, const Level<T> &C, Scales *scales, Stream stream)
{
  return by_boxes(D, L.g, [&](auto axes, auto side) { return restrict_residual<axes, side>(DeviceCells{(cudaStream_t)stream}, L, C, scales); });
}

template <class T> Status solve_last_cuda(const Level<T> &L, std::size_t n, const double *inverse, Scales *scales, Stream stream)
{
  constexpr int rows = 4; /* of a block */

  return launch_next(true, solve_last_kernel<T>, unsigned((n + rows - 1) / rows), dim3(rows * WARP), 0, (cudaStream_t)stream, L, n, inverse, scales);
}

template <class T> Status correct_cuda(int D, T weight, const Level<T> &L, const Level<T> &C, Stream stream)
{
  return by_boxes(D, L.g, [&](auto axes, auto side) { return correct<axes, side>(DeviceCells{(cudaStream_t)stream}, weight, L, C); });
}

template <class T> Status smooth_last_cuda(int D, const Level<T> &L, Stream stream)
{
  return by_axes(D, [&](auto axes) { return smooth_last<axes>(DeviceCells{(cudaStream_t)stream}, L); });
}

template <class T> Status damp_cuda(T damping, bool start, bool gather, const Level<T> &L, Stream stream)
{
  return damp(DeviceCells{(cudaStream_t)stream}, damping, start, gather, L);
}

template <class T> Status absorb_cuda(int D, const Level<T> &L, Stream stream)
{
  return by_axes(D, [&](auto axes) { return absorb<axes>(DeviceCells{(cudaStream_t)stream}, L); });
}

template <class T> Status finish_cuda(int D, const Level<T> &L, const Scales *scales, Scalar *y, Stream stream)
{
  return by_axes(D, [&](auto axes) { return finish<axes>(DeviceCells{(cudaStream_t)stream}, L, scales, y); });
}

template <class T> Status finish_dense_cuda(const Level<T> &L, const Scales *scales, Scalar *y, Stream stream)
{
  return finish_dense(DeviceCells{(cudaStream_t)stream}, L, scales, y);
}
template Status strengths_cuda(const bdia::View<double> &, const Diagonals &, Index, double *, Stream);
template Status strengths_cuda(const bdia::View<float> &, const Diagonals &, Index, double *, Stream);
#define HEPTA_CYCLE_OF(T) \
  template Status build_fine_cuda(int, const bdia::View<double> &, const Diagonals &, const Level<T> &, Scales *, Found *, Stream); \
  template Status build_fine_cuda(int, const bdia::View<float> &, const Diagonals &, const Level<T> &, Scales *, Found *, Stream); \
  template Status build_coarse_cuda(int, const Level<T> &, const Level<T> &, Found *, Stream); \
  template Status find_null_cuda(int, const Level<T> &, std::size_t, double *, Stream); \
  template Status fill_dense_cuda(int, const Level<T> &, std::size_t, const double *, double *, Stream); \
  template Status take_inverse_cuda(const Level<T> &, std::size_t, std::size_t, const double *, double *, Stream); \
  template Status find_largest_cuda(const Level<T> &, const Scalar *, Scales *, Stream); \
  template Status smooth_input_cuda(int, const Level<T> &, const Scalar *, const Scales *, Stream); \
  template Status smooth_first_cuda(int, const Level<T> &, Stream); \
  template Status restrict_residual_cuda(int, const Level<T> &, const Level<T> &, Scales *, Stream); \
  template Status solve_last_cuda(const Level<T> &, std::size_t, const double *, Scales *, Stream); \
  template Status correct_cuda(int, T, const Level<T> &, const Level<T> &, Stream); \
  template Status smooth_last_cuda(int, const Level<T> &, Stream); \
  template Status damp_cuda(T, bool, bool, const Level<T> &, Stream); \
  template Status absorb_cuda(int, const Level<T> &, Stream); \
  template Status finish_cuda(int, const Level<T> &, const Scales *, Scalar *, Stream); \
  template Status finish_dense_cuda(const Level<T> &, const Scales *, Scalar *, Stream);
HEPTA_CYCLE_OF(double)
HEPTA_CYCLE_OF(float)

} // namespace hepta::cycle

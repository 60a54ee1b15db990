/* Set-ups, and the ends of applications, on the device */
#include <algorithm>

#include <cub/block/block_reduce.cuh>

#include "../../shared/overlap.cuh"
#include "../../shared/warp.cuh"
#include "gridmg_launch.hxx"

namespace hepta::gridmg
{

constexpr int      WARP           = 32;
constexpr int      STRENGTH_BLOCK = 1024;
constexpr unsigned WIDE           = 64;    /* cells of a block along the first axis */
constexpr int      BLOCK          = 256;   /* threads of a block of cells */
constexpr unsigned LINES          = 65535; /* the most blocks along the second axis */
constexpr int      NULL_BLOCK     = 256;
/* about the most blocks of cells for each multiprocessor, unless the first axis alone has more: starting a block takes time, even
   in a recorded iteration without work */
constexpr int BLOCKS = 64;

/* A thread takes successive planes, since each shares values with the plane before */
template <class F>
__global__ void __launch_bounds__(BLOCK) cells_kernel(Index n0, Index n1, Index n2, Index planes, const int *stop, F f)
{
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x, first = Index(blockIdx.z) * planes,
              end = n2 - first < planes ? n2 : first + planes;

  if (!begin_in_turn(stop) || i >= n0) return;
  for (Index j = Index(blockIdx.y) * blockDim.y + threadIdx.y; j < n1; j += gridDim.y * blockDim.y) {
    for (Index k = first; k < end; k++) f(i, j, k);
  }
}

/* A thread for each cell of some planes, a warp or more along the first axis */
struct DeviceCells {
  cudaStream_t stream;

  template <class F> Status operator()(const Grid &g, const int *stop, F f) const
  {
    unsigned wide = 8;
    if (!g.n[0] || !g.n[1] || !g.n[2]) return nullptr; /* an MPI process without rows */
    while (wide < WIDE && Index(wide) < g.n[0]) wide *= 2;
    const unsigned    high = BLOCK / wide, across = unsigned((g.n[0] + wide - 1) / wide),
                      along  = unsigned((g.n[1] + high - 1) / high);
    const std::size_t most   = std::size_t(processors()) * BLOCKS;
    const unsigned    rows   = unsigned(std::min<std::size_t>({along, LINES, std::max<std::size_t>(1, most / across)}));
    const Index       planes = Index((std::size_t(across) * rows * g.n[2] + most - 1) / most);

    return launch_next(true, cells_kernel<F>, dim3(across, rows, unsigned((g.n[2] + planes - 1) / planes)), dim3(wide, high), 0,
                       stream, g.n[0], g.n[1], g.n[2], planes, stop, f);
  }
};

template <class F> Status each_cell(const DeviceEach &each, const Grid &g, const int *stop, const F &f)
{
  return DeviceCells{(cudaStream_t)each.stream}(g, stop, f);
}

template <class T, class U> __global__ void find_largest_kernel(Level<T, U> L, const Scalar *x, Scales *scales)
{
  __shared__ unsigned long long largest;
  const Index                   rows = L.g.n[0] * L.g.n[1] * L.g.n[2];
  unsigned long long            mine = 0;

  if (!begin_in_turn(L.stop)) return;
  if (!threadIdx.x) largest = 0;
  __syncthreads();
  /* Index could overflow in the last step */
  for (std::size_t m = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; m < std::size_t(rows); m += gridDim.x * blockDim.x) {
    const unsigned long long bits = magnitude_bits(double(x[m]) * L.e[cell_index(L.g, Index(m))]);
    mine                          = bits > mine ? bits : mine;
  }
  mine = warp_max(mine);
  if (threadIdx.x % WARP == 0) atomicMax(&largest, mine);
  __syncthreads();
  if (!threadIdx.x) atomicMax(&scales->largest, largest);
}

/* y <- A^-1 r with a warp for each row */
template <class T, class U> __global__ void solve_last_kernel(Level<T, U> L, std::size_t n, const double *inverse, Scales *scales)
{
  const std::size_t e    = (blockIdx.x * std::size_t(blockDim.x) + threadIdx.x) / WARP;
  const int         lane = threadIdx.x % WARP;

  if (!begin_in_turn(L.stop) || e >= n) return;
  const double sum = warp_sum(dense_row(L, n, inverse, e, lane, WARP));
  if (lane) return;
  L.z[cell_index(L.g, Index(e))] = T(sum);
  if (!e && scales) take_largest(scales);
}

/* One thread block: the rows are few */
template <class V>
__global__ void __launch_bounds__(STRENGTH_BLOCK) strengths_kernel(bdia::View<V> A, Diagonals d, Index step, double *sum)
{
  using Sum = cub::BlockReduce<double, STRENGTH_BLOCK>; /* in a fixed order */
  __shared__ typename Sum::TempStorage shared[3];

  for (int a = 0; a < 3; a++) {
    double mine = 0;
    for (std::size_t i = threadIdx.x * std::size_t(step); i < std::size_t(A.nbr); i += STRENGTH_BLOCK * std::size_t(step))
      mine += strength(A, d, a, Index(i));
    mine = Sum(shared[a]).Sum(mine);
    if (!threadIdx.x) sum[a] = mine;
  }
}

template <class V> Status strengths_cuda(const bdia::View<V> &A, const Diagonals &d, Index step, double *sum, Stream stream)
{
  strengths_kernel<<<1, STRENGTH_BLOCK, 0, (cudaStream_t)stream>>>(A, d, step, sum);
  return launched();
}

template <class T, class U> Status find_largest_cuda(const Level<T, U> &L, const Scalar *x, Scales *scales, Stream stream)
{
  const std::size_t rows = std::size_t(L.g.n[0]) * L.g.n[1] * L.g.n[2], blocks = (rows + 4 * BLOCK - 1) / (4 * BLOCK);

  if (!rows) return nullptr;
  return launch_next(true, find_largest_kernel<T, U>, unsigned(blocks < 1024 ? blocks : 1024), dim3(BLOCK), 0,
                     (cudaStream_t)stream, L, x, scales);
}

template <class T, class U> Status scale_input_cuda(const Level<T, U> &L, const Scalar *x, const Scales *scales, Stream stream)
{
  return scale_input(DeviceCells{(cudaStream_t)stream}, L, x, scales);
}

template <class T, class U>
Status solve_last_cuda(const Level<T, U> &L, std::size_t n, const double *inverse, Scales *scales, Stream stream)
{
  constexpr int rows = 4; /* rows of a thread block */

  return launch_next(true, solve_last_kernel<T, U>, unsigned((n + rows - 1) / rows), dim3(rows * WARP), 0, (cudaStream_t)stream,
                     L, n, inverse, scales);
}

template <class T, class U> Status finish_dense_cuda(const Level<T, U> &L, const Scales *scales, Scalar *y, Stream stream)
{
  return finish_dense(DeviceCells{(cudaStream_t)stream}, L, scales, y);
}

/* Four rows of a column of a tile, in registers */
constexpr int PART = 4, PARTS = DENSE_TILE / PART;

/*
   x <- minus the inverse of the thread block's tile x, by Gauss-Jordan elimination. A step needs a row, a column and the
   reciprocal of the pivot. The pivot's thread computes the reciprocal. Row, column and reciprocal alternate between two places,
   so that a step takes one barrier.
*/
__device__ __forceinline__ void invert_tile(double x[PART], Found *found, std::size_t first)
{
  __shared__ double row[2][DENSE_TILE], column[2][DENSE_TILE], reciprocal[2];
  const int         i = threadIdx.y * PART, j = threadIdx.x;

#pragma unroll 1
  for (int q = 0; q < PARTS; q++) {
#pragma unroll
    for (int r = 0; r < PART; r++) { /* the pivot is row and column p */
      const int p = q * PART + r, at = r & 1;
      if (threadIdx.y == q) row[at][j] = x[r];
      if (j == p) {
#pragma unroll
        for (int k = 0; k < PART; k++) column[at][i + k] = x[k];
        if (threadIdx.y == q) reciprocal[at] = inverse_pivot(x[r], found, first + p);
      }
      __syncthreads();
      const double inverse = reciprocal[at], scaled = row[at][j] * inverse;
#pragma unroll
      for (int k = 0; k < PART; k++) {
        const double f = column[at][i + k];
        if (i + k == p) x[k] = j == p ? -inverse : scaled;
        else x[k] = j == p ? f * inverse : x[k] - f * scaled;
      }
    }
  }
}

/* Tiles in shared memory, without conflicts of their columns */
using DenseTile = double[DENSE_TILE][DENSE_TILE + 1];

/* x <- x - the product of A's rows of this thread and B's column */
__device__ __forceinline__ void subtract_product(double x[PART], const DenseTile &A, const DenseTile &B)
{
#pragma unroll 8
  for (int q = 0; q < DENSE_TILE; q++) {
#pragma unroll
    for (int k = 0; k < PART; k++) x[k] -= A[threadIdx.y * PART + k][q] * B[q][threadIdx.x];
  }
}

/*
   A block for each tile (I, J) of DENSE_TILE x DENSE_TILE. With K the tile of the pivots and P the inverse of E_KK, which each
   block computes,

     E_KK <- -P,   E_IK <- E_IK P,   E_KJ <- P E_KJ,   E_IJ <- E_IJ - E_IK P E_KJ.
*/
__global__ void __launch_bounds__(DENSE_TILE *PARTS)
  eliminate_kernel(std::size_t N, std::size_t first, const double *from, double *to, Found *found)
{
  __shared__ DenseTile P, left, right; /* -P */
  const int            i = threadIdx.y * PART, j = threadIdx.x;
  const std::size_t    I = blockIdx.y * DENSE_TILE, J = blockIdx.x * DENSE_TILE;
  const bool           pivot_row = I == first, pivot_column = J == first;
  double               x[PART], own[PART], product[PART] = {};

  begin_in_turn(nullptr);
#pragma unroll
  for (int k = 0; k < PART; k++) {
    x[k]            = from[(first + i + k) * N + first + j];
    own[k]          = from[(I + i + k) * N + J + j];
    left[i + k][j]  = from[(I + i + k) * N + first + j];
    right[i + k][j] = from[(first + i + k) * N + J + j];
  }
  invert_tile(x, pivot_row && pivot_column ? found : nullptr, first);
#pragma unroll
  for (int k = 0; k < PART; k++) P[i + k][j] = x[k];
  __syncthreads();
  if (!pivot_row || !pivot_column) {
    if (pivot_row) subtract_product(product, P, right);
    else subtract_product(product, left, P);
#pragma unroll
    for (int k = 0; k < PART; k++) x[k] = product[k];
  }
  if (!pivot_row && !pivot_column) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < PART; k++) left[i + k][j] = x[k];
    __syncthreads();
    subtract_product(own, left, right);
#pragma unroll
    for (int k = 0; k < PART; k++) x[k] = own[k];
  }
#pragma unroll
  for (int k = 0; k < PART; k++) to[(I + i + k) * N + J + j] = x[k];
}

/* One thread block: the cells are few */
template <class T, class U>
__global__ void __launch_bounds__(NULL_BLOCK) find_null_kernel(int D, Level<T, U> L, std::size_t N, double *null)
{
  extern __shared__ double d[]; /* three arrays of N numbers */
  const std::size_t        n         = std::size_t(L.g.n[0]) * L.g.n[1] * L.g.n[2];
  double                  *component = d + N, *next = d + 2 * N;
  bool                     changed = true;

  for (std::size_t q = threadIdx.x; q < N; q += NULL_BLOCK) {
    d[q]         = q < n ? last_diagonal(D, L, cell_index(L.g, Index(q))) : 0;
    component[q] = next[q] = q < n ? own_component(L, Index(q)) : -1;
  }
  __syncthreads();
  while (changed) {
    changed = false;
    for (std::size_t q = threadIdx.x; q < n; q += NULL_BLOCK) {
      next[q] = joined(D, L, Index(q), component);
      changed = changed || next[q] < component[q];
    }
    changed         = __syncthreads_or(changed);
    double *const t = component;
    component       = next;
    next            = t;
  }
  for (std::size_t q = threadIdx.x; q < N; q += NULL_BLOCK) {
    null[q]         = null_entry(Index(n), Index(q), d, component);
    null[N + q]     = d[q];
    null[2 * N + q] = component[q];
  }
}

template <class T, class U> Status find_null_cuda(int D, const Level<T, U> &L, std::size_t N, double *null, Stream stream)
{
  const auto        kernel = find_null_kernel<T, U>;
  const std::size_t bytes  = 3 * N * sizeof(double);

  if (bytes > block_shared) {
    if (bytes > most_shared())
      return "the shared memory of a thread block has no room for the rows of the last level of PC gridmg: raise "
             "-pc_gridmg_levels";
    if (Status s = allow_most_shared(kernel)) return s;
  }
  kernel<<<1, NULL_BLOCK, bytes, (cudaStream_t)stream>>>(D, L, N, null);
  return launched();
}

Status eliminate_cuda(std::size_t N, std::size_t first, const double *from, double *to, Found *found, Stream stream)
{
  const unsigned tiles = unsigned(N / DENSE_TILE);

  return launch_next(first > 0, eliminate_kernel, dim3(tiles, tiles), dim3(DENSE_TILE, PARTS), 0, (cudaStream_t)stream, N, first,
                     from, to, found);
}

HEPTA_LEVELS(find_largest_cuda)
HEPTA_LEVELS(scale_input_cuda)
HEPTA_LEVELS(solve_last_cuda)
HEPTA_LEVELS(finish_dense_cuda)
HEPTA_LEVELS(find_null_cuda)
HEPTA_INSTANCES(strengths_cuda)
HEPTA_GRIDMG_LAUNCHERS

} // namespace hepta::gridmg

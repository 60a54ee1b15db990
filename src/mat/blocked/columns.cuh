/* Shared by device products with several vectors at once: a thread reads a matrix value once for a group of columns */
#pragma once

#include "../../shared/cuda_check.cuh"

namespace hepta::blocked
{

/* columns that a thread multiplies together; thread blocks along a grid's second dimension take a group each */
constexpr int group = 8;

/* The columns of X and Y: their leading dimensions and number */
struct Columns {
  std::size_t ldx, ldy;
  Index       n;
};

/* The columns of this thread block: `count` of them from `first` on */
struct Group {
  std::size_t first;
  int         count;
};

__device__ __forceinline__ Group my_group(const Columns &w)
{
  const std::size_t first = std::size_t(blockIdx.y) * group;
  return {first, w.n - Index(first) < group ? int(w.n - Index(first)) : group};
}

/* sum_c <- sum_c + a times the entry of column c at x */
__device__ __forceinline__ void add_entry(const Columns &w, const Group &g, const Scalar *x, bool inside, Scalar a,
                                          Scalar (&sum)[group])
{
#pragma unroll
  for (int c = 0; c < group; c++) sum[c] += inside && c < g.count ? a * __ldg(x + c * w.ldx) : Scalar(0);
}

/* the entry of column c at y <- sum_c */
__device__ __forceinline__ void store_entries(const Columns &w, const Group &g, Scalar *y, const Scalar (&sum)[group])
{
#pragma unroll
  for (int c = 0; c < group; c++) {
    if (c < g.count) y[c * w.ldy] = sum[c];
  }
}

/*
   Calls f(grid, columns, first) until all columns are done: each call has `columns` columns from `first` on, limited by the
   second dimension of the grid, with threads for `rows` rows
*/
template <class F> Status each_batch(std::size_t rows, int threads, const Columns &w, F f)
{
  constexpr Index most = Index(65535) * group;
  Status          bad  = nullptr;

  for (Index c = 0, n; c < w.n && !bad; c += n) {
    n   = w.n - c < most ? w.n - c : most;
    bad = f(dim3(unsigned((rows + threads - 1) / threads), unsigned((n + group - 1) / group)), Columns{w.ldx, w.ldy, n},
            std::size_t(c));
  }
  return bad;
}

} // namespace hepta::blocked

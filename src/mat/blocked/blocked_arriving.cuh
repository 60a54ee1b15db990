/*
   Products with the ghost part while the ghost values are arriving in a mailbox. A ghost function object x has x(j, n, to):
   to[k] <- ghost value j + k, k < n <= ghosts_at_once.

   Such a kernel starts once all thread blocks of the product with the rank's own columns have started. Until that product ends
   the kernel receives ghost values and multiplies with them; then the kernel adds the results to y and ends the exchange. Data
   read before the end of the product was written by kernels that had ended when the sending kernel passed its wait. This relies
   on each kernel starting with an empty first-level cache.
*/
#pragma once

#include "../../shared/overlap.cuh"
#include "../../shared/transport/transport.cuh"
#include "blocked_row.hxx"

namespace hepta::blocked
{

constexpr int ghosts_at_once = 4; /* ghost values that a thread asks for before the first wait */
constexpr int early_rows     = 2; /* rows of a thread that are multiplied before the product ends */

/* Ghost values in the mailbox; NaN if a neighbor is late */
struct Arrived {
  transport::Arriving arriving;

  __device__ __forceinline__ void operator()(std::size_t j, int n, Scalar (&to)[ghosts_at_once]) const
  {
    transport::receive(arriving.box, j, 1, n, arriving.turn, *arriving.waiting, to);
  }
};

/* ghost_row() with a ghost function object */
template <class V, class X> __device__ __forceinline__ Scalar arriving_row(const GhostView<V> &B, Index b, Index r, const X &x)
{
  Scalar sum = 0;

  for_ghost_blocks(B, b, [&](Index c, Index q) {
    for (int s = 0; s < B.bs; s += ghosts_at_once) {
      const int n = B.bs - s < ghosts_at_once ? B.bs - s : ghosts_at_once;
      V         v[ghosts_at_once];
      Scalar    g[ghosts_at_once];

#pragma unroll
      for (int u = 0; u < ghosts_at_once; u++) {
        if (u < n) v[u] = B.v[(s + u) * B.ld + std::size_t(q) * B.bs + r];
      }
      x(std::size_t(c) * B.bs + s, n, g);
#pragma unroll
      for (int u = 0; u < ghosts_at_once; u++) {
        if (u < n) sum += Scalar(v[u]) * g[u];
      }
    }
  });
  return sum;
}

/* Waits for the end of the preceding kernel, then calls add(i, (B x)_i) for the thread's border rows i */
template <class V, class X, class F> __device__ __forceinline__ void for_arriving_rows(const GhostView<V> &B, const X &x, F add)
{
  const std::size_t rows = std::size_t(B.nb) * B.bs, first = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x,
                    stride  = std::size_t(gridDim.x) * blockDim.x;
  const auto        product = [&](std::size_t e) { return arriving_row(B, Index(e / B.bs), Index(e % B.bs), x); };
  const auto        row     = [&](std::size_t e) { return std::size_t(B.row[e / B.bs]) * B.bs + e % B.bs; };
  std::size_t       at[early_rows];
  Scalar            early[early_rows];

#pragma unroll
  for (int u = 0; u < early_rows; u++) {
    if (first + u * stride < rows) {
      at[u]    = row(first + u * stride);
      early[u] = product(first + u * stride);
    }
  }
  end_after_first();
#pragma unroll
  for (int u = 0; u < early_rows; u++) {
    if (first + u * stride < rows) add(at[u], early[u]);
  }
  for (std::size_t e = first + early_rows * stride; e < rows; e += stride) add(row(e), product(e));
}

} // namespace hepta::blocked

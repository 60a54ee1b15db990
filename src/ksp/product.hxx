/*
   The product with the matrix as a pass: y <- scale o (A x) and the sums (with, y) and (y, y). The launchers do nothing while
   the state says pause.
*/
#pragma once

#include "../mat/bdia/bdia_view.hxx"
#include "../mat/blocked/blocked_view.hxx"
#include "../mat/brow/brow_view.hxx"
#include "../shared/device.hxx"
#include "../shared/transport/transport.hxx"
#include "iteration.hxx"

namespace hepta::ksp
{

struct ProductSums : Pass {
  const Scalar *x;
  Scalar       *y;
  const Scalar *scale;  /* null: ones */
  const Scalar *with;   /* null: no sum (with, y), or a rank without rows, where all pointers may be null */
  int           first;  /* the index of (with, y) among the sums; (y, y) is next */
  bool          summed; /* (with, y) is wanted */
  bool          square; /* (y, y) is wanted */
  Border        border; /* rows that the border pass completes */
};

/* Takes (A x)_i: y_i, and the contributions of y_i to the sums */
HEPTA_HD void take_product(const ProductSums &p, std::size_t i, Scalar Ax, Scalar sum[])
{
  const Scalar product = p.scale ? p.scale[i] * Ax : Ax;

  p.y[i] = product;
  if (p.border.Has(i)) return;
  if (p.with) sum[0] += p.with[i] * product;
  if (p.square) sum[1] += product * product;
}

/* take_product() in a border row, whose y_i lacks only (B x)_i */
HEPTA_HD void add_to_product(const ProductSums &p, std::size_t i, Scalar Bx, Scalar sum[])
{
  const Scalar product = p.y[i] + (p.scale ? p.scale[i] * Bx : Bx);

  p.y[i] = product;
  if (p.with) sum[0] += p.with[i] * product;
  if (p.square) sum[1] += product * product;
}

/* SumProduct and the product in one pass; A of block size 1 to 8 and as many rows as columns */
template <class V> Status product_with_sums_cuda(const ProductSums &, const bdia::View<V> &A, Stream);
/*
   in blocked rows where rows_have_sums_cuda(): no row stands alone, and the rows are so few that a product takes hardly longer
   than a sum
*/
template <class V> Status product_with_sums_cuda(const ProductSums &, const brow::View<V> &A, Stream);
template <class V> bool   rows_have_sums_cuda(const brow::View<V> &A);
/*
   on several ranks, after a product_with_sums_cuda() that leaves its sums: y <- y + scale o (B x) in the border rows, and the
   sums of all rows; xg: the ghost values of x, null where the ghost values are still arriving
*/
template <class V>
Status border_with_sums_cuda(const ProductSums &, const blocked::GhostView<V> &B, const Scalar *xg,
                             const transport::Mailboxes *arriving, Stream);

/* y <- scale o y and the sums, where y holds A x already */
struct SumProduct : ProductSums {
  static constexpr int sums = 2;
  struct Row {
    Scalar y, scale, with;
  };

  HEPTA_HD Row  get(std::size_t i) const { return {y[i], scale ? scale[i] : Scalar(1), with ? with[i] : Scalar(0)}; }
   HEPTA_HD void put(std::size_t i, const Row &row, Scalar sum[]) const
  {
    const Scalar product = row.scale * row.y;

    if (scale) y[i] = product;
    sum[0] += row.with * product;
    if (square) sum[1] += product * product;
  }
};

/* z <- D r with the blocks of size bs on the diagonal: entry (i mod bs, s) of the block of row i is d[s*n + i] */
struct Blocks : Pass {
  int           bs;
  const Scalar *d, *r;
  Scalar       *z;
};

struct MultiplyBlocks : Blocks {
  static constexpr int sums = 0;
  using Row                 = Scalar;

  HEPTA_HD Row get(std::size_t i) const
  {
    const std::size_t first = i - i % bs;
    Scalar            sum   = 0;

    for (int s = 0; s < bs; s++) sum += d[s * n + i] * r[first + s];
    return sum;
  }
  HEPTA_HD void put(std::size_t i, Row row, Scalar *) const { z[i] = row; }
};

/* Entries of Pass::partial that the passes may need on this device */
std::size_t partial_sums_cuda();

} // namespace hepta::ksp

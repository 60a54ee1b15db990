/* The arithmetic of l1-Jacobi for one row or block row, for host and device */
#pragma once

#include <cmath>

#include "../../mat/bdia/bdia_row.hxx"
#include "../../mat/blocked/blocked_row.hxx"
#include "../../mat/brow/brow_row.hxx"
#include "../../shared/invert_block.hxx"
#include "l1jacobi_kernels.hxx"

namespace hepta::l1jacobi
{

/* What is below this times the largest entry of a scaled block is rounding */
constexpr Scalar rounding = sizeof(Scalar) < 8 ? Scalar(1e-5) : Scalar(2e-14);

/* w_ij, for row i and column j with the roots of the local rows and of the columns; 1 where a diagonal entry is zero */
HEPTA_HD Scalar weight(const Scalar *root, Index i, const Scalar *column_root, Index j)
{
  return root && root[i] != 0 && column_root[j] != 0 ? root[i] / column_root[j] : Scalar(1);
}

template <class View> HEPTA_HD void read_row(const View &A, const Rows &r, Index i)
{
  const Index m     = i / r.bs;
  Scalar     *block = r.block + std::size_t(m) * r.bs * r.bs + i % r.bs, sum = 0;
  Index       count = 0;

  for (Index s = 0; s < r.bs; s++) block[s * r.bs] = 0;
  for_row(A, i, [&](Index j, std::size_t at) {
    const Scalar a = Scalar(A.v[at]);
    count += a != 0;
    if (j / r.bs == m) block[j % r.bs * r.bs] = a;
    else sum += magnitude(a) * weight(r.root, i, r.root, j);
  });
  r.sum[i]   = sum;
  r.count[i] = count;
}

/* Is row i, of a matrix with block size 1, short, with a positive diagonal entry that is, but for rounding, at least the sum of the others' magnitudes? A row with NaN is not. */
HEPTA_HD bool is_short_and_dominant(const Rows &r, Index most, std::size_t i)
{
  const Scalar a = r.block[i];

  return a > 0 && r.sum[i] <= (1 + rounding) * a && r.count[i] <= most;
}

/*
   scale[k] <- a power of two near s_k = 1 / max(sqrt |b_kk|, max s_j sqrt |b_kj b_jk| over j < k), or 1 where both are zero. For
   positive definite b that is 1 / sqrt b_kk. The couplings with the rows before are for other b, whose diagonal entries may be zero
   or rounding.
*/
HEPTA_HD void find_scale(Index n, const Scalar *b, Scalar *scale)
{
  for (Index k = 0; k < n; k++) {
    Scalar size     = std::sqrt(magnitude(b[k * n + k]));
    int    exponent = 0;

    for (Index j = 0; j < k; j++) {
      const Scalar coupling = scale[j] * std::sqrt(magnitude(b[j * n + k])) * std::sqrt(magnitude(b[k * n + j]));
      if (coupling > size) size = coupling;
    }
    (void)std::frexp(size, &exponent);
    scale[k] = std::ldexp(Scalar(1), -exponent);
  }
}

/* b <- S b S, exactly, by powers of two */
HEPTA_HD void scale_block(Index n, Scalar *b, const Scalar *scale)
{
  for (Index s = 0; s < n; s++) {
    for (Index r = 0; r < n; r++) b[s * n + r] = b[s * n + r] * scale[r] * scale[s];
  }
}

/* The first row of block row m with an entry that is Inf or NaN, or -1 */
HEPTA_HD Index first_not_finite(const Rows &r, Index m)
{
  const Scalar *block = r.block + std::size_t(m) * r.bs * r.bs, *sum = r.sum + std::size_t(m) * r.bs;

  for (Index k = 0; k < r.bs; k++) {
    bool good = finite(sum[k]);
    for (Index s = 0; s < r.bs; s++) good = good && finite(block[s * r.bs + k]);
    if (!good) return k;
  }
  return -1;
}

/*
   The first row of block row m whose step of the elimination has no pivot, or -1. A row without entries gets 1 on its diagonal, as in
   PETSc's Jacobi. Pivots are compared with the entries of the scaled block, since entries of different units say nothing about each other:
   diag(1, 1e-16) is regular. b^-1 = S (S b S)^-1 S. The scale takes the place of the sums.
*/
HEPTA_HD Index invert_one(const Rows &r, Index m, Index *pivot)
{
  Scalar *block = r.block + std::size_t(m) * r.bs * r.bs, *scale = r.sum + std::size_t(m) * r.bs, largest = 0;

  for (Index k = 0; k < r.bs; k++) {
    Scalar      &a    = block[k * r.bs + k];
    const Scalar half = scale[k] / 2;
    a += a < 0 ? -half : half;
    if (a == 0) a = r.count[std::size_t(m) * r.bs + k] ? Scalar(0) : Scalar(1);
  }
  if (r.bs == 1) return invert_block(1, block, 1, pivot + m);
  find_scale(r.bs, block, scale);
  scale_block(r.bs, block, scale);
  for (Index k = 0; k < r.bs * r.bs; k++) largest = magnitude(block[k]) > largest ? magnitude(block[k]) : largest;
  const Index without = invert_block(r.bs, block, std::size_t(r.bs), pivot + std::size_t(m) * r.bs, largest * rounding);
  scale_block(r.bs, block, scale);
  return without;
}

/* (M^-1 (x - t))_i, or with M^-T; t may be null: zero */
HEPTA_HD Scalar apply_row(Index bs, const Scalar *inverse, bool transposed, const Scalar *x, const Scalar *t, std::size_t i)
{
  const std::size_t m = i / bs, r = i % bs, first = m * bs;
  const Scalar     *row = inverse + first * bs + (transposed ? r * bs : r);
  Scalar            sum = 0;

  for (Index s = 0; s < bs; s++) sum += row[transposed ? s : s * bs] * (t ? x[first + s] - t[first + s] : x[first + s]);
  return sum;
}

} // namespace hepta::l1jacobi

/* The arithmetic of the blockic preconditioner, once, for host and device */
#pragma once

#include "../../mat/bdia/bdia_row.hxx"
#include "../../shared/each.hxx"
#include "../../shared/unroll.hxx"
#include "blockic_view.hxx"

namespace hepta::blockic
{

/* The matrix block b */
HEPTA_HD Range range(const Blocks &B, Index b)
{
  return {B.first[b], B.first[b + 1]};
}

HEPTA_HD Index block_row(const Factors &F, Index p)
{
  return F.row ? F.row[p] : p;
}

HEPTA_HD Scalar *entry(const Factors &F, int d, Index p, int r, int s)
{
  return F.v + (std::size_t(d) * F.bs + s) * F.ld + std::size_t(p) * F.bs + r;
}

/* The position of the column that diagonal d has for position p, -1: outside the matrix block */
HEPTA_HD Index column(const Factors &F, const Range &b, int d, Index p)
{
  if (F.col) return F.col[std::size_t(F.plus[d]) * F.nbr + p];
  const Index q = p + F.off[d];
  return q >= b.begin && q < b.end ? q : -1;
}

/* The position whose column on diagonal d is p, likewise */
HEPTA_HD Index above(const Factors &F, int d, Index p)
{
  return F.col[std::size_t(F.minus[d]) * F.nbr + p];
}

/* Row r of position p of the factors <- that of A, with zeros for couplings to other matrix blocks; *excess as in load_host */
template <class V> HEPTA_HD void load_row(const bdia::View<V> &A, const Factors &F, const Range &b, Index p, int r, Scalar shift, Scalar *excess)
{
  const Index m   = block_row(F, p);
  Scalar      sum = 0;

  for (int d = 0; d < F.nd; d++) {
    const bool inside = d == F.main || column(F, b, d, p) >= 0;
    for (int s = 0; s < F.bs; s++) {
      const bool   diagonal = d == F.main && r == s;
      const Scalar a        = inside ? Scalar(A.v[bdia::slot(A, d, m, r, s)]) : Scalar(0);
      sum += diagonal ? -a : magnitude(a);
      *entry(F, d, p, r, s) = diagonal ? a + shift : a;
    }
  }
  if (excess) excess[p * F.bs + r] = sum;
}

/* C_p <- C_p - A_p B_k, for the blocks on diagonals f, d and e */
template <int BS> HEPTA_HD void subtract_product(const Factors &F, int f, int d, int e, Index p, Index k)
{
  const int bs = BS ? BS : F.bs;

  for (int s = 0; s < bs; s++) {
    for (int r = 0; r < bs; r++) {
      Scalar sum = *entry(F, f, p, r, s);
      for (int t = 0; t < bs; t++) sum -= *entry(F, d, p, r, t) * *entry(F, e, k, t, s);
      *entry(F, f, p, r, s) = sum;
    }
  }
}

/* A_p <- A_p D_k^-1, with the scratch row t */
template <int BS> HEPTA_HD void divide_right(const Factors &F, int d, Index p, Index k, Scalar *t)
{
  const int bs = BS ? BS : F.bs;

  for (int r = 0; r < bs; r++) {
    for (int s = 0; s < bs; s++) t[s] = *entry(F, d, p, r, s);
    for (int s = 0; s < bs; s++) {
      Scalar sum = 0;
      for (int u = 0; u < bs; u++) sum += t[u] * *entry(F, F.main, k, u, s);
      *entry(F, d, p, r, s) = sum;
    }
  }
}

/* A_p <- D_p^-1 A_p, likewise */
template <int BS> HEPTA_HD void divide_left(const Factors &F, int d, Index p, Scalar *t)
{
  const int bs = BS ? BS : F.bs;

  for (int s = 0; s < bs; s++) {
    for (int r = 0; r < bs; r++) t[r] = *entry(F, d, p, r, s);
    for (int r = 0; r < bs; r++) {
      Scalar sum = 0;
      for (int u = 0; u < bs; u++) sum += *entry(F, F.main, p, r, u) * t[u];
      *entry(F, d, p, r, s) = sum;
    }
  }
}

/* least[r] <- what a pivot of row r of position p must exceed, where it is |a_ii|: the largest of that and the sum of |a_ij|, times the tolerance */
template <int BS> HEPTA_HD void thresholds(const Factors &F, Index p, const Pivots &rule, Scalar *least, Index m, Report *report)
{
  const int bs = BS ? BS : F.bs;

  for (int r = 0; r < bs; r++) {
    Scalar sum = 0, block = 0;
    for (int d = rule.symmetric ? F.main + 1 : 0; d < F.nd; d++) {
      for (int s = 0; s < bs && d != F.main; s++) sum += magnitude(*entry(F, d, p, r, s));
    }
    for (int s = 0; s < bs; s++) block += magnitude(*entry(F, F.main, p, r, s));
    if (!finite(sum) || !finite(block)) note_least(&report->infinite, (long long)m * bs + r);
    least[r] = rule.tolerance * (sum > least[r] ? sum : least[r]);
  }
}

/* Notes the row of a value of the factors that is not finite; sums of a row's magnitudes leave out what overflows later, or below the diagonal */
template <int BS> HEPTA_HD void check_values(const Factors &F, Index p, Index m, Report *report)
{
  const int bs = BS ? BS : F.bs;

  for (int d = 0; d < F.nd; d++) {
    for (int s = 0; s < bs; s++) {
      for (int r = 0; r < bs; r++) {
        if (!finite(*entry(F, d, p, r, s))) note_least(&report->infinite, (long long)m * bs + r);
      }
    }
  }
}

/* Row operations of the factorization for one position, whose lower neighbors are done: point-block ILU(0), all multipliers kept */
template <int BS> HEPTA_HD void factor_row(const Factors &F, const Range &b, Index p, const Pivots &rule, Report *report)
{
  const int   bs = BS ? BS : F.bs;
  const Index m  = block_row(F, p);
  Scalar      local[BS ? BS * (BS + 2) : 1];
  Scalar     *a = BS ? local : F.scratch + std::size_t(p) * bs * (bs + 2), *least = a + bs * bs, *exchange = BS == 1 || rule.positive ? nullptr : least + bs;

  for (int r = 0; r < bs; r++) least[r] = magnitude(*entry(F, F.main, p, r, r));
  for (int d = 0; d < F.main; d++) {
    const Index k = column(F, b, d, p);
    if (k < 0) continue;
    for (int e = F.main + 1; e < F.nd; e++) {
      const Index f = F.target[d * F.nd + e];
      if (f >= 0 && column(F, b, e, k) >= 0) subtract_product<BS>(F, int(f), d, e, p, k);
    }
    divide_right<BS>(F, d, p, k, a);
  }
  thresholds<BS>(F, p, rule, least, m, report);
  for (int s = 0; s < bs; s++) {
    for (int r = 0; r < bs; r++) a[r + s * bs] = *entry(F, F.main, p, r, s);
  }
  invert(bs, a, least, exchange, m, rule, report);
  for (int s = 0; s < bs; s++) {
    for (int r = 0; r < bs; r++) *entry(F, F.main, p, r, s) = a[r + s * bs];
  }
  for (int e = F.main + 1; e < F.nd; e++) divide_left<BS>(F, e, p, a);
  check_values<BS>(F, p, m, report);
  for (int d = 0; d < F.nd && BS == 1 && !F.col; d++) {
    if ((F.off[d] == 1 || F.off[d] == -1) && magnitude(*entry(F, d, p, 0, 0)) > rule.steep) note_least(&report->steep, (long long)m);
  }
}

/* Row r of position p in a triangular solve: the sum over its neighbors that are done, below (lower) or above it; w by positions of the block */
template <int BS> HEPTA_HD Scalar coupled(const Factors &F, const Range &b, bool lower, bool transpose, Index p, int r, const Scalar *w)
{
  const int bs = BS ? BS : F.bs;
  const int d0 = lower != transpose ? 0 : F.main + 1, d1 = lower != transpose ? F.main : F.nd;
  Scalar    sum = 0;

  for (int d = d0; d < d1; d++) {
    const Index q = transpose ? above(F, d, p) : column(F, b, d, p);
    for (int s = 0; s < bs && q >= 0; s++) sum += (transpose ? *entry(F, d, q, s, r) : *entry(F, d, p, r, s)) * w[std::size_t(q - b.begin) * bs + s];
  }
  return sum;
}

/* Row r of D^-1 w, or of its transpose, at position p */
template <int BS> HEPTA_HD Scalar divided(const Factors &F, const Range &b, bool transpose, Index p, int r, const Scalar *w)
{
  const int bs  = BS ? BS : F.bs;
  Scalar    sum = 0;

  for (int s = 0; s < bs; s++) sum += (transpose ? *entry(F, F.main, p, s, r) : *entry(F, F.main, p, r, s)) * w[std::size_t(p - b.begin) * bs + s];
  return sum;
}

/* y -> slope*y + value: what some consecutive rows of a sweep make of the value before them */
struct Affine {
  Scalar slope, value;
};

/* First f, then g */
HEPTA_HD Affine then(const Affine &f, const Affine &g)
{
  return {f.slope * g.slope, g.slope * f.value + g.value};
}

/* The cell of place g of a sweep */
HEPTA_HD Index cell(bool up, const Range &b, Index g)
{
  return up ? b.end - 1 - g : b.begin + g;
}

/*
   C rows of a sweep from place g on without the first term, y_i = slope*y_{i + delta of the first} + value; places from `end` on change nothing. f is
   what the sweep starts from, times D^-1 unless inverse is null. Loads of the C rows are in flight together.
*/
template <int C> HEPTA_HD void sweep_rows(const Sweep &S, const Range &b, Index g, Index end, const Scalar *inverse, const Scalar *f, const Scalar *y, Affine (&row)[C])
{
  HEPTA_DEVICE_UNROLL
  for (int c = 0; c < C; c++) {
    const Index i = cell(S.up, b, g + c), j = i + S.term[0].delta;
    const bool  valid = g + c < end, coupled = valid && S.term[0].c && j >= b.begin && j < b.end;
    row[c].value = valid ? (inverse ? inverse[i] * f[i] : f[i]) : Scalar(0);
    row[c].slope = coupled ? -S.term[0].c[i + S.term[0].shift] : valid ? Scalar(0) : Scalar(1);
  }
  for (int t = 1; t < S.n; t++) {
    const Term T = S.term[t];
    Scalar     a[C], x[C];
    HEPTA_DEVICE_UNROLL
    for (int c = 0; c < C; c++) {
      const Index i = cell(S.up, b, g + c), j = i + T.delta;
      const bool  coupled = g + c < end && j >= b.begin && j < b.end;
      a[c]                = coupled ? T.c[i + T.shift] : Scalar(0);
      x[c]                = coupled ? y[j] : Scalar(0);
    }
    HEPTA_DEVICE_UNROLL
    for (int c = 0; c < C; c++) row[c].value -= a[c] * x[c];
  }
}

} // namespace hepta::blockic

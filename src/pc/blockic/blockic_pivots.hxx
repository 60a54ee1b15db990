/* Which pivots of an incomplete factorization are good, and what becomes of others; for bbs too, which factors matrices without block diagonals */
#pragma once

#include "../../shared/each.hxx"

namespace hepta::blockic
{

/* When a pivot fails, and what then: it must exceed tolerance*max(|a_ii|, sum of the other entries) */
struct Pivots {
  bool   symmetric; /* the entries to the right stand for the others */
  bool   positive;  /* it must be positive; otherwise its absolute value counts */
  bool   inblocks;  /* a failing pivot is replaced */
  Scalar tolerance, amount;
  Scalar steep; /* natural positions: the largest |l_i,i-1| and |v_i,i+1| with which the scan is accurate */
};

/* What a factorization found: the least row, or none */
struct Report {
  static constexpr long long none  = INT64_MAX;
  long long                  pivot = none, infinite = none; /* a failing pivot; a value that is not finite */
  long long                  steep   = none;                /* too large for the scan */
  long long                  shifted = 0;                   /* pivots replaced */
};

/* The pivot to go on with; false: it failed, and 1 is taken */
HEPTA_HD bool check_pivot(const Pivots &rule, Scalar least, Scalar *pivot, Report *report)
{
  const auto good = [&] { return (rule.positive ? *pivot : magnitude(*pivot)) > least && finite(1 / *pivot); };

  if (good()) return true;
  if (rule.inblocks && finite(*pivot)) {
    *pivot = (rule.positive ? magnitude(*pivot) : *pivot) + rule.amount;
    note_one(&report->shifted);
    if (magnitude(*pivot) > 0 && finite(1 / *pivot)) return true;
  }
  *pivot = 1;
  return false;
}

/*
   D <- D^-1 in place for the block D(r, s) = a[r + s*n] of block row m; least[r]: what a pivot must exceed. Positive pivots are
   those without row exchanges: a symmetric block has them exactly if it is positive definite.
*/
HEPTA_HD void invert(int n, Scalar *a, Scalar *least, Scalar *exchange, Index m, const Pivots &rule, Report *report)
{
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int r = k + 1; r < n && !rule.positive; r++) p = magnitude(a[r + k * n]) > magnitude(a[p + k * n]) ? r : p;
    if (exchange) exchange[k] = Scalar(p);
    if (!check_pivot(rule, least[p], &a[p + k * n], report)) note_least(&report->pivot, (long long)m * n + k);
    least[p] = least[k]; /* the rows change places */
    for (int s = 0; s < n; s++) {
      const Scalar t = a[p + s * n];
      a[p + s * n]   = a[k + s * n];
      a[k + s * n]   = t;
    }
    const Scalar inverse = 1 / a[k + k * n];
    a[k + k * n]         = 1;
    for (int s = 0; s < n; s++) a[k + s * n] *= inverse;
    for (int r = 0; r < n; r++) {
      const Scalar f = r == k ? Scalar(0) : a[r + k * n];
      if (r == k) continue;
      a[r + k * n] = 0;
      for (int s = 0; s < n; s++) a[r + s * n] -= f * a[k + s * n];
    }
  }
  for (int k = n - 1; k >= 0 && exchange; k--) { /* row exchanges are column exchanges of the inverse */
    for (int r = 0; r < n && exchange[k] != k; r++) {
      const int    c = int(exchange[k]);
      const Scalar t = a[r + k * n];
      a[r + k * n]   = a[r + c * n];
      a[r + c * n]   = t;
    }
  }
}

} // namespace hepta::blockic

/* The arithmetic of the blockic preconditioner, once, for host and device */
#pragma once

#include "../../mat/bdia/bdia_row.hxx"
#include "../../shared/each.hxx"
#include "../../shared/unroll.hxx"
#include "blockic_kernels.hxx"

namespace hepta::blockic
{

/* The rows of matrix block b */
HEPTA_HD Range range(const Blocks &B, Index b)
{
  return {B.first[b], B.first[b + 1]};
}

HEPTA_HD Scalar &entry(const Factors &F, int d, Index i)
{
  return F.v[std::size_t(d) * F.ld + i];
}

/* Is the column of diagonal d in row i inside the matrix block? */
HEPTA_HD bool inside(const Factors &F, const Range &b, int d, Index i)
{
  const Index c = i + F.off[d];
  return c >= b.begin && c < b.end;
}

/* Row i of the factors <- row i of A, with zeros for couplings to other matrix blocks; *excess as in load_host() */
template <class V>
HEPTA_HD void load_row(const bdia::View<V> &A, const Factors &F, const Range &b, Index i, Scalar shift, Scalar *excess)
{
  Scalar sum = 0;

  for (int d = 0; d < F.nd; d++) {
    const Scalar a = inside(F, b, d, i) ? Scalar(A.v[bdia::slot(A, d, i, 0, 0)]) : Scalar(0);
    sum += d == F.main ? -a : magnitude(a);
    entry(F, d, i) = d == F.main ? a + shift : a;
  }
  if (excess) excess[i] = sum;
}

constexpr Scalar steepest = Scalar(1.01); /* the largest |l_i,i-1| and |v_i,i+1| with which the scan is accurate */

/* Notes what is wrong with the factors' entry in row i of diagonal d, and rounds the entry */
HEPTA_HD void finish_entry(const Factors &F, int d, Index i, factor::Report *report)
{
  const Scalar a    = entry(F, d, i);
  bool         good = finite(a);

  if (F.rounded && d != F.main) {
    const float rounded = F.rounded[std::size_t(d) * F.ld + i] = float(a);
    good                                                       = finite(rounded);
  }
  if (!good) note_first(&report->infinite, (long long)i);
  if ((F.off[d] == 1 || F.off[d] == -1) && magnitude(a) > steepest) note_first(&report->steep, (long long)i);
}

/* Factors row i, after its dependencies: ILU(0), with all multipliers in the pattern */
HEPTA_HD void factor_row(const Factors &F, const Range &b, Index i, const factor::PivotRule &rule, factor::Report *report)
{
  Scalar      &pivot = entry(F, F.main, i);
  const Scalar own   = magnitude(pivot);
  Scalar       sum   = 0;

  for (int d = 0; d < F.main; d++) {
    const Index k = i + F.off[d];
    if (k < b.begin) continue;
    for (int e = F.main + 1; e < F.nd; e++) {
      const Index f = F.target[d * F.nd + e];
      if (f >= 0 && inside(F, b, e, k)) entry(F, int(f), i) -= entry(F, d, i) * entry(F, e, k);
    }
    entry(F, d, i) *= entry(F, F.main, k);
  }
  for (int d = rule.symmetric ? F.main + 1 : 0; d < F.nd; d++) sum += d == F.main ? Scalar(0) : magnitude(entry(F, d, i));
  if (!finite(sum) || !finite(pivot)) note_first(&report->infinite, (long long)i);
  (void)factor::check_pivot(rule, rule.tolerance * (sum > own ? sum : own), (long long)i, &pivot, report);
  pivot = 1 / pivot;
  for (int e = F.main + 1; e < F.nd; e++) entry(F, e, i) *= pivot;
  for (int d = 0; d < F.nd; d++) finish_entry(F, d, i, report);
}

/* y -> slope*y + value: the last solution of some consecutive rows of a sweep as a function of the solution before them */
struct Affine {
  Scalar slope, value;
};

/* The composition: first f, then g */
HEPTA_HD Affine then(const Affine &f, const Affine &g)
{
  return {f.slope * g.slope, g.slope * f.value + g.value};
}

/* The g-th cell of a sweep */
HEPTA_HD Index cell(bool up, const Range &b, Index g)
{
  return up ? b.end - 1 - g : b.begin + g;
}

/*
   Rows g ... g + C - 1 of a sweep as maps y_i = slope*y_{i + d} + value, d being the first term's delta; rows from `end` on are
   the identity. f is the right-hand side of the sweep, multiplied by D^-1 unless inverse is null. Loads of the C rows are in
   flight at once.
*/
template <int C, class V>
HEPTA_HD void sweep_rows(const Sweep<V> &S, const Range &b, Index g, Index end, const Scalar *inverse, const Scalar *f,
                         const Scalar *y, Affine (&row)[C])
{
  HEPTA_DEVICE_UNROLL
  for (int c = 0; c < C; c++) {
    const Index i = cell(S.up, b, g + c), j = i + S.term[0].delta;
    const bool  valid = g + c < end, coupled = valid && S.term[0].c && j >= b.begin && j < b.end;
    row[c].value = valid ? (inverse ? inverse[i] * f[i] : f[i]) : Scalar(0);
    row[c].slope = coupled ? -Scalar(S.term[0].c[i + S.term[0].shift]) : valid ? Scalar(0) : Scalar(1);
  }
  for (int t = 1; t < S.n; t++) {
    const Term<V> T = S.term[t];
    Scalar        a[C], x[C];
    HEPTA_DEVICE_UNROLL
    for (int c = 0; c < C; c++) {
      const Index i = cell(S.up, b, g + c), j = i + T.delta;
      const bool  coupled = g + c < end && j >= b.begin && j < b.end;
      a[c]                = coupled ? Scalar(T.c[i + T.shift]) : Scalar(0);
      x[c]                = coupled ? y[j] : Scalar(0);
    }
    HEPTA_DEVICE_UNROLL
    for (int c = 0; c < C; c++) row[c].value -= a[c] * x[c];
  }
}

} // namespace hepta::blockic

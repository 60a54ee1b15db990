/* The arithmetic of the triangular solver, once, for host and device */
#pragma once

#include "../../mat/bdia/bdia_row.hxx"
#include "../../shared/each.hxx"
#include "../blockic/blockic_pivots.hxx"
#include "bbs_view.hxx"

namespace hepta::bbs
{

/* Row i of D^-1, or of its transpose, times a vector with value(j) in row j */
template <class F> HEPTA_HD Scalar times_inverse(const Vectors &v, Index i, F value)
{
  if (v.bs == 1) return v.inverse[i] * value(i); /* the general case divides integers, which takes longer */
  const Index   r     = i % v.bs;
  const Scalar *block = v.inverse + std::size_t(i / v.bs) * v.bs * v.bs;
  Scalar        sum   = 0;

  for (int s = 0; s < v.bs; s++) sum += block[v.transposed ? r * v.bs + s : s * v.bs + r] * value(i - r + s);
  return sum;
}

/* f_i of right-hand side k */
HEPTA_HD Scalar right_hand_side(const Vectors &v, int k, Index i)
{
  const Scalar *b = v.b + k * v.ldb;

  if (v.scaling != Scaling::before) return b[v.in ? v.in[i] : i];
  return times_inverse(v, i, [&](Index c) { return b[v.in ? v.in[c] : c]; });
}

/* x_i of vector k <- from the solution of the unit triangular system, of which y(j) is row j */
template <class Y> HEPTA_HD void store_solution(const Vectors &v, int k, Index i, Y y)
{
  v.x[k * v.ldx + (v.out ? v.out[i] : i)] = v.scaling == Scaling::after ? times_inverse(v, i, y) : y(i);
}

/* The place of block column c in row m, or -1 */
HEPTA_HD Index find_column(const Blocks &B, Index m, Index c)
{
  Index p = B.i[m], stop = B.i[m + 1];

  while (p < stop) {
    const Index mid = p + (stop - p) / 2;
    if (B.j[mid] < c) p = mid + 1;
    else stop = mid;
  }
  return p < B.i[m + 1] && B.j[p] == c ? p : -1;
}

/* The team of threads that eliminates a row, on the host one thread. place: of each block column in this row, or -1 */
struct SingleThread {
  static constexpr int lane = 0, lanes = 1;
  const Index         *place = nullptr;

  HEPTA_HD void   sync() const {}
  HEPTA_HD void   wait(Index) const {}
  HEPTA_HD Scalar sum(Scalar a) const { return a; }
  HEPTA_HD Index  find(const Blocks &, Index, Index c) const { return place[c]; }
};

/* Entry e of the product of two blocks by columns */
HEPTA_HD Scalar product_entry(int bs, const Scalar *a, const Scalar *b, int e)
{
  const int r = e % bs, s = e / bs;
  Scalar    sum = 0;

  for (int q = 0; q < bs; q++) sum += a[q * bs + r] * b[s * bs + q];
  return sum;
}

/*
   -n_ij, an entry that a solve takes, from value p of the blocks: minus that value, or with `scale` minus the entry of a block of L D times D^-1; 0
   for p < 0
*/
HEPTA_HD Scalar solve_value(const Blocks &B, bool scale, Index p)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;

  if (p < 0) return 0;
  return scale ? -product_entry(B.bs, B.w + p / block * block, B.inverse + B.j[p / block] * block, int(p % block)) : -B.w[p];
}

/* a_mj -= a_mk u_kj for each block j that both rows have; a_mk is block p */
template <class Team> HEPTA_HD void subtract_row(const Blocks &B, const Team &t, Index m, Index p)
{
  const Index       k = B.j[p], first = B.diag[k] + 1, count = B.i[k + 1] - first;
  const std::size_t block = std::size_t(B.bs) * B.bs;

  for (std::size_t n = t.lane; n < count * block; n += t.lanes) {
    const Index q      = first + Index(n / block);
    const Index target = t.find(B, m, B.j[q]);
    if (target >= 0) B.w[target * block + n % block] -= product_entry(B.bs, B.w + p * block, B.w + q * block, int(n % block));
  }
  t.sync();
}

/* The inverse of a scalar pivot; row_sum: the sum of |l_ik| and |u_ij| of its row */
HEPTA_HD Scalar invert_pivot(Scalar a, Scalar row_sum, const PivotRule &rule, bool *good, bool *replaced)
{
  const Scalar bound = rule.relative ? rule.tolerance * row_sum : rule.tolerance;

  *replaced = false;
  *good     = (rule.positive ? a : magnitude(a)) > bound || a != a; /* NaN is noted elsewhere */
  if (!*good && rule.replace) {
    a += rule.amount;
    *good = *replaced = true;
  }
  return 1 / a;
}

/* D^-1 of block row m by one thread */
HEPTA_HD void invert_diagonal(const Blocks &B, Index m, Scalar row_sum, const PivotRule &rule, FactorReport *report)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;
  Scalar           *d = B.w + B.diag[m] * block, *inverse = B.inverse + m * block;
  bool              good = true, replaced = false;
  Index             column = 0;

  if (B.bs == 1) inverse[0] = invert_pivot(d[0], row_sum, rule, &good, &replaced);
  for (int tries = 0; B.bs > 1 && tries < (rule.replace ? 2 : 1); tries++) {
    Scalar largest = 0;
    for (std::size_t e = 0; e < block; e++) {
      inverse[e] = d[e] + (tries && e % (B.bs + 1) == 0 ? rule.amount : Scalar(0));
      if (magnitude(inverse[e]) > largest) largest = magnitude(inverse[e]);
    }
    column   = blocked::invert_block(B.bs, inverse, std::size_t(B.bs), B.pivot + std::size_t(m) * B.bs, largest * rule.tolerance);
    good     = column < 0;
    replaced = good && tries;
    if (good) break;
  }
  if (!good) note_first(&report->bad, (long long)m * B.bs + (B.bs > 1 ? column : 0));
  if (replaced) note_one(&report->replaced);
  for (std::size_t e = 0; e < block; e++) {
    if (good && !(finite(inverse[e]) && finite(d[e]))) note_first(&report->infinite, (long long)m * B.bs + Index(e % B.bs));
  }
}

/* This thread's part of the sum of |l_mk| and |u_mj|; for bs 1 */
template <class Team> HEPTA_HD Scalar row_size(const Blocks &B, const Team &t, Index m, bool symmetric)
{
  Scalar sum = 0;

  for (Index p = B.i[m] + t.lane; p < B.i[m + 1]; p += t.lanes) {
    if (p == B.diag[m] || (symmetric && p < B.diag[m])) continue;
    sum += magnitude(p < B.diag[m] ? B.w[p] * B.inverse[B.j[p]] : B.w[p]);
  }
  return sum;
}

HEPTA_HD void note_infinite(FactorReport *report, long long row)
{
  note_first(&report->infinite, row);
}

HEPTA_HD void note_infinite(blockic::Report *report, long long row)
{
  note_least(&report->infinite, row);
}

/* Notes the row of a value that is not finite */
template <class Team, class R> HEPTA_HD void check_row(const Blocks &B, const Team &t, Index m, R *report)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;

  for (std::size_t n = B.i[m] * block + t.lane; n < B.i[m + 1] * block; n += t.lanes) {
    if (!finite(B.w[n])) note_infinite(report, (long long)m * B.bs + Index(n % B.bs));
  }
}

/* U_m <- D_m^-1 U_m, or the part below the diagonal */
template <class Team> HEPTA_HD void scale_row(const Blocks &B, const Team &t, Index m, Index first, Index end)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;

  if (B.bs == 1) {
    for (Index q = first + t.lane; q < end; q += t.lanes) B.w[q] *= B.inverse[m];
    t.sync();
    return;
  }
  for (Index q = first; q < end; q++) {
    for (std::size_t e = t.lane; e < block; e += t.lanes) B.scratch[m * block + e] = product_entry(B.bs, B.inverse + m * block, B.w + q * block, int(e));
    t.sync();
    for (std::size_t e = t.lane; e < block; e += t.lanes) B.w[q * block + e] = B.scratch[m * block + e];
    t.sync();
  }
}

/*
   Row m of the factorization, with L still times D: a_ij <- a_ij - sum_k a_ik u_kj over the pattern, then D_m^-1 and U's row.
   The rows k < m of the pattern are waited for.
*/
template <class Team> HEPTA_HD void eliminate_row(const Blocks &B, const Team &t, Index m, const PivotRule &rule, FactorReport *report)
{
  for (Index p = B.i[m]; p < B.diag[m]; p++) {
    t.wait(B.j[p]);
    subtract_row(B, t, m, p);
  }
  const Scalar size = B.bs == 1 && rule.relative ? t.sum(row_size(B, t, m, rule.symmetric)) : Scalar(0);
  if (t.lane == 0) invert_diagonal(B, m, size, rule, report);
  t.sync();
  scale_row(B, t, m, B.diag[m] + 1, B.i[m + 1]);
  check_row(B, t, m, report);
}

/* Row m of a triangular matrix: D_m^-1 times its part above (upper) or below the diagonal */
template <class Team> HEPTA_HD void scale_row_of(const Blocks &B, const Team &t, Index m, bool upper, const PivotRule &rule, FactorReport *report)
{
  check_row(B, t, m, report);
  if (t.lane == 0) invert_diagonal(B, m, Scalar(0), rule, report);
  t.sync();
  scale_row(B, t, m, upper ? B.diag[m] + 1 : B.i[m], upper ? B.i[m + 1] : B.diag[m]);
}

/*
   The bounds that PC blockic sets to the pivots of block row m (see its thresholds()): least[r], |a_rr| before, <- what the pivot of row r must
   exceed. One thread calls.
*/
HEPTA_HD void find_bounds(const Blocks &B, Index m, const blockic::Pivots &rule, Scalar *least, blockic::Report *report)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;

  for (int r = 0; r < B.bs; r++) {
    Scalar sum = 0, own = 0;
    for (Index p = rule.symmetric ? B.diag[m] + 1 : B.i[m]; p < B.i[m + 1]; p++) {
      for (int s = 0; s < B.bs && p != B.diag[m]; s++) sum += magnitude(p < B.diag[m] ? product_entry(B.bs, B.w + p * block, B.inverse + B.j[p] * block, s * B.bs + r) : B.w[p * block + s * B.bs + r]);
    }
    for (int s = 0; s < B.bs; s++) own += magnitude(B.w[B.diag[m] * block + s * B.bs + r]);
    if (!finite(sum) || !finite(own)) note_least(&report->infinite, (long long)m * B.bs + r);
    least[r] = rule.tolerance * (sum > least[r] ? sum : least[r]);
  }
}

/* The same with the pivots of PC blockic */
template <class Team> HEPTA_HD void eliminate_row(const Blocks &B, const Team &t, Index m, const blockic::Pivots &rule, blockic::Report *report)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;
  Scalar           *d = B.w + B.diag[m] * block, *inverse = B.inverse + m * block, own, *least = B.bs == 1 ? &own : B.scratch + m * block;

  for (int r = 0; r < B.bs && t.lane == 0; r++) least[r] = magnitude(d[r * (B.bs + 1)]);
  for (Index p = B.i[m]; p < B.diag[m]; p++) {
    t.wait(B.j[p]);
    subtract_row(B, t, m, p);
  }
  if (t.lane == 0) {
    find_bounds(B, m, rule, least, report);
    for (std::size_t e = 0; e < block; e++) inverse[e] = d[e];
    blockic::invert(B.bs, inverse, least, B.bs == 1 || rule.positive ? nullptr : least + B.bs, m, rule, report);
    for (std::size_t e = 0; e < block; e++) {
      if (!finite(inverse[e])) note_infinite(report, (long long)m * B.bs + Index(e % B.bs));
    }
  }
  t.sync();
  scale_row(B, t, m, B.diag[m] + 1, B.i[m + 1]);
  check_row(B, t, m, report);
}

/* Launchers of bbs_kernels.hxx that are loops over independent items */
template <class E, class V> Status gather(const E &each, std::size_t n, const Index *from, const V *v, Scalar *w)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t e) { w[e] = !from ? Scalar(v[e]) : from[e] < 0 ? Scalar(0) : Scalar(v[from[e]]); });
}

template <class E> Status add_to_diagonal(const E &each, const Blocks &B, Scalar amount)
{
  return each(std::size_t(B.n) * B.bs, [=] HEPTA_LAMBDA(std::size_t i) { B.w[B.diag[i / B.bs] * std::size_t(B.bs) * B.bs + (i % B.bs) * (B.bs + 1)] += amount; });
}

} // namespace hepta::bbs

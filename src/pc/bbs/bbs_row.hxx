/* The arithmetic of the triangular solver, once, for host and device */
#pragma once

#include <cstring>

#include "../factor/pivots.hxx"
#include "bbs_kernels.hxx"

namespace hepta::bbs
{

/* Row i of D^-1, or of its transpose, times a vector with value(j) in row j */
template <class F> HEPTA_HD Scalar times_inverse(const Vectors &v, Index i, F value)
{
  if (v.bs == 1) return v.inverse[i] * value(i); /* the general case has a slow integer division */
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

/* Stores x_i of vector k, from the solution of the unit triangular system, whose row j is y(j) */
template <class Y> HEPTA_HD void store_solution(const Vectors &v, int k, Index i, Y y)
{
  v.x[k * v.ldx + (v.out ? v.out[i] : i)] = v.scaling == Scaling::after ? times_inverse(v, i, y) : y(i);
}

constexpr unsigned long long infinite_bits = 0x7ff0000000000000ULL; /* of Inf in double precision */

/*
   The power of two near the largest finite |f_i| of vector k, or its reciprocal: floats hold the quotients, whatever the size of
   the vector. The exponent is such that neither the power nor its reciprocal overflows.
*/
HEPTA_HD double power_of(const Vectors &v, int k, bool reciprocal)
{
  const unsigned long long e = v.largest[k] >> 52, least = e < 1 ? 1 : e, exponent = least > 2045 ? 2045 : least,
                           bits = (reciprocal ? 2046 - exponent : exponent) << 52;
  double d;

  memcpy(&d, &bits, sizeof(d));
  return d;
}

/* f_i of vector k for a solve in type V */
template <class V> HEPTA_HD V input(const Vectors &v, int k, Index i)
{
  const Scalar f = right_hand_side(v, k, i);

  if constexpr (sizeof(V) < sizeof(Scalar)) return V(f * power_of(v, k, true));
  else return f;
}

/* What input() has scaled, with its size again */
template <class V> HEPTA_HD Scalar output(const Vectors &v, int k, V y)
{
  if constexpr (sizeof(V) < sizeof(Scalar)) return Scalar(y * power_of(v, k, false));
  else return y;
}

/* The position of block column c in row m, or -1 */
HEPTA_HD Index find_column(const Blocks &B, Index m, Index c)
{
  const Index p = B.i[m] + first_above(B.i[m + 1] - B.i[m], [&](Index k) { return B.j[B.i[m] + k] >= c; });
  return p < B.i[m + 1] && B.j[p] == c ? p : -1;
}

/* The team that eliminates a row: on the host one thread. position: of each block column in this row, or -1 */
struct SingleThread {
  static constexpr int lane = 0, lanes = 1;
  const Index         *position = nullptr;

  HEPTA_HD void   sync() const {}
  HEPTA_HD void   wait(Index) const {}
  HEPTA_HD void   publish(Index) const {}
  HEPTA_HD Scalar sum(Scalar a) const { return a; }
  HEPTA_HD Index  find(const Blocks &, Index, Index c) const { return position[c]; }
};

/* Entry (r, s) of the product of two blocks by columns */
HEPTA_HD Scalar product_entry(int bs, const Scalar *a, const Scalar *b, int r, int s)
{
  Scalar sum = 0;

  for (int q = 0; q < bs; q++) sum += a[q * bs + r] * b[s * bs + q];
  return sum;
}

/* Entry e of the product, by columns */
HEPTA_HD Scalar product_entry(int bs, const Scalar *a, const Scalar *b, int e)
{
  return product_entry(bs, a, b, e % bs, e / bs);
}

/*
   The entry -n_ij of a solve from value p of the blocks: minus the value; with `scale` minus the entry of L = (L D) D^-1, the
   block being L D; 0 for p < 0
*/
HEPTA_HD Scalar solve_value(const Blocks &B, bool scale, Index p)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;

  if (p < 0) return 0;
  return scale ? -product_entry(B.bs, B.w + p / block * block, B.inverse + B.j[p / block] * block, int(p % block)) : -B.w[p];
}

/*
   a_mj -= a_mk u_kj for each block column j of both rows; a_mk is block p. Before the team waits for row k, it finds the targets
   of row k's first blocks, which depend on the pattern only.
*/
template <class Team> HEPTA_HD void subtract_row(const Blocks &B, const Team &t, Index m, Index p)
{
  const Index       k = B.j[p], first = B.diag[k] + 1, count = B.i[k + 1] - first;
  const std::size_t block = std::size_t(B.bs) * B.bs, all = count * block;
  const auto        find   = [&](std::size_t n) { return n < all ? t.find(B, m, B.j[first + Index(n / block)]) : -1; };
  Index             target = find(t.lane);

  t.wait(k);
  for (std::size_t n = t.lane; n < all;) {
    const Scalar *u = B.w + (first + Index(n / block)) * block;
    if (target >= 0) B.w[target * block + n % block] -= product_entry(B.bs, B.w + p * block, u, int(n % block));
    n += t.lanes;
    target = find(n);
  }
  t.sync();
}

/* The sum of the magnitudes in row r of block row m of L and U, or of U only if `symmetric`; all threads of the team get it */
template <class Team> HEPTA_HD Scalar row_size(const Blocks &B, const Team &t, Index m, int r, bool symmetric)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;
  Scalar            sum   = 0;

  for (Index p = (symmetric ? B.diag[m] + 1 : B.i[m]) + t.lane; p < B.i[m + 1]; p += t.lanes) {
    for (int s = 0; s < B.bs && p != B.diag[m]; s++)
      sum += magnitude(p < B.diag[m] ? product_entry(B.bs, B.w + p * block, B.inverse + B.j[p] * block, r, s)
                                     : B.w[p * block + s * B.bs + r]);
  }
  return t.sum(sum);
}

/* bounds[r] <- the bound for the pivot of row r of block row m; for Bound::largest bounds[r] must be |a_rr| before the call */
template <class Team>
HEPTA_HD void find_bounds(const Blocks &B, const Team &t, Index m, const factor::PivotRule &rule, Scalar *bounds,
                          factor::Report *report)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;
  Scalar            size  = B.bs > 1 ? 0 : 1;

  for (std::size_t e = 0; e < block && B.bs > 1 && rule.bound == factor::Bound::fixed; e++) {
    const Scalar a = magnitude(B.w[B.diag[m] * block + e]);
    size           = a > size ? a : size;
  }
  for (int r = 0; r < B.bs; r++) {
    if (rule.bound != factor::Bound::fixed) size = row_size(B, t, m, r, rule.symmetric);
    if (t.lane != 0) continue;
    if (!finite(size) && rule.bound != factor::Bound::fixed) note_first(&report->infinite, (long long)m * B.bs + r);
    bounds[r] = rule.tolerance * (rule.bound == factor::Bound::largest && bounds[r] > size ? bounds[r] : size);
  }
}

/* Inverts the diagonal block of block row m; bounds as for find_bounds() */
template <class Team>
HEPTA_HD void invert_diagonal(const Blocks &B, const Team &t, Index m, const factor::PivotRule &rule, Scalar *bounds,
                              factor::Report *report)
{
  const std::size_t block   = std::size_t(B.bs) * B.bs;
  Scalar           *inverse = B.inverse + m * block;
  const long long   row     = (long long)m * B.bs;

  find_bounds(B, t, m, rule, bounds, report);
  if (t.lane == 0) {
    for (std::size_t e = 0; e < block; e++) inverse[e] = B.w[B.diag[m] * block + e];
    if (B.bs == 1) {
      (void)factor::check_pivot(rule, bounds[0], row, inverse, report);
      inverse[0] = 1 / inverse[0];
    } else if (factor::invert_pivots(rule, B.bs, inverse, bounds, rule.positive ? nullptr : B.pivot + row, row, report)) {
      for (std::size_t e = 0; e < block; e++) {
        if (!finite(inverse[e])) note_first(&report->infinite, row + Index(e % B.bs));
      }
    }
  }
  t.sync();
}

/* Reports the row if it has a value that is not finite */
template <class Team> HEPTA_HD void check_row(const Blocks &B, const Team &t, Index m, factor::Report *report)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;

  for (std::size_t n = B.i[m] * block + t.lane; n < B.i[m + 1] * block; n += t.lanes) {
    if (!finite(B.w[n])) note_first(&report->infinite, (long long)m * B.bs + Index(n % B.bs));
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
    for (std::size_t e = t.lane; e < block; e += t.lanes)
      B.scratch[m * block + e] = product_entry(B.bs, B.inverse + m * block, B.w + q * block, int(e));
    t.sync();
    for (std::size_t e = t.lane; e < block; e += t.lanes) B.w[q * block + e] = B.scratch[m * block + e];
    t.sync();
  }
}

/*
   Row m of the factorization, with L still times D: a_ij <- a_ij - sum_k a_ik u_kj over the pattern, then D_m^-1 and U's row.
   Waits for the rows k < m of the pattern. Publishes row m before check_row(), because other rows wait for row m.
*/
template <class Team>
HEPTA_HD void eliminate_row(const Blocks &B, const Team &t, Index m, const factor::PivotRule &rule, factor::Report *report)
{
  const std::size_t block = std::size_t(B.bs) * B.bs;
  Scalar            own, *bounds = B.bs == 1 ? &own : B.scratch + m * block;

  for (int r = 0; r < B.bs && t.lane == 0; r++) bounds[r] = magnitude(B.w[B.diag[m] * block + r * (B.bs + 1)]);
  for (Index p = B.i[m]; p < B.diag[m]; p++) subtract_row(B, t, m, p);
  invert_diagonal(B, t, m, rule, bounds, report);
  scale_row(B, t, m, B.diag[m] + 1, B.i[m + 1]);
  t.publish(m);
  check_row(B, t, m, report);
}

/* Row m of a triangular matrix: D_m^-1 times its part above (upper) or below the diagonal */
template <class Team>
HEPTA_HD void scale_row_of(const Blocks &B, const Team &t, Index m, bool upper, const factor::PivotRule &rule,
                           factor::Report *report)
{
  Scalar own, *bounds = B.bs == 1 ? &own : B.scratch + std::size_t(m) * B.bs * B.bs;

  check_row(B, t, m, report);
  invert_diagonal(B, t, m, rule, bounds, report);
  scale_row(B, t, m, upper ? B.diag[m] + 1 : B.i[m], upper ? B.i[m + 1] : B.diag[m]);
}

template <class V> HEPTA_HD V &value_at(V *value, std::size_t e)
{
  return value[e];
}

template <class V> HEPTA_HD V &value_at(Entry<V> *entry, std::size_t e)
{
  return entry[e / 2].val[e % 2];
}

/* The scalar row of value p of the blocks */
HEPTA_HD long long row_of_value(const Blocks &B, Index p)
{
  const Index q = p / Index(B.bs * B.bs), m = first_above(B.n, [&](Index r) { return B.i[r + 1] > q; });

  return (long long)m * B.bs + p % B.bs;
}

/* Launchers of bbs_kernels.hxx */
template <class E, class T>
Status fill(const E &each, std::size_t n, const Index *from, const Blocks &B, bool scale, T *to, long long *overflow)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t e) {
    const Scalar a     = solve_value(B, scale, from[e]);
    auto        &value = value_at(to, e);
    value              = std::decay_t<decltype(value)>(a);
    if (overflow && !finite(value)) note_first(overflow, row_of_value(B, from[e]));
  });
}

template <class E> Status add_to_diagonal(const E &each, const Blocks &B, Scalar amount)
{
  return each(std::size_t(B.n) * B.bs, [=] HEPTA_LAMBDA(std::size_t i) {
    B.w[B.diag[i / B.bs] * std::size_t(B.bs) * B.bs + (i % B.bs) * (B.bs + 1)] += amount;
  });
}

} // namespace hepta::bbs

/* The arithmetic that blocked matrices share whatever their local part, once, for host and device. */
#pragma once

#include "blocked_view.hxx"

namespace hepta::blocked
{

/*
   a <- a^-1 in place for one n x n block, a[r + s*ld], by Gauss-Jordan elimination with row exchanges kept in pivot[n].
   Returns the first column whose pivot is not larger than `least` (then a is spoiled), -1 if there is none.
*/
HEPTA_HD Index invert_block(Index n, Scalar *a, std::size_t ld, Index *pivot, Scalar least = 0)
{
  for (Index k = 0; k < n; k++) {
    Index p = k;

    for (Index r = k + 1; r < n; r++) {
      const Scalar x = a[r + k * ld], y = a[p + k * ld];
      if ((x < 0 ? -x : x) > (y < 0 ? -y : y)) p = r;
    }
    if (!(a[p + k * ld] > least || a[p + k * ld] < -least)) return k;
    pivot[k]             = p;
    const Scalar inverse = 1 / a[p + k * ld];
    for (Index s = 0; s < n; s++) { /* row exchange, then row k / pivot; column k becomes that of the identity */
      const Scalar t = a[p + s * ld];
      a[p + s * ld]  = a[k + s * ld];
      a[k + s * ld]  = (s == k ? Scalar(1) : t) * inverse;
    }
    for (Index r = 0; r < n; r++) {
      if (r == k) continue;
      const Scalar f = a[r + k * ld];
      a[r + k * ld]  = 0;
      for (Index s = 0; s < n; s++) a[r + s * ld] -= f * a[k + s * ld];
    }
  }
  for (Index k = n - 1; k >= 0; k--) { /* row exchanges of a are column exchanges of its inverse */
    for (Index r = 0; r < n && pivot[k] != k; r++) {
      const Scalar t       = a[r + k * ld];
      a[r + k * ld]        = a[r + pivot[k] * ld];
      a[r + pivot[k] * ld] = t;
    }
  }
  return -1;
}

/* Calls f(ghost column, slot) for row r of border block row b of the ghost part: its blocks first, first + step, ... */
template <class V, class F> HEPTA_HD void for_ghost_row(const GhostView<V> &B, Index b, Index r, F f, Index first = 0, Index step = 1)
{
  for (Index k = first; k < B.width && b < B.start[k + 1] - B.start[k]; k += step) {
    const Index q = B.start[k] + b, c = B.col[q];
    for (int s = 0; s < B.bs; s++) f(c * B.bs + s, s * B.ld + std::size_t(q) * B.bs + r);
  }
}

/* (B xg) for row r of border block row b of the ghost part, or the share of its blocks first, first + step, ... */
template <class V> HEPTA_HD Scalar ghost_row(const GhostView<V> &B, Index b, Index r, const Scalar *xg, Index first = 0, Index step = 1)
{
  Scalar sum = 0;

  for_ghost_row(
    B, b, r, [&](Index j, std::size_t at) { sum += Scalar(B.v[at]) * xg[j]; }, first, step);
  return sum;
}

/* Calls f(local row, slot) for column s of ghost block column c */
template <class V, class F> HEPTA_HD void for_ghost_column(const GhostView<V> &B, Index c, Index s, F f)
{
  for (Index p = B.first[c]; p < B.first[c + 1]; p++) {
    const Index q = B.place[p];
    for (int r = 0; r < B.bs; r++) f(B.line[q] * B.bs + r, s * B.ld + std::size_t(q) * B.bs + r);
  }
}

/* (B^T x) for column s of ghost block column c */
template <class V> HEPTA_HD Scalar ghost_column(const GhostView<V> &B, Index c, Index s, const Scalar *x)
{
  Scalar sum = 0;

  for_ghost_column(B, c, s, [&](Index i, std::size_t at) { sum += Scalar(B.v[at]) * x[i]; });
  return sum;
}

/* |a| or a^2, as the norm wants it */
HEPTA_HD Scalar norm_term(Norm type, Scalar a)
{
  return type == Norm::frobenius ? a * a : a < 0 ? -a : a;
}

/* The value of a COO place: the sum of the values perm[begin .. end), given ones w[p] first, arrived ones r[p - n] beyond */
HEPTA_HD Scalar coo_sum(const std::size_t *perm, std::size_t begin, std::size_t end, std::size_t n, const Scalar *w, const Scalar *r)
{
  Scalar sum = 0;

  for (std::size_t k = begin; k < end; k++) sum += perm[k] < n ? (w ? w[perm[k]] : Scalar(0)) : r[perm[k] - n];
  return sum;
}

} // namespace hepta::blocked

/* The arithmetic of a bdia matrix, once, for host and device. */
#pragma once

#include "bdia_view.hxx"

namespace hepta::bdia
{

/* The slot of row m*bs + r, column s of the block on diagonal d */
template <class V> HEPTA_HD std::size_t slot(const View<V> &A, int d, Index m, Index r, Index s)
{
  return (std::size_t(d) * A.bs + s) * A.ld + std::size_t(m) * A.bs + r;
}

/* First diagonal with off[d] >= bound: the offsets are few, a linear search is short */
template <class V> HEPTA_HD int first_offset(const View<V> &A, Index bound)
{
  int d = 0;
  while (d < A.nd && A.off[d] < bound) d++;
  return d;
}

/*
   sum over d in [d0, d1), s of v[(d*bs + s)*ld + i] * x[(m + off[d])*bs + s], i = m*bs + r; the blocks must lie inside
   the matrix. BS = 0 reads the block size at run time.
*/
template <int BS, class V> HEPTA_HD Scalar row_sum(const View<V> &A, Index m, Index r, int d0, int d1, const Scalar *x)
{
  const int bs  = BS > 0 ? BS : A.bs;
  Scalar    sum = 0;

  for (int d = d0; d < d1; d++) {
    const V      *v  = A.v + std::size_t(d) * bs * A.ld + std::size_t(m) * bs + r;
    const Scalar *xb = x + std::size_t(m + A.off[d]) * bs;

    for (int s = 0; s < bs; s++) sum += Scalar(v[s * A.ld]) * xb[s];
  }
  return sum;
}

/*
   Column form, for A^T: sum over d in [d0, d1), r of v[(d*bs + s)*ld + (c - off[d])*bs + r] * x[(c - off[d])*bs + r] for
   column j = c*bs + s.
*/
template <int BS, class V> HEPTA_HD Scalar column_sum(const View<V> &A, Index c, Index s, int d0, int d1, const Scalar *x)
{
  const int bs  = BS > 0 ? BS : A.bs;
  Scalar    sum = 0;

  for (int d = d0; d < d1; d++) {
    const std::size_t at = std::size_t(c - A.off[d]) * bs;
    const V          *v  = A.v + (std::size_t(d) * bs + s) * A.ld + at;

    for (int r = 0; r < bs; r++) sum += Scalar(v[r]) * x[at + r];
  }
  return sum;
}

/* Diagonals whose block of block row m lies inside the matrix: [d0, d1), since 0 <= m + off[d] < nbc and off ascends */
template <class V> HEPTA_HD void row_range(const View<V> &A, Index m, int &d0, int &d1)
{
  d0 = first_offset(A, -m);
  d1 = first_offset(A, A.nbc - m);
}

/* Diagonals whose block of block column c lies inside: 0 <= c - off[d] < nbr */
template <class V> HEPTA_HD void column_range(const View<V> &A, Index c, int &d0, int &d1)
{
  d0 = first_offset(A, c - A.nbr + 1);
  d1 = first_offset(A, c + 1);
}

/* (A x)_i for one row i = m*bs + r, full or half storage */
template <int BS, class V> HEPTA_HD Scalar row(const View<V> &A, Index m, Index r, const Scalar *x)
{
  int    d0, d1;
  Scalar sum = 0;

  if (A.half) { /* the mirrored lower half: column r of the blocks above; offset 0 is stored whole */
    column_range(A, m, d0, d1);
    sum = column_sum<BS>(A, m, r, A.nd && A.off[0] == 0 && d0 == 0 ? 1 : d0, d1, x);
  }
  row_range(A, m, d0, d1);
  return sum + row_sum<BS>(A, m, r, d0, d1, x);
}

/* (A^T x)_j for one column j = c*bs + s of a fully stored matrix */
template <int BS, class V> HEPTA_HD Scalar column(const View<V> &A, Index c, Index s, const Scalar *x)
{
  int d0, d1;

  column_range(A, c, d0, d1);
  return column_sum<BS>(A, c, s, d0, d1, x);
}

/* Calls f(j, slot) for every stored slot of row m*bs + r inside the matrix, columns ascending */
template <class V, class F> HEPTA_HD void for_stored_row(const View<V> &A, Index m, Index r, F f)
{
  int d0, d1;

  row_range(A, m, d0, d1);
  for (int d = d0; d < d1; d++) {
    for (Index s = 0; s < A.bs; s++) f((m + A.off[d]) * A.bs + s, slot(A, d, m, r, s));
  }
}

/* The same with the mirrored half */
template <class V, class F> HEPTA_HD void for_row(const View<V> &A, Index m, Index r, F f)
{
  if (A.half) {
    int d0, d1;
    column_range(A, m, d0, d1);
    for (int d = d1 - 1; d >= d0 && A.off[d] > 0; d--) {
      const Index c = m - A.off[d];
      for (Index s = 0; s < A.bs; s++) f(c * A.bs + s, slot(A, d, c, s, r));
    }
  }
  for_stored_row(A, m, r, f);
}

/* Calls f(i, slot) for every slot of column c*bs + s of a fully stored matrix */
template <class V, class F> HEPTA_HD void for_column(const View<V> &A, Index c, Index s, F f)
{
  int d0, d1;

  column_range(A, c, d0, d1);
  for (int d = d0; d < d1; d++) {
    const Index m = c - A.off[d];
    for (Index r = 0; r < A.bs; r++) f(m * A.bs + r, slot(A, d, m, r, s));
  }
}

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

/* Calls f(ghost column, slot) for row r of border block row b of the ghost part */
template <class V, class F> HEPTA_HD void for_ghost_row(const GhostView<V> &B, Index b, Index r, F f)
{
  for (int k = 0; k < B.width; k++) {
    const Index c = B.col[std::size_t(k) * B.nb + b];
    if (c < 0) continue;
    for (int s = 0; s < B.bs; s++) f(c * B.bs + s, (std::size_t(k) * B.bs + s) * B.ld + std::size_t(b) * B.bs + r);
  }
}

/* (B xg) for row r of border block row b of the ghost part */
template <class V> HEPTA_HD Scalar ghost_row(const GhostView<V> &B, Index b, Index r, const Scalar *xg)
{
  Scalar sum = 0;

  for_ghost_row(B, b, r, [&](Index j, std::size_t at) { sum += Scalar(B.v[at]) * xg[j]; });
  return sum;
}

/* Calls f(local row, slot) for column s of ghost block column c */
template <class V, class F> HEPTA_HD void for_ghost_column(const GhostView<V> &B, Index c, Index s, F f)
{
  for (Index p = B.first[c]; p < B.first[c + 1]; p++) {
    const Index k = B.place[p] / B.nb, b = B.place[p] % B.nb;
    for (int r = 0; r < B.bs; r++) f(B.row[b] * B.bs + r, (std::size_t(k) * B.bs + s) * B.ld + std::size_t(b) * B.bs + r);
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

} // namespace hepta::bdia

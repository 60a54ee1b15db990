/*
   The slots of a bdia matrix, for host and device, and the sums of host products; the sums of device products are in
   bdia_product.cuh
*/
#pragma once

#include "../blocked/blocked_row.hxx"
#include "bdia_view.hxx"

namespace hepta::bdia
{

/* The slot of row m*bs + r, column s of the block on diagonal d */
template <class V> HEPTA_HD std::size_t slot(const View<V> &A, int d, Index m, Index r, Index s)
{
  return (std::size_t(d) * A.bs + s) * A.ld + std::size_t(m) * A.bs + r;
}

/* The slot of entry (i, j), whose block offset is stored; full storage */
template <class V> HEPTA_HD std::size_t find_slot(const View<V> &A, Index i, Index j)
{
  const Index o = j / A.bs - i / A.bs;
  int         d = 0;

  while (d + 1 < A.nd && A.off[d] != o) d++;
  return slot(A, d, i / A.bs, i % A.bs, j % A.bs);
}

/* The first diagonal with off[d] >= bound; a linear search is fast enough for the few offsets */
template <class V> HEPTA_HD int first_offset(const View<V> &A, Index bound)
{
  int d = 0;
  while (d < A.nd && A.off[d] < bound) d++;
  return d;
}

/*
   sum over d in [d0, d1), s of v[(d*bs + s)*ld + i] * x[(m + off[d])*bs + s], i = m*bs + r; the blocks must lie inside
   the matrix. BS is the block size, or 0 if it is known only at run time.
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

/* [d0, d1) <- the diagonals whose block in block row m lies inside the matrix, since 0 <= m + off[d] < nbc and off ascends */
template <class V> HEPTA_HD void row_range(const View<V> &A, Index m, int &d0, int &d1)
{
  d0 = first_offset(A, -m);
  d1 = first_offset(A, A.nbc - m);
}

/* [d0, d1) <- the diagonals whose block in block column c lies inside the matrix: 0 <= c - off[d] < nbr */
template <class V> HEPTA_HD void column_range(const View<V> &A, Index c, int &d0, int &d1)
{
  d0 = first_offset(A, c - A.nbr + 1);
  d1 = first_offset(A, c + 1);
}

/* Functions as in blocked_row.hxx */

template <class V> HEPTA_HD std::size_t main_slot(const View<V> &A, int main, Index i)
{
  return main >= 0 && i / A.bs < A.nbc ? slot(A, main, i / A.bs, i % A.bs, i % A.bs) : no_slot;
}

template <class V, class F> HEPTA_HD void for_stored_row(const View<V> &A, Index i, F f)
{
  const Index m = i / A.bs, r = i % A.bs;
  int         d0, d1;

  row_range(A, m, d0, d1);
  for (int d = d0; d < d1; d++) {
    for (Index s = 0; s < A.bs; s++) f((m + A.off[d]) * A.bs + s, slot(A, d, m, r, s));
  }
}

template <class V, class F> HEPTA_HD void for_row(const View<V> &A, Index i, F f)
{
  if (A.half) {
    const Index m = i / A.bs, r = i % A.bs;
    int         d0, d1;
    column_range(A, m, d0, d1);
    for (int d = d1 - 1; d >= d0 && A.off[d] > 0; d--) {
      const Index c = m - A.off[d];
      for (Index s = 0; s < A.bs; s++) f(c * A.bs + s, slot(A, d, c, s, r));
    }
  }
  for_stored_row(A, i, f);
}

template <class V, class F> HEPTA_HD void for_column(const View<V> &A, Index j, F f)
{
  const Index c = j / A.bs, s = j % A.bs;
  int         d0, d1;

  if (A.half) return for_row(A, j, f);
  column_range(A, c, d0, d1);
  for (int d = d0; d < d1; d++) {
    const Index m = c - A.off[d];
    for (Index r = 0; r < A.bs; r++) f(m * A.bs + r, slot(A, d, m, r, s));
  }
}

} // namespace hepta::bdia

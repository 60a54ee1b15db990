/* The arithmetic that blocked matrices of all formats share, once, for host and device. */
#pragma once

#include "blocked_view.hxx"

namespace hepta::blocked
{

/*
   The launchers of stored_launch.hxx take a view A of any part of a matrix, with members

     all_rows(), all_columns()   the rows and columns of the part
     row_of(k)                   the matrix's local row that is the part's row k

   and call functions that stand beside the view:

     for_row(A, k, f)            calls f(column, slot) for every slot of row k inside the matrix and, with half storage, of its
                                 mirrored half, columns ascending
     for_stored_row(A, k, f)     for_row() without the mirrored half
     for_column(A, j, f)         calls f(row, slot) for every slot of column j; not in brow
     main_slot(A, d, i)          the slot of entry (i, i) or no_slot, for d = main_diagonal(A) found on the host, negative if a
                                 slot (i, i) is missing
*/
template <class View, class F> HEPTA_HD void for_stored_row(const View &A, Index k, F f)
{
  for_row(A, k, f);
}

/* Calls f(ghost block column, block) for border block row b of the ghost part: its blocks first, first + step, ... */
template <class V, class F> HEPTA_HD void for_ghost_blocks(const GhostView<V> &B, Index b, F f, Index first = 0, Index step = 1)
{
  for (Index k = first; k < B.width && b < B.start[k + 1] - B.start[k]; k += step) {
    const Index q = B.start[k] + b;
    f(B.col[q], q);
  }
}

/* Calls f(ghost column, slot) for row r of border block row b */
template <class V, class F>
HEPTA_HD void for_ghost_row(const GhostView<V> &B, Index b, Index r, F f, Index first = 0, Index step = 1)
{
  for_ghost_blocks(
    B, b,
    [&](Index c, Index q) {
      for (int s = 0; s < B.bs; s++) f(c * B.bs + s, s * B.ld + std::size_t(q) * B.bs + r);
    },
    first, step);
}

template <class V, class F> HEPTA_HD void for_row(const GhostView<V> &B, Index k, F f)
{
  for_ghost_row(B, k / B.bs, k % B.bs, f);
}

/* (B xg) for row r of border block row b of the ghost part, or the part of the sum over the blocks first, first + step, ... */
template <class V>
HEPTA_HD Scalar ghost_row(const GhostView<V> &B, Index b, Index r, const Scalar *xg, Index first = 0, Index step = 1)
{
  Scalar sum = 0;

  for_ghost_row(B, b, r, [&](Index j, std::size_t at) { sum += Scalar(B.v[at]) * xg[j]; }, first, step);
  return sum;
}

template <class V, class F> HEPTA_HD void for_column(const GhostView<V> &B, Index j, F f)
{
  const Index c = j / B.bs, s = j % B.bs;

  for (Index p = B.first[c]; p < B.first[c + 1]; p++) {
    const Index q = B.by_column[p];
    for (int r = 0; r < B.bs; r++) f(B.line[q] * B.bs + r, s * B.ld + std::size_t(q) * B.bs + r);
  }
}

/* (B^T x) for ghost column j */
template <class V> HEPTA_HD Scalar ghost_column(const GhostView<V> &B, Index j, const Scalar *x)
{
  Scalar sum = 0;

  for_column(B, j, [&](Index i, std::size_t at) { sum += Scalar(B.v[at]) * x[i]; });
  return sum;
}

/* |a| or a^2, the term that a sum of the norm adds up */
HEPTA_HD Scalar norm_term(Norm type, Scalar a)
{
  return type == Norm::frobenius ? a * a : a < 0 ? -a : a;
}

/* a_ij <- 0 where row[i] or col[j] is nonzero; col may be null (no column) */
template <class View> void zero_rows(const View &A, const unsigned char *row, const unsigned char *col)
{
  for (Index k = 0; k < A.all_rows(); k++) {
    const bool whole = row[A.row_of(k)];

    if (!whole && !col) continue;
    for_row(A, k, [&](Index j, std::size_t at) {
      if (whole || col[j]) A.v[at] = 0;
    });
  }
}

/* b_i <- b_i - sum of a_ij x_j over the columns with col[j] nonzero, for the rows with row[i] zero */
template <class View>
void subtract_columns(const View &A, const unsigned char *row, const unsigned char *col, const Scalar *x, Scalar *b)
{
  for (Index k = 0; k < A.all_rows(); k++) {
    const Index i = A.row_of(k);

    if (row[i]) continue;
    for_row(A, k, [&](Index j, std::size_t at) {
      if (col[j]) b[i] -= Scalar(A.v[at]) * x[j];
    });
  }
}

/*
   The value of an entry by COO: the sum of the values perm[begin .. end), w[p] for a given value p < n, r[p - n] for an arrived
   value
*/
HEPTA_HD Scalar coo_sum(const std::size_t *perm, std::size_t begin, std::size_t end, std::size_t n, const Scalar *w,
                        const Scalar *r)
{
  Scalar sum = 0;

  for (std::size_t k = begin; k < end; k++) sum += perm[k] < n ? (w ? w[perm[k]] : Scalar(0)) : r[perm[k] - n];
  return sum;
}

} // namespace hepta::blocked

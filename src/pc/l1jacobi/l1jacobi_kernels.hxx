/*
   Launchers of l1-Jacobi, over Each. Row i of block row m = i / bs has in `block` its entries in the diagonal block, that in column s
   of it at block[m*bs*bs + s*bs + i % bs], and in `sum` the sum of |a_ij| w_ij over the columns j outside of it, w_ij = 1 or
   sqrt |a_ii / a_jj|.
*/
#pragma once

#include "../../mat/bdia/bdia_view.hxx"
#include "../../mat/brow/brow_view.hxx"
#include "../../shared/each.hxx"

namespace hepta::l1jacobi
{

/* The first local rows whose diagonal block has no inverse, with Inf or NaN, and that are not short and dominant: note_first() */
struct Found {
  long long pivot, infinite, other;
};

struct Rows {
  std::size_t n;  /* rows */
  Index       bs; /* block size */
  Scalar     *block, *sum;
  Index      *count; /* entries of each row that are not zero */
  const Scalar *root, *ghost_root; /* sqrt |a_jj| of the local and the ghost columns for w_ij; null: w_ij = 1 */
};

/* d <- sqrt |d| */
template <class E> Status take_roots(const E &, std::size_t n, Scalar *d);
/* The rows of the local part; then the entries of the ghost part are added */
template <class E, class View> Status read_rows(const E &, const View &A, const Rows &r);
template <class E, class V> Status    add_ghosts(const E &, const blocked::GhostView<V> &B, const Rows &r);
/* found->other <- the first row with a_ii <= 0, with sum |a_ij| > a_ii over j != i, but for rounding, or with more than `most`
   entries; for block size 1 */
template <class E> Status note_rows(const E &, const Rows &r, Index most, Found *found);
/* block <- the inverses of the diagonal blocks with sum/2 added to their diagonals; sum is overwritten; pivot: a row index for each row */
template <class E> Status invert(const E &, const Rows &r, Index *pivot, Found *found);
/* z <- M^-1 (x - t), or z + M^-1 (x - t) if `add`, or with M^-T; t may be null: zero. inverse: `block` after invert() */
template <class E> Status apply(const E &, std::size_t n, Index bs, const Scalar *inverse, bool transposed, bool add, const Scalar *x, const Scalar *t, Scalar *z);

} // namespace hepta::l1jacobi

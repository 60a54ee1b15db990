/*
   Launchers of the Incomplete Poisson preconditioner, over Each. With A = L + D + U by blocks, D the block diagonal,

     S_ij = D_i^-1 A_ij, or A_ij D_j^-1 below the diagonal when left_lower
     W_ij = delta_ij - S_ij + sum_k S_ik S_kj, the sum over the pairs of the recipe, off the diagonal only where A_ij is not zero
     M_ij = W_ij D_j^-1 when scale, else W_ij

   gives all variants. Work space for S has three parts: the local block diagonals in M's layout, the ghost blocks in M's layout,
   and the blocks received from other ranks, bs*bs values each, column by column. W has the local and the ghost part.
*/
#pragma once

#include "../../mat/bdia/bdia_view.hxx"
#include "../../mat/brow/brow_view.hxx"
#include "../../shared/each.hxx"

namespace hepta::ip
{

using bdia::View;
using blocked::GhostView;

/*
   The first local row without a pivot, and the first local row with a value of the diagonal block or of M that is not finite; as
   note_first()
*/
struct Found {
  long long pivot, infinite;
};

/* The form of a factor: the scaling of S and M, the kept triangles; pairs: is the factor a product of both triangles? */
struct Form {
  bool left_lower = false, scale = false, keep_lower = true, keep_upper = true, pairs = false;
};

struct Recipe : Form {
  const Index *from;         /* the diagonal of A behind M's diagonal d */
  const Index *first;        /* pairs of M's diagonal d: first[d] ... first[d + 1] - 1 */
  const Index *left, *right; /* diagonals of S whose offsets add up to the offset of d */
};

/* Work space, as above */
struct Work {
  Scalar     *v;
  std::size_t local, ghost; /* sizes of the local and the ghost part */
  std::size_t ld, ghost_ld; /* distance of a block's columns in the local and the ghost part; bs in the received part */
  int         bs;
};

/* Sums that need a ghost: W at target[t] += sum over k in first[t] ... first[t + 1] - 1 of the products of S's blocks at left[k]
   and right[k] */
struct Terms {
  std::size_t        n;
  const std::size_t *target, *first, *left, *right;
};

/* The scalar case on one rank: M from A in one pass */
template <class E, class V, class W> Status build(const E &, const View<W> &M, const View<V> &A, const Recipe &r, Found *found);
/*
   i, j <- the nonzero pattern of M: the entries of A's n rows, then the diagonal. Row i has the columns column[p],
   p = first[i] ... first[i + 1] - 1; entries of a dropped triangle (lower, upper: kept?) get j = -1.
*/
template <class E>
Status factor_pattern(const E &, std::size_t n, const std::size_t *first, const Index *column, bool lower, bool upper, Index *i,
                      Index *j);
/* For blocked rows: inverse <- 1 / a_ii; then the values of M, whose structure is set */
template <class E, class V> Status invert_diagonal(const E &, const brow::View<V> &A, Scalar *inverse, Found *found);
template <class E, class V, class W>
Status build_rows(const E &, const brow::View<W> &M, const brow::View<V> &A, const Form &r, const Scalar *inverse, Found *found);
/* inverse[s*ld + i]: the inverses of the diagonal blocks, column by column; pivot: a row index for each row */
template <class E, class V> Status invert(const E &, const View<V> &A, Scalar *inverse, Index *pivot, Found *found);
/*
   S from A: the local part, in M's layout; then the ghost part, with ghost_inverse[s*ng*bs + column], lower[q]: is ghost block q
   below the diagonal?
*/
template <class E, class V, class W>
Status scale(const E &, const View<W> &M, const View<V> &A, const Recipe &r, const Scalar *inverse, const Work &S);
template <class E, class V>
Status scale_ghost(const E &, const GhostView<V> &B, const Recipe &r, const unsigned char *lower, std::size_t ld,
                   const Scalar *inverse, const Scalar *ghost_inverse, const Work &S);
/* combine(): W from S, without the terms with ghosts. add_terms(): the terms with ghosts; main: where the main diagonal begins */
template <class E, class W> Status combine(const E &, const View<W> &M, const Recipe &r, const Work &S, const Work &out);
template <class E> Status          add_terms(const E &, const Terms &t, std::size_t main, const Work &S, const Work &out);
/* M from W */
template <class E, class W>
Status finish(const E &, const View<W> &M, const Recipe &r, const Scalar *inverse, const Work &from, Found *found);
template <class E, class W>
Status finish_ghost(const E &, const GhostView<W> &M, const Recipe &r, const Scalar *ghost_inverse, const Work &from,
                    Found *found);
/* packed <- the blocks of S that other ranks requested, column by column */
template <class E> Status pack(const E &, std::size_t n, const std::size_t *at, const Work &S, Scalar *packed);

} // namespace hepta::ip

/*
   Launchers that blocked matrices of all formats share, which the PETSc side calls with plain views. Each launcher is a template
   over the stored type, instantiated for Scalar and float. All return nullptr or a sentence that says what went wrong.

   name_host and name_cuda launch the same operation; name_cuda takes device pointers and a stream, and works in the order of the
   stream. A launcher with a first argument `each` is one loop for host and device (shared/each.hxx), run where `each` says.
*/
#pragma once

#include "../../shared/each.hxx"
#include "../../shared/transport/transport.hxx"
#include "blocked_view.hxx"

namespace hepta::blocked
{

/* v <- alpha v */
template <class E, class V> Status scale(const E &each, std::size_t n, Scalar alpha, V *v);
/* v <- v + alpha w */
template <class E, class V, class W> Status axpy(const E &each, std::size_t n, Scalar alpha, const W *w, V *v);
/* v <- w */
template <class E, class V, class W> Status copy(const E &each, std::size_t n, const W *w, V *v);
/* v[slot[first[k]]] += the sum of the values perm[first[k] ... first[k + 1] - 1] for k < runs, as coo_sum() reads them */
template <class E, class V>
Status coo_runs(const E &each, std::size_t runs, const std::size_t *first, const std::size_t *slot, const std::size_t *perm,
                std::size_t n, const Scalar *w, const Scalar *r, V *v);
/* y[k] <- v[index[k]], zero if v is null or the index -1, v[k] if index is null; scatter() is the inverse, v[index[k]] <- w[k]
   for distinct indices, nothing for -1 */
template <class E, class I, class V> Status gather(const E &each, std::size_t n, const I *index, const V *v, Scalar *y);
template <class E, class I, class V> Status scatter(const E &each, std::size_t n, const I *index, const Scalar *w, V *v);
/*
   i, j <- rows and columns of the entries of the blocks, block after block, each row by row; negative for negative indices of the
   block, and beyond the last row or column for indices of the block beyond the last
*/
template <class E> Status expand_blocks(const E &each, const CooBlocks &blocks, Index *i, Index *j);
/*
   The n blocks block[(m*bs + s)*bs + r] <- their inverses; *bad <- the first row without a pivot, whose block becomes infinite,
   or -1
*/
Status invert_blocks_host(Index n, Index bs, Scalar *blocks, Index *bad);

/*
   For any part, local or ghost, whose view has what blocked_row.hxx asks for; each format instantiates these launchers for its
   views:
*/

/*
   column null: first[k] <- how many entries of row k are set, by a bit of `set` for each slot. Otherwise column and slot <- these
   entries, from first[k] on, columns ascending
*/
template <class E, class View>
Status list_set(const E &each, const View &A, const std::uint32_t *set, std::size_t *first, Index *column, std::size_t *slot);
/* d_i <- a_ii, zero where no diagonal entry is stored */
template <class E, class View> Status get_diagonal(const E &each, const View &A, Scalar *d);
/* a_ii <- beta a_ii + d_i (d null: alpha); needs a slot for every main-diagonal entry */
template <class E, template <class> class View, class V>
Status set_diagonal(const E &each, const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d);
/* a_ij <- l_i a_ij r_j; l or r may be null (ones) */
template <class E, template <class> class View, class V>
Status diagonal_scale(const E &each, const View<V> &A, const Scalar *l, const Scalar *r);
/* adds to work, which is indexed by local row, the sums of |a_ij| by row (infinity) or the sums of squares (frobenius); and the
   sums of |a_ij| by column */
template <class E, class View> Status row_norms(const E &each, const View &A, Norm type, Scalar *work);
template <class E, class View> Status column_norms(const E &each, const View &A, Scalar *work);

/* The ghost part: y <- y + B xg for n columns, at xg + c*ldx and y + c*ldy; xg <- B^T x */
template <class V>
Status ghost_spmm_host(const GhostView<V> &B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy);
template <class E, class V> Status ghost_spmv_transpose(const E &each, const GhostView<V> &B, const Scalar *x, Scalar *xg);

/* On the device: for one column, reading ghost values from the mailbox as they arrive, in the order of the ghost columns; for
   rows of at most long_ghosts blocks */
template <class V>
Status arriving_spmv_cuda(const GhostView<V> &B, const transport::Mailboxes &m, Scalar *y, const int *stop, Stream stream);
template <class V>
Status ghost_spmm_cuda(const GhostView<V> &B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy,
                       Stream stream);

} // namespace hepta::blocked

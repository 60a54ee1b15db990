/*
   Launchers of the bdia matrix: what the PETSc side calls, on plain views. Each is a template over the stored type,
   instantiated for Scalar and float. All return nullptr or a sentence that says what went wrong.

   Those that come in two, name_host and name_cuda, do the same; the second takes device pointers and a stream, in whose
   order it works. Those with a first argument `each` work where that says, by one loop for both (shared/each.hxx).
*/
#pragma once

#include "../../shared/each.hxx"
#include "../blocked/blocked_kernels.hxx"
#include "bdia_view.hxx"

namespace hepta::bdia
{

/* y <- z + A x; z may be null (zero) or y itself */
template <class V> Status spmv_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y);
/* y <- z + A^T x; z may be null (zero) or y itself */
template <class V> Status spmv_transpose_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y);
/* Y <- A X for `n` columns, column c of X and Y beginning at x + c*ldx and y + c*ldy */
template <class V> Status spmm_host(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy);

/* d_i <- a_ii, zero where no diagonal is stored */
template <class E, class V> Status get_diagonal(const E &each, const View<V> &A, Scalar *d);
/* a_ii <- beta a_ii + d_i (d null: alpha); needs offset 0 */
template <class E, class V> Status set_diagonal(const E &each, const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d);
/* a_ij <- l_i a_ij r_j; l or r may be null (ones) */
template <class E, class V> Status diagonal_scale(const E &each, const View<V> &A, const Scalar *l, const Scalar *r);
/* adds to work the sums of |a_ij| by column (one) or by row (infinity), or the sums of squares by row (frobenius) */
template <class E, class V> Status norm(const E &each, const View<V> &A, Norm type, Scalar *work);

/* count[i] <- how many entries of row i are set, by a bit of `set` for each slot; column and slot <- these entries, from first[i] on, columns ascending */
template <class E, class V> Status count_set(const E &each, const View<V> &A, const std::uint32_t *set, std::size_t *count);
template <class E, class V> Status list_set(const E &each, const View<V> &A, const std::uint32_t *set, const std::size_t *first, Index *column, std::size_t *slot);

/* a_ij <- 0 where row[i] or col[j] is nonzero; col may be null (no column); half storage needs col = row */
template <class V> Status zero_rows_host(const View<V> &A, const unsigned char *row, const unsigned char *col);
/* b_i <- b_i - sum of a_ij x_j over the columns with col[j] nonzero, for the rows with row[i] zero */
template <class V> Status subtract_columns_host(const View<V> &A, const unsigned char *row, const unsigned char *col, const Scalar *x, Scalar *b);
/* a_ii <- alpha where row[i] is nonzero; needs offset 0 */
template <class V> Status set_diagonal_rows_host(const View<V> &A, const unsigned char *row, Scalar alpha);
/* blocks[(m*bs + s)*bs + r] <- entry (r, s) of diagonal block m, zero where none is stored; bs is that of A */
template <class V> Status diagonal_blocks_host(const View<V> &A, Index bs, Scalar *blocks);

/* v_slot <- (add ? v_slot : 0) + w[source[slot] - 1], no value where source is 0 or w null; each in the order that suits its memory */
template <class V> Status coo(const HostEach &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);
template <class V> Status coo(const DeviceEach &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);

/* On the device */
template <class V> Status spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V> Status spmv_transpose_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V> Status spmm_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream);

} // namespace hepta::bdia

/* Launchers of the brow matrix, in the manner of blocked_kernels.hxx. The sums of a product have a fixed order, so repeated products give the same bits. */
#pragma once

#include "../../shared/each.hxx"
#include "brow_view.hxx"

namespace hepta::brow
{

/* y <- z + A x; z may be null (zero) or y itself */
template <class V> Status spmv_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y);
/* y <- z + A^T x; z may be null (zero) or y itself. On the device: spmv_cuda with the transposed matrix, see transpose_values. */
template <class V> Status spmv_transpose_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y);
/* Y <- A X for `n` columns, column c of X and Y beginning at x + c*ldx and y + c*ldy */
template <class V> Status spmm_host(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy);
/* T's values <- those of A^T; T has the layout made by transpose_layout(), and source is Transposed::source */
template <class E, class V> Status transpose_values(const E &each, const View<V> &T, const std::size_t *source, const View<V> &A);

/* Stores the entries a of a CSR matrix in their slots (host only); an error if one has no slot */
template <class V> Status set_csr_host(const View<V> &A, const Index *i, const Index *j, const Scalar *a);

/* d_i <- a_ii, zero where no diagonal is stored */
template <class E, class V> Status get_diagonal(const E &each, const View<V> &A, Scalar *d);
/* a_ii <- beta a_ii + d_i (d null: alpha); needs all diagonal slots */
template <class E, class V> Status set_diagonal(const E &each, const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d);
/* a_ij <- l_i a_ij r_j; l or r may be null (ones) */
template <class E, class V> Status diagonal_scale(const E &each, const View<V> &A, const Scalar *l, const Scalar *r);
/* adds to work the sums of |a_ij| by row (infinity), or the sums of squares by row (frobenius). column_norms adds the sums of |a_ij| by column, on the host only: on the device sums by row of the transposed matrix are used. */
template <class E, class V> Status row_norms(const E &each, const View<V> &A, Norm type, Scalar *work);

/* count[i] <- how many entries of row i are set, by a bit of `set` for each slot; column and slot <- these entries, from first[i] on, columns ascending */
template <class E, class V> Status count_set(const E &each, const View<V> &A, const std::uint32_t *set, std::size_t *count);
template <class E, class V> Status list_set(const E &each, const View<V> &A, const std::uint32_t *set, const std::size_t *first, Index *column, std::size_t *slot);
template <class V> Status          column_norms_host(const View<V> &A, Scalar *work);

/* v_slot <- (add ? v_slot : 0) + w[source[slot] - 1], without w where source is 0 or w is null */
template <class E, class V> Status coo(const E &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);

/* On the device */
template <class V> Status spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V> Status spmm_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream);

} // namespace hepta::brow

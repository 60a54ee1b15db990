/* Launchers of the bdia matrix, in the manner of blocked_kernels.hxx */
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

/* v_slot <- (add ? v_slot : 0) + w[source[slot] - 1], without w where source is 0 or w is null; host and device each use the order that suits their memory */
template <class V> Status coo(const HostEach &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);
template <class V> Status coo(const DeviceEach &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);

/* On the device */
template <class V> Status spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V> Status spmv_transpose_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V> Status spmm_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream);

} // namespace hepta::bdia

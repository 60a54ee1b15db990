/* Launchers of the brow matrix, in the manner of blocked_kernels.hxx. The sums of a product have a fixed order, so repeated
   products give the same bits. */
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
/* T's values <- the values of A^T; T has the layout made by transpose_layout(), and source is Transposed::source */
template <class E, class V> Status transpose_values(const E &each, const View<V> &T, const std::size_t *source, const View<V> &A);

/* Stores the entries a of a CSR matrix in their slots (host only); an error for an entry without a slot */
template <class V> Status set_csr_host(const View<V> &A, const Index *i, const Index *j, const Scalar *a);

/* adds to work the sums of |a_ij| by column, on the host only: the device sums by row of the transposed matrix */
template <class V> Status column_norms_host(const View<V> &A, Scalar *work);

/* v_slot <- (add ? v_slot : 0) + w[source[slot] - 1], without w where source is 0 or w is null */
template <class E, class V> Status coo(const E &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);

/* On the device */
template <class V> Status spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V>
Status spmm_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream);

} // namespace hepta::brow

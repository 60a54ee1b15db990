/* Launchers of the bdia matrix, in the manner of blocked_kernels.hxx */
#pragma once

#include "../../shared/each.hxx"
#include "../blocked/blocked_kernels.hxx"
#include "../blocked/coo.hxx"
#include "bdia_view.hxx"

namespace hepta::bdia
{

/* y <- z + A x; z may be null (zero) or y itself */
template <class V> Status spmv_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y);
/* y <- z + A^T x; z may be null (zero) or y itself */
template <class V> Status spmv_transpose_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y);
/* Y <- A X for `n` columns, column c of X and Y beginning at x + c*ldx and y + c*ldy */
template <class V> Status spmm_host(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy);

/* v_slot <- (add ? v_slot : 0) + w[source[slot] - 1], without w where source is 0 or w is null; host and device each use the
   order that suits their memory */
template <class V> Status coo(const HostEach &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);
template <class V> Status coo(const DeviceEach &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);

/* The block offsets j/bs - m/bs of the entries of compressed rows, ascending, and the slots of their blocks inside the matrix; bs
   divides rows and cols */
std::vector<Index> csr_offsets(const blocked::CSRView &A, int bs, std::size_t *slots);
/* D <- A; the offsets of D include all offsets of A, entries given twice add up; on the host */
template <class V> Status csr_fill_host(const blocked::CSRView &A, const View<V> &D);

/* On the device */
template <class V> Status spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V> Status spmv_transpose_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V>
Status spmm_cuda(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy, Stream stream);
/*
   offsets <- the distinct block offsets of COO entries, in any order; *good is false if an entry is outside the matrix, or there
   are more than 1024 offsets
*/
Status coo_offsets_cuda(Index nbr, Index nbc, Index bs, const blocked::CooEntries &entries, std::vector<Index> &offsets,
                        bool *good, Stream stream);

} // namespace hepta::bdia

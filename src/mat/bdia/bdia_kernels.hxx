/*
   Launchers of the bdia matrix: what the PETSc side calls, on plain views. Each is a template over the stored type,
   instantiated for Scalar and float. All return nullptr or a sentence that says what went wrong.

   Those that come in two, name_host and name_cuda, do the same; the second takes device pointers and a stream, in whose
   order it works.
*/
#pragma once

#include "../../shared/device.hxx"
#include "bdia_view.hxx"

namespace hepta::bdia
{

/* y <- z + A x; z may be null (zero) or y itself */
template <class V> Status spmv_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y);
/* y <- z + A^T x; z may be null (zero) or y itself */
template <class V> Status spmv_transpose_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y);

/* v <- alpha v */
template <class V> Status scale_host(std::size_t n, Scalar alpha, V *v);
/* v <- v + alpha w */
template <class V, class W> Status axpy_host(std::size_t n, Scalar alpha, const W *w, V *v);

/* d_i <- a_ii, zero where no diagonal is stored */
template <class V> Status get_diagonal_host(const View<V> &A, Scalar *d);
/* a_ii <- beta a_ii + d_i (d null: alpha); needs offset 0 */
template <class V> Status set_diagonal_host(const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d);
/* a_ij <- l_i a_ij r_j; l or r may be null (ones) */
template <class V> Status diagonal_scale_host(const View<V> &A, const Scalar *l, const Scalar *r);
/* adds to work the sums of |a_ij| by column (one) or by row (infinity), or the sums of squares by row (frobenius) */
template <class V> Status norm_host(const View<V> &A, Norm type, Scalar *work);
/* v <- w */
template <class V, class W> Status copy_host(std::size_t n, const W *w, V *v);
/* *same <- v == w */
template <class V, class W> Status equal_host(std::size_t n, const W *w, const V *v, bool *same);

/* a_ij <- 0 where row[i] or col[j] is nonzero; col may be null (no column); half storage needs col = row */
template <class V> Status zero_rows_host(const View<V> &A, const unsigned char *row, const unsigned char *col);
/* b_i <- b_i - sum of a_ij x_j over the columns with col[j] nonzero, for the rows with row[i] zero */
template <class V> Status subtract_columns_host(const View<V> &A, const unsigned char *row, const unsigned char *col, const Scalar *x, Scalar *b);
/* a_ii <- alpha where row[i] is nonzero; needs offset 0 */
template <class V> Status set_diagonal_rows_host(const View<V> &A, const unsigned char *row, Scalar alpha);
/* inverse[(m*bs + s)*bs + r] <- entry (r, s) of the inverse of diagonal block m; *bad <- the first row without a pivot, -1 if none: its block is infinite */
template <class V> Status invert_blocks_host(const View<V> &A, Scalar *inverse, Index *bad);

/* v_slot <- (add ? v_slot : 0) + w[source[slot] - 1], no value where source is 0 or w null */
template <class V> Status coo_host(const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w);
/* v[slot[first[k]]] += the sum of the values perm[first[k] ... first[k + 1] - 1] for k < runs, as coo_sum() reads them */
template <class V> Status coo_runs_host(std::size_t runs, const std::size_t *first, const std::size_t *slot, const std::size_t *perm, std::size_t n, const Scalar *w, const Scalar *r, V *v);
/* y[k] <- v[index[k]], zero if v is null; the second the other way, v[index[k]] <- w[k] for distinct indices */
template <class V> Status gather_host(std::size_t n, const std::size_t *index, const V *v, Scalar *y);
template <class V> Status scatter_host(std::size_t n, const std::size_t *index, const Scalar *w, V *v);

/* The ghost part: y <- y + B xg; xg <- B^T x; a_ij <- l_i a_ij rg_j; the norms as above, with work indexed by ghost column for `one` */
template <class V> Status ghost_spmv_host(const GhostView<V> &B, const Scalar *xg, Scalar *y);
template <class V> Status ghost_spmv_transpose_host(const GhostView<V> &B, const Scalar *x, Scalar *xg);
template <class V> Status ghost_diagonal_scale_host(const GhostView<V> &B, const Scalar *l, const Scalar *rg);
template <class V> Status ghost_norm_host(const GhostView<V> &B, Norm type, Scalar *work);
/* As their namesakes above; row is indexed by local row, col by ghost column */
template <class V> Status ghost_zero_rows_host(const GhostView<V> &B, const unsigned char *row, const unsigned char *col);
template <class V> Status ghost_subtract_columns_host(const GhostView<V> &B, const unsigned char *row, const unsigned char *col, const Scalar *xg, Scalar *b);

/* On the device */
template <class V> Status          spmv_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V> Status          spmv_transpose_cuda(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y, Stream stream);
template <class V> Status          scale_cuda(std::size_t n, Scalar alpha, V *v, Stream stream);
template <class V, class W> Status axpy_cuda(std::size_t n, Scalar alpha, const W *w, V *v, Stream stream);
template <class V, class W> Status copy_cuda(std::size_t n, const W *w, V *v, Stream stream);
template <class V> Status          get_diagonal_cuda(const View<V> &A, Scalar *d, Stream stream);
template <class V> Status          set_diagonal_cuda(const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d, Stream stream);
template <class V> Status          diagonal_scale_cuda(const View<V> &A, const Scalar *l, const Scalar *r, Stream stream);
template <class V> Status          norm_cuda(const View<V> &A, Norm type, Scalar *work, Stream stream);
template <class V> Status          coo_cuda(const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w, Stream stream);
template <class V> Status          coo_runs_cuda(std::size_t runs, const std::size_t *first, const std::size_t *slot, const std::size_t *perm, std::size_t n, const Scalar *w, const Scalar *r, V *v, Stream stream);
template <class V> Status          gather_cuda(std::size_t n, const std::size_t *index, const V *v, Scalar *y, Stream stream);
template <class V> Status          scatter_cuda(std::size_t n, const std::size_t *index, const Scalar *w, V *v, Stream stream);
template <class V> Status          ghost_spmv_cuda(const GhostView<V> &B, const Scalar *xg, Scalar *y, Stream stream);
template <class V> Status          ghost_spmv_transpose_cuda(const GhostView<V> &B, const Scalar *x, Scalar *xg, Stream stream);
template <class V> Status          ghost_diagonal_scale_cuda(const GhostView<V> &B, const Scalar *l, const Scalar *rg, Stream stream);
template <class V> Status          ghost_norm_cuda(const GhostView<V> &B, Norm type, Scalar *work, Stream stream);

} // namespace hepta::bdia

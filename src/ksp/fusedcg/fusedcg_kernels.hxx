/*
   Launchers of the passes of fused CG. name_host and name_cuda launch the same pass; name_cuda takes device pointers, works in
   the order of a stream, and can be recorded. All do nothing while the state's `pause` is set.
*/
#pragma once

#include "../../mat/bdia/bdia_view.hxx"
#include "../../mat/blocked/blocked_view.hxx"
#include "../../shared/device.hxx"
#include "../../shared/transport/transport.hxx"
#include "single_row.hxx"

namespace hepta::ksp
{

/* p <- z + beta p */
Status direction_host(const CG &);
/* x <- x + alpha p, r <- r - alpha q, and z and the sums, unless the preconditioner is outside */
Status update_host(const CG &, Inner);
/* the sums with z, and the end of the iteration, if the preconditioner is outside */
Status inner_sums_host(const CG &);

Status direction_cuda(const CG &, Stream);
Status update_cuda(const CG &, Inner, Stream);
Status inner_sums_cuda(const CG &, Stream);
/* rank_sums_cuda(), and then the end of the iteration */
Status end_update_cuda(const CG &, const RankSums &, Stream);
/* direction_cuda(), with deflation or without, q <- A p and the sum (p, q) in one pass; A of block size 1 to 8 and as many rows
   as columns */
template <class V> Status direction_product_cuda(const CG &, const bdia::View<V> &A, Stream);
/*
   on several ranks after direction_product_cuda(), which leaves its sums: the ghost values of p from the ghost values zg of z
   (null if kernels read the mailbox), q <- q + B p and the sum (p, q)
*/
template <class V>
Status direction_border_cuda(const CG &, const blocked::GhostView<V> &B, const Scalar *zg, const transport::Mailboxes *arriving,
                             Stream);
/* z <- M r and inner_sums_cuda() in one pass; M of block size 1 to 8 and as many rows as columns */
template <class V> Status inner_product_cuda(const CG &, const bdia::View<V> &M, Stream);

/* CG with a single reduction: all vectors, z unless the preconditioner is outside; the sums with w = A z; the iteration's end */
Status single_step_host(const SingleCG &, Inner);
Status single_sums_host(const SingleCG &);

Status single_step_cuda(const SingleCG &, Inner, Stream);
Status single_sums_cuda(const SingleCG &, Stream);
Status end_single_cuda(const SingleCG &, const RankSums &, Stream);
/* a whole iteration; A of block size 1 to 8 and as many rows as columns */
template <class V> Status single_product_cuda(const SingleCG &, const bdia::View<V> &A, Stream);

} // namespace hepta::ksp

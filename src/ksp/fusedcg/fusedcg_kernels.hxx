/* Launchers of fused CG besides run_pass(): likewise they do nothing while the state's `pause` is set */
#pragma once

#include "../../mat/bdia/bdia_view.hxx"
#include "../../mat/blocked/blocked_view.hxx"
#include "../../shared/transport/transport.hxx"
#include "../iteration.hxx"
#include "single_row.hxx"

namespace hepta::ksp
{

/* The pass Update of the kind of preconditioner, and SingleStep likewise */
template <class E> Status update(const E &, const CG &, Inner);
template <class E> Status single_step(const E &, const SingleCG &, Inner);
/* NewDirection, with deflation or without, q <- A p and the sum (p, q) in one pass; A of block size 1 to 8 and as many rows
   as columns */
template <class V> Status direction_product_cuda(const CG &, const bdia::View<V> &A, Stream);
/*
   on several ranks after direction_product_cuda(), which leaves its sums: the ghost values of p from the ghost values zg of z
   (null if kernels read the mailbox), q <- q + B p and the sum (p, q)
*/
template <class V>
Status direction_border_cuda(const CG &, const blocked::GhostView<V> &B, const Scalar *zg, const transport::Mailboxes *arriving,
                             Stream);
/* z <- M r and InnerSums in one pass; M of block size 1 to 8 and as many rows as columns */
template <class V> Status inner_product_cuda(const CG &, const bdia::View<V> &M, Stream);
/* a whole iteration of CG with a single reduction; A of block size 1 to 8 and as many rows as columns */
template <class V> Status single_product_cuda(const SingleCG &, const bdia::View<V> &A, Stream);

} // namespace hepta::ksp

/* Launchers of the blockic preconditioner, on plain views; name_host and name_cuda do the same */
#pragma once

#include "../../shared/device.hxx"
#include "blockic_view.hxx"

namespace hepta::blockic
{

/* F.v <- A's entries inside the matrix blocks, a_ii + shift; excess (null: not wanted) <- for each row by position the sum of |a_ij|, j != i, minus a_ii */
template <class V> Status load_host(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess);
template <class V> Status load_cuda(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess, Stream stream);

/* F.v <- its factors; what is found goes to the report, which is in F.v's memory */
Status factor_host(const Factors &F, const Blocks &B, const Pivots &rule, Report *report);
Status factor_cuda(const Factors &F, const Blocks &B, const Pivots &rule, Report *report, Stream stream);

/* y <- (L D V)^-1 x, or its transpose; work: 2*nbr*bs values, not used with natural positions */
Status solve_host(const Factors &F, const Blocks &B, bool transpose, const Scalar *x, Scalar *y, Scalar *work);
Status solve_cuda(const Factors &F, const Blocks &B, bool transpose, const Scalar *x, Scalar *y, Scalar *work, Stream stream);

/* The same by two scans, with natural positions and block size 1; inverse: of D */
Status scan_host(const Sweep &lower, const Sweep &upper, const Blocks &B, const Scalar *inverse, const Scalar *x, Scalar *y);
Status scan_cuda(const Sweep &lower, const Sweep &upper, const Blocks &B, const Scalar *inverse, const Scalar *x, Scalar *y, Stream stream);

} // namespace hepta::blockic

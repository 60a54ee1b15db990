/* Launchers of the passes of grid_row.hxx, like those of fusedcg_kernels.hxx, and of the work between the passes */
#pragma once

#include "../../mat/bdia/bdia_view.hxx"
#include "../../shared/each.hxx"
#include "grid_row.hxx"

namespace hepta::ksp
{

/* p <- z + beta p, q <- A p and the sum (p, q) */
Status grid_product_host(const GridCG &);
Status grid_update_host(const GridCG &);
Status grid_sums_host(const GridCG &);

Status grid_product_cuda(const GridCG &, Stream);
Status grid_update_cuda(const GridCG &, Stream);
Status grid_sums_cuda(const GridCG &, Stream);
Status grid_parts_cuda(const GridCG &, Stream); /* in place of grid_sums, where the cycle has stored parts */
/* rank_sums_cuda(), and then the end of the pass */
Status end_grid_update_cuda(const GridCG &, const RankSums &, Stream);
Status end_grid_replace_cuda(const GridCG &, const RankSums &, Stream);
Status end_grid_sums_cuda(const GridCG &, const RankSums &, Stream);

/* the replacement, as GridReplace of grid_replace.hxx */
template <class V>
Status grid_replace_host(const bdia::View<V> &A, const gridmg::Diagonals &, const gridmg::Grid &, const GridCG &, Scalar sign,
                         bool always);
template <class V>
Status grid_replace_cuda(const bdia::View<V> &A, const gridmg::Diagonals &, const gridmg::Grid &, const GridCG &, Scalar sign,
                         bool always, Stream);
/* r' <- r / rho */
template <class E> Status grid_take(const E &, const gridmg::Grid &g, const GridCG &c);

} // namespace hepta::ksp

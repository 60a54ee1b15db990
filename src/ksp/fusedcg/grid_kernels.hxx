/* Launchers of CG in float besides run_pass() */
#pragma once

#include "../iteration.hxx"
#include "grid_row.hxx"

namespace hepta::ksp
{

/* p <- z + beta p, q <- A p and the sum (p, q) */
Status grid_product_host(const GridCG &);
Status grid_product_cuda(const GridCG &, Stream);
/* r' <- r / rho */
template <class E> Status grid_take(const E &, const gridmg::Grid &g, const GridCG &c);

} // namespace hepta::ksp

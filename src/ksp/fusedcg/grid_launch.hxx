/* The launchers of grid_kernels.hxx that host and device share */
#pragma once

#include "grid_kernels.hxx"
#include "grid_replace.hxx"

namespace hepta::ksp
{

/* The pass of the replacement */
template <class V>
GridReplace<V> replace_pass(const bdia::View<V> &A, const gridmg::Diagonals &d, const gridmg::Grid &g, const GridCG &c,
                            Scalar sign, bool always)
{
  GridReplace<V> p = pass_of<GridReplace<V>>(c);

  p.n         = std::size_t(A.nbr);
  p.A         = A;
  p.diagonals = d;
  p.g         = g;
  p.factor    = sign;
  p.always    = always;
  return p;
}

template <class E> Status grid_take(const E &each, const gridmg::Grid &g, const GridCG &c)
{
  return each(std::size_t(g.n[0]) * g.n[1] * g.n[2],
              [=] HEPTA_LAMBDA(std::size_t k) { c.r[gridmg::cell_index(g, Index(k))] = float(c.residual[k] * c.solve->unit); });
}

HEPTA_EACH(grid_take)

} // namespace hepta::ksp

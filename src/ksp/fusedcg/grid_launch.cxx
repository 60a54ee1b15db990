/* The passes of CG in float but for the product, and the work between passes */
#include "../passes.hxx"
#include "grid_kernels.hxx"
#include "grid_replace.hxx"

namespace hepta::ksp
{

HEPTA_PASS(GridUpdate)
HEPTA_PASS_END(GridUpdate)
HEPTA_PASS(GridReplace<double>)
HEPTA_PASS(GridReplace<float>)
HEPTA_PASS_END(GridReplace<double>)
HEPTA_PASS(GridSums)
HEPTA_PASS_END(GridSums)
HEPTA_PASS(GridParts)

template <class E> Status grid_take(const E &each, const gridmg::Grid &g, const GridCG &c)
{
  return each(std::size_t(g.n[0]) * g.n[1] * g.n[2],
              [=] HEPTA_LAMBDA(std::size_t k) { c.r[gridmg::cell_index(g, Index(k))] = float(c.residual[k] * c.solve->unit); });
}

HEPTA_EACH(grid_take)

} // namespace hepta::ksp

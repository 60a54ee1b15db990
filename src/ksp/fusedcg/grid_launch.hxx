/* The launchers of grid_kernels.hxx that host and device share */
#pragma once

#include "../../pc/gridmg/gridmg_build.hxx"
#include "grid_kernels.hxx"

namespace hepta::ksp
{

template <class E, class V>
Status grid_matrix(const E &each, const bdia::View<V> &A, const cycle::Diagonals &d, const cycle::Grid &g, const GridCG &c)
{
  return each(std::size_t(A.nbr), [=] HEPTA_LAMBDA(std::size_t k) {
    const V    *diagonal = A.v + std::size_t(d.main) * A.ld;
    const Index i = Index(k), at[3] = {i % g.n[0], i / g.n[0] % g.n[1], i / g.n[0] / g.n[1]},
                row_step[3] = {1, g.n[0], g.n[0] * g.n[1]};
    const Index  m          = cycle::cell_index(g, at[0], at[1], at[2]);
    const double a          = diagonal[i];
    double       sum        = a;

    for (int x = 0; x < c.axes; x++) {
      const cycle::Couplings b = cycle::couplings(A, d, x, i, row_step[x]);
      sum += b.upper + b.lower;
      c.a[x][m] = float(at[x] + 1 == g.n[x] ? 0 : b.upper / double(diagonal[0]));
    }
    c.s[m] = float(cycle::row_sum(sum, a) / double(diagonal[0]));
  });
}

/* The pass of the replacement */
template <class V>
GridReplace<V> replace_pass(const bdia::View<V> &A, const cycle::Diagonals &d, const cycle::Grid &g, const GridCG &c, Scalar sign,
                            bool always)
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

template <class E> Status grid_take(const E &each, const cycle::Grid &g, const GridCG &c)
{
  return each(std::size_t(g.n[0]) * g.n[1] * g.n[2],
              [=] HEPTA_LAMBDA(std::size_t k) { c.r[cycle::cell_index(g, Index(k))] = float(c.residual[k] / c.solve->rho); });
}

#define HEPTA_GRID_LAUNCHERS(E) \
  template Status grid_matrix(const E &, const bdia::View<double> &, const cycle::Diagonals &, const cycle::Grid &, \
                              const GridCG &); \
  template Status grid_matrix(const E &, const bdia::View<float> &, const cycle::Diagonals &, const cycle::Grid &, \
                              const GridCG &); \
  template Status grid_take(const E &, const cycle::Grid &, const GridCG &);

} // namespace hepta::ksp

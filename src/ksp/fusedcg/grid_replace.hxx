/* The pass that replaces the residual of CG in float, see grid_row.hxx */
#pragma once

#include "../../pc/gridmg/gridmg_build.hxx"
#include "grid_row.hxx"

namespace hepta::ksp
{

/* The replacement with sign times d, whose items are the rows of A; always: even if no replacement is due */
template <class V> struct GridReplace : GridCG {
  static constexpr int sums = 1, first = index_true;
  bdia::View<V>        A;
  gridmg::Diagonals    diagonals;
  gridmg::Grid         g;
  Scalar               factor;
  bool                 always;
  struct Row {
    Scalar x, r, d, sum;
    Index  m;
  };

  HEPTA_HD bool idle() const { return state->pause || !(always || solve->due); }
  HEPTA_HD bool begin(const State &)
  {
    factor *= solve->rho / level->diagonal;
    return true;
  }
  HEPTA_HD Row get(std::size_t k) const
  {
    const Index i = Index(k), m = gridmg::cell_index(g, i), row_step[3] = {1, g.n[0], g.n[0] * g.n[1]};
    double      sum = double(A.v[std::size_t(diagonals.main) * A.ld + k]) * d[m];

    HEPTA_DEVICE_UNROLL
    for (int a = 0; a < 3; a++) {
      if (a >= axes) continue;
      gridmg::Couplings b = gridmg::couplings(A, diagonals, a, i, row_step[a]);
      if (border && a + 1 == axes) gridmg::take_border(Index(n), row_step[a], border, i, &b);
      sum += b.upper * d[m + step[a]] + b.lower * d[m - step[a]];
    }
    return {x[k], residual[k], Scalar(d[m]), Scalar(sum), m};
  }
  HEPTA_HD void put(std::size_t k, const Row &row, Scalar sum[]) const
  {
    const Scalar next = row.r - factor * row.sum;

    x[k]        = row.x + factor * row.d;
    residual[k] = next;
    r[row.m]    = float(next * solve->unit);
    sum[0] += next * next;
  }
  HEPTA_HD void end(State &state) const { end_grid_replace(*this, state); }
};

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

} // namespace hepta::ksp

/*
   The arithmetic of preconditioned CG in float on the first level of PC gridmg, whose cycle is the preconditioner, once for host
   and device. Vectors have the layout of the level's arrays, with zeros around the cells, and are those of a scaled system: with
   the first diagonal entry a = a_00 and the norm rho of the first residual A' = A / a, r' = r / rho, z' = M^-1 r' for A', and

     product  p' <- z' + beta p',  q' <- A' p',                   sum (p', q')
     update   d <- d + alpha p',  r' <- r' - alpha q',  u <- e r',  sum (r', r')
     cycle    z' <- M^-1 r' from u
     sums     (r', z'), the norm's

   where (A' p)_m = s_m p_m + sum over the neighbors q of a_mq (p_q - p_m), with row sums s: a stored diagonal would lose small
   row sums in the rounding of large couplings. When its norm has fallen the residual is replaced:

     x <- x + (rho / a) d,  r <- r - (rho / a) A d,  d <- 0,  r' <- r / rho

   of which x, A and r, the residual b - A x, are in double. The first p' is z'. If the norm of r is tested an iteration ends with
   the update, so that a replacement, and the last iteration, come before the cycle and not after it.
*/
#pragma once

#include "../../pc/gridmg/gridmg_cell.hxx"
#include "fusedcg_row.hxx"

namespace hepta::ksp
{

using Two = cycle::Pair<float>;

/* Of a solve, in the memory of the passes: a recording serves solves with other scales */
struct GridScales {
  Scalar r, x; /* rho, rho / a */
  Scalar norm; /* the norm of the system itself over that of the scaled one */
};

/* The data of all passes, whose items are pairs of cells */
struct GridCG : Pass {
  Norm              norm;
  bool              two; /* as in CG */
  int               axes;
  Index             step[3];  /* the distance of a cell's neighbors along each axis */
  Index             planes;   /* of the last axis */
  Index             cells;    /* of all planes, with the padding of lines: a multiple of 4 */
  float            *a[3], *s; /* the matrix */
  float            *d, *r, *q, *p[2];
  float            *u, *z; /* arrays of the level, as is e */
  const float      *e;
  const GridScales *scales;
};

HEPTA_HD Two pair(const float *p, std::size_t i)
{
  return cycle::pair_at(p + 2 * i);
}

HEPTA_HD void put_pair(float *p, std::size_t i, const Two &v)
{
  *reinterpret_cast<Two *>(p + 2 * i) = v;
}

/* Is the norm tested that the update knows? */
HEPTA_HD bool early(const GridCG &c)
{
  return c.norm == Norm::unpreconditioned;
}

/* u <- e r */
struct GridInput : GridCG {
  static constexpr int sums = 0, first = 0;
  struct Row {
    Two e, r;
  };

  HEPTA_HD Row  get(std::size_t i) const { return {pair(e, i), pair(r, i)}; }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar *) const
  {
    put_pair(u, i,
             {
               {row.e.v[0] * row.r.v[0], row.e.v[1] * row.r.v[1]}
    });
  }
};

struct GridUpdate : GridCG {
  static constexpr int sums = 1, first = index_rz + 1;
  float                alpha;
  const float         *at;
  struct Row {
    Two d, r, p, q, e;
  };

  HEPTA_HD bool begin(const State &state)
  {
    alpha = float(state.rho / state.sum[index_pq]);
    at    = direction(*this, state.it);
    return breakdown_of_direction(state) == Breakdown::none;
  }
  HEPTA_HD Row  get(std::size_t i) const { return {pair(d, i), pair(r, i), pair(at, i), pair(q, i), pair(e, i)}; }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar sum[]) const
  {
    Two to, next, in;

    for (int k = 0; k < 2; k++) {
      to.v[k]   = row.d.v[k] + alpha * row.p.v[k];
      next.v[k] = row.r.v[k] - alpha * row.q.v[k];
      in.v[k]   = row.e.v[k] * next.v[k];
      sum[0] += Scalar(next.v[k]) * next.v[k];
    }
    put_pair(d, i, to);
    put_pair(r, i, next);
    put_pair(u, i, in);
  }
  HEPTA_HD void end(State &state) const
  {
    const Scalar norm = scales->norm * std::sqrt(state.sum[first]);

    if (early(*this) && end_step(state, *report, norm)) pause_if_due(state, *report, norm);
  }
};

struct GridSums : GridCG {
  static constexpr int sums = 2, first = index_rz;
  struct Row {
    Two r, z;
  };

  HEPTA_HD Row  get(std::size_t i) const { return {pair(r, i), pair(z, i)}; }
  HEPTA_HD void put(std::size_t, const Row &row, Scalar sum[]) const
  {
    for (int k = 0; k < 2; k++) {
      const Scalar own = row.r.v[k], to = row.z.v[k];
      sum[0] += own * to;
      sum[1] += norm == Norm::preconditioned ? to * to : own * own;
    }
  }
  HEPTA_HD void end(State &state) const
  {
    if (!early(*this)) end_iteration(norm, false, *report, state, scales->norm);
    else {
      begin_direction(false, state);
      if (state.breakdown != Breakdown::none) pause(state, *report);
    }
  }
};

} // namespace hepta::ksp

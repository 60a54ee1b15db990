/*
   The arithmetic of preconditioned CG in float on the first level of PC gridmg, whose cycle is the preconditioner, once for host
   and device. Vectors have the layout of the level's arrays, with zeros around the cells, and are those of a scaled system: with
   the first diagonal entry a = a_00 and the norm rho of the first residual A' = A / a, r' = r / rho, z' = M^-1 r' for A', and

     product  p' <- z' + beta p',  q' <- A' p',                   sum (p', q')
     update   d <- d + alpha p',  r' <- r' - alpha q',           sum (r', r')
     cycle    z' <- M^-1 r'
     sums     (r', z'), the norm's

   where (A' p)_m = s_m p_m + sum over the neighbors q of a_mq (p_q - p_m), with row sums s: a stored diagonal would lose small
   row sums in the rounding of large couplings.
   The residual is replaced in double when its norm has fallen, after some iterations, and in each iteration that may be the last:

     x <- x + (rho / a) d,  r <- r - (rho / a) A d,  r' <- r / rho,   sum (r, r),   and the next update starts from d = 0

   A replacement comes before the cycle, so that the iterations go on with M^-1 of the replaced residual. The first p' is z'.
*/
#pragma once

#include <cmath>

#include "../../pc/gridmg/gridmg_cell.hxx"
#include "fusedcg_row.hxx"

namespace hepta::ksp
{

using Two = gridmg::Pair<float>;

/* The numbers of a solve, in the memory of the passes, so that a recording serves solves with other numbers */
struct GridSolve {
  Scalar rho, unit; /* the norm of the first residual, and 1 / rho */
  Scalar fall;      /* the residual is replaced when its norm has fallen by this factor */
  Scalar last;      /* the residual's norm at the last replacement */
  Scalar norm;      /* the residual's norm in this iteration */
  Scalar ratio;     /* tested norm / residual's norm, in the iteration before */
  int    replaced;  /* the iteration of the last replacement, after which x is complete and d zero */
  int    count;     /* of replacements */
  int    due;       /* is a replacement due in this iteration? */
  int    stagnates; /* single goes no further: d is to be given up */
  int    grown;     /* the last replacement made the residual larger, and is to be undone */
};

constexpr int index_true = index_rz + 2; /* (r, r) in double, in State::sum */
/* The residual is replaced when its norm has fallen by FALL, and after PATIENCE iterations at the latest */
constexpr double FALL     = 1e-3;
constexpr int    PATIENCE = 10;
/* With less than a factor of 10 in 2.5 iterations the solve goes on in double */
constexpr double ITERATIONS_OF_TEN = 2.5;
/*
   Once a replaced residual is larger than the residual of the recurrence by this fraction, each later replacement comes when the
   norm has fallen by this factor. The error of a residual in float is some roundings, 6e-8, of the last replaced residual, times
   the contrast of the couplings, since differences of p carry p's rounding.
*/
constexpr double LESS = 0.1;

/*
   The data of all passes; items of the update and the sums are pairs of cells. On several MPI processes a process has planes of
   the last axis. The product and the update also compute p and d of each neighbor's adjacent plane, from the neighbor's z, so
   that a replacement needs no exchange.
*/
struct GridCG : Pass {
  Norm                  norm;
  bool                  two; /* as CG::two */
  int                   axes;
  Index                 step[3]; /* the distance of a cell's neighbors along each axis */
  Index                 planes;  /* of the last axis */
  Index                 cells;   /* of all planes, with the padding of lines: a multiple of 4 */
  gridmg::FloatMatrix   matrix;  /* A' */
  Scalar               *parts;   /* the cycle's parts of (r', z'), one for each of `warps` warps */
  std::size_t           warps;
  Index                 halo;   /* the cells of a neighbor's plane, with the padding of lines; 0 on one process */
  const double         *border; /* the entries of A across the ends of the planes, as in build_fine(); null on one process */
  float                *d, *q, *p[2];
  float                *r, *z; /* the level's right-hand side and solution */
  Scalar               *x, *residual;
  const gridmg::Scales *level; /* has a */
  GridSolve            *solve;
};

HEPTA_HD Two pair(const float *p, std::size_t i)
{
  return gridmg::pair_at(p + 2 * i);
}

HEPTA_HD void put_pair(float *p, std::size_t i, const Two &v)
{
  *reinterpret_cast<Two *>(p + 2 * i) = v;
}

/* Is the tested norm that of the residual, which is known before the cycle? */
HEPTA_HD bool early(const GridCG &c)
{
  return c.norm == Norm::unpreconditioned;
}

/* A norm that may differ from the norm of the true residual, kept above s.least so that it cannot end the solve */
HEPTA_HD Scalar guessed(const State &s, Scalar norm)
{
  return norm > s.least ? norm : (1 + Scalar(1e-6)) * s.least;
}

/* Notes the iteration with the norm of the residual, or with a guess of the tested norm */
HEPTA_HD void note_residual(const GridCG &c, const GridSolve &w, const State &s, Scalar norm)
{
  note_iteration(s, *c.report, {early(c) ? norm : guessed(s, w.ratio * norm), s.alpha, s.beta, 0});
}

/* Leaves the rest to iterations in double, from the x whose residual has this norm */
HEPTA_HD void give_up(const GridCG &c, GridSolve &w, State &s, Scalar norm)
{
  w.stagnates = 1;
  note_residual(c, w, s, norm);
  pause(s, *c.report);
}

/* Is alpha a float? Otherwise the update changes nothing. */
HEPTA_HD bool usable(Scalar alpha)
{
  return finite(Scalar(float(alpha)));
}

/* After the update: decides whether the residual is to be replaced */
HEPTA_HD void end_grid_update(const GridCG &c, GridSolve &w, State &s)
{
  w.due = 0;
  if (!end_step(s, *c.report)) return;
  if (!usable(s.alpha)) {
    give_up(c, w, s, w.last);
    return;
  }
  w.norm = w.rho * std::sqrt(s.sum[index_rz + 1]);
  /* a tested norm other than the residual's is a guess, compared with 2 `least` to be rather too early than too late */
  const Scalar tested = early(c) ? w.norm : w.ratio * w.norm, least = early(c) ? s.least : 2 * s.least;
  if (tested > least && tested < s.most && s.it < s.last && w.norm > w.fall * w.last && s.it < w.replaced + PATIENCE) {
    if (early(c)) note_residual(c, w, s, w.norm);
  } else if (w.norm < w.last) w.due = 1;
  else give_up(c, w, s, w.last);
}

/* After a replacement, with the norm of the true residual */
HEPTA_HD void end_grid_replace(const GridCG &c, GridSolve &w, State &s)
{
  const Scalar norm   = std::sqrt(s.sum[index_true]);
  const Scalar enough = w.last * std::pow(Scalar(10), (w.replaced - s.it) / Scalar(ITERATIONS_OF_TEN));

  if (!w.due) return; /* a separate kernel that adds the sums of ranks gets here even if no replacement is due */
  w.due = 0;
  w.count++;
  w.grown = !(norm < w.last);
  if (w.grown) {
    give_up(c, w, s, w.last);
    return;
  }
  if (norm > (1 + LESS) * w.norm) w.fall = LESS;
  w.last = w.norm = norm;
  w.replaced      = s.it;
  if (norm > enough) give_up(c, w, s, norm);
  else if (early(c)) {
    note_residual(c, w, s, norm);
    pause_if_due(s, *c.report, norm);
  }
}

/* After the cycle: beta, and the end of an iteration where a norm other than the residual's is tested */
HEPTA_HD void end_grid_sums(const GridCG &c, GridSolve &w, State &s)
{
  const Scalar a = c.level->diagonal, unit = w.rho / (c.norm == Norm::preconditioned ? a : std::sqrt(a));
  const Scalar norm = unit * norm_of(c.norm, s.sum[index_rz], s.sum[index_rz + 1]), beta = s.beta;

  if (s.it) begin_direction(false, s);
  else {
    s.rho       = s.sum[index_rz];
    s.breakdown = breakdown_of_product(s.rho);
  }
  if (!early(c)) w.ratio = norm / w.norm;
  if (s.it && !early(c)) {
    /* a residual that was not replaced does not end the iterations: the next residual is replaced */
    const Scalar known = w.replaced == s.it ? norm : guessed(s, norm);
    note_iteration(s, *c.report, {known, s.alpha, beta, 0});
    pause_if_due(s, *c.report, known);
  } else if (s.breakdown != Breakdown::none) pause(s, *c.report);
}

/* END(c, s) works on a copy of *c.solve: each access to memory after a store there would wait */
#define HEPTA_GRID_END(END) \
  HEPTA_HD void END(const GridCG &c, State &s) \
  { \
    GridSolve w = *c.solve; \
    END(c, w, s); \
    *c.solve = w; \
  }
HEPTA_GRID_END(end_grid_update)
HEPTA_GRID_END(end_grid_replace)
HEPTA_GRID_END(end_grid_sums)

struct GridUpdate : GridCG {
  static constexpr int sums = 1, first = index_rz + 1;
  float                alpha;
  bool                 fresh;     /* is d zero? */
  std::size_t          low, high; /* the process's own items */
  const float         *at;
  struct Row {
    Two d, r, p, q;
  };

  HEPTA_HD bool begin(const State &state)
  {
    alpha = float(state.rho / state.sum[index_pq]);
    at    = direction(*this, state.it);
    fresh = solve->replaced == state.it;
    low   = std::size_t(halo) / 2;
    high  = low + n;
    n += 2 * low;
    for (float **v : {&d, &r, &q}) *v -= halo;
    at -= halo;
    return breakdown_of_direction(state) == Breakdown::none && usable(alpha);
  }
  HEPTA_HD Row  get(std::size_t i) const { return {fresh ? Two{{0, 0}} : pair(d, i), pair(r, i), pair(at, i), pair(q, i)}; }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar sum[]) const
  {
    Two to, next;

    for (int k = 0; k < 2; k++) {
      to.v[k]   = row.d.v[k] + alpha * row.p.v[k];
      next.v[k] = row.r.v[k] - alpha * row.q.v[k];
      sum[0] += i >= low && i < high ? Scalar(next.v[k]) * next.v[k] : Scalar(0);
    }
    put_pair(d, i, to);
    put_pair(r, i, next);
  }
  HEPTA_HD void end(State &state) const { end_grid_update(*this, state); }
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
      if (norm == Norm::preconditioned) sum[1] += to * to;
    }
  }
  HEPTA_HD void end(State &state) const { end_grid_sums(*this, state); }
};

/* (r, z) alone; the items are the parts that the cycle has stored */
struct GridParts : GridCG {
  static constexpr int sums = 2, first = index_rz; /* as GridSums, with a second sum of zero */
  using Row = Scalar;

  HEPTA_HD Row  get(std::size_t i) const { return parts[i]; }
  HEPTA_HD void put(std::size_t, Row row, Scalar sum[]) const { sum[0] += row; }
  HEPTA_HD void end(State &state) const { end_grid_sums(*this, state); }
};

inline GridParts by_parts(const GridCG &c)
{
  GridParts p = pass_of<GridParts>(c);

  p.n = c.warps;
  return p;
}

} // namespace hepta::ksp

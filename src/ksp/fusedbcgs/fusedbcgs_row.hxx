/*
   The arithmetic of BiCGStab in passes over rows, once for host and device. K is A M^-1, p^ = M^-1 p and s^ = M^-1 s with
   preconditioning from the right; K is M^-1 A, p^ = p and s^ = s from the left:

     direction   p <- r + beta (p - omega v),  p^        with beta and omega of the iteration before
     product     v <- K p,                               sum (r0, v)
     half        s <- r - alpha v,  s^                   with alpha = rho/(r0, v)
     product     t <- K s,                               sums (s, t), (t, t)
     update      x <- x + alpha p^ + omega s^,           with omega = (s, t)/(t, t)
                 r <- s - omega t,                       sums (r0, r), (r, r)

   then beta = (r0, r)/rho alpha/omega.
*/
#pragma once

#include <cmath>

#include "../iteration.hxx"

namespace hepta::ksp
{

/* The data of all passes of fused BiCGStab */
struct BCGS : Pass {
  bool          norm;                            /* is (r, r) tested? */
  Scalar       *x, *r, *p, *v, *s, *t, *ph, *sh; /* ph, sh: p^ and s^, which may be p and s */
  const Scalar *r0;
  const Scalar *d; /* the diagonal of M^-1 where the passes multiply with it from the right, otherwise null */
};

/* Indices of sums in State::sum */
constexpr int index_r0v = 0;
constexpr int index_st  = 1; /* (s, t), (t, t) */
constexpr int index_r0r = 3; /* (r0, r), (r, r) */

struct BCGSDirection : BCGS {
  static constexpr int sums = 0, first = 0;
  Scalar               beta, omega;
  struct Row {
    Scalar r, p, v, d;
  };

  HEPTA_HD bool begin(const State &state)
  {
    beta  = state.beta;
    omega = state.omega;
    return true;
  }
  HEPTA_HD Row  get(std::size_t i) const { return {r[i], p[i], v[i], d ? d[i] : Scalar(1)}; }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar *) const
  {
    const Scalar next = row.r + beta * (row.p - omega * row.v);

    p[i] = next;
    if (d) ph[i] = row.d * next;
  }
};

struct BCGSHalf : BCGS {
  static constexpr int sums = 0, first = 0;
  Scalar               alpha;
  struct Row {
    Scalar r, v, d;
  };

  HEPTA_HD bool begin(const State &state)
  {
    alpha = state.rho / state.sum[index_r0v];
    return finite(alpha);
  }
  HEPTA_HD Row  get(std::size_t i) const { return {r[i], v[i], d ? d[i] : Scalar(1)}; }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar *) const
  {
    const Scalar next = row.r - alpha * row.v;

    s[i] = next;
    if (d) sh[i] = row.d * next;
  }
};

struct BCGSUpdate : BCGS {
  static constexpr int sums = 2, first = index_r0r;
  Scalar               alpha, omega;
  struct Row {
    Scalar x, p, s, t, half, r0;
  };

  /* if K s = 0 x does not change, and r = s */
  HEPTA_HD bool begin(const State &state)
  {
    const bool   zero = state.sum[index_st + 1] == 0;
    const Scalar step = state.rho / state.sum[index_r0v];

    alpha = zero ? Scalar(0) : step;
    omega = zero ? Scalar(0) : state.sum[index_st] / state.sum[index_st + 1];
    return finite(step) && finite(omega);
  }
  HEPTA_HD Row  get(std::size_t i) const { return {x[i], ph[i], sh[i], t[i], s[i], r0[i]}; }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar sum[]) const
  {
    const Scalar next = row.half - omega * row.t;

    x[i] = row.x + alpha * row.p + omega * row.s;
    r[i] = next;
    sum[0] += row.r0 * next;
    sum[1] += next * next;
  }
  HEPTA_HD void end(State &state) const;
};

/* Checks the sums of the products */
HEPTA_HD Breakdown breakdown_of_products(const State &s)
{
  const Scalar *sum = s.sum;

  if (!finite(sum[index_r0v])) return Breakdown::not_finite;
  if (sum[index_r0v] == 0) return Breakdown::zero_product;
  if (!finite(s.rho / sum[index_r0v])) return Breakdown::not_finite;
  if (!finite(sum[index_st]) || !finite(sum[index_st + 1])) return Breakdown::not_finite;
  if (sum[index_st + 1] == 0) return sum[index_r0r + 1] == 0 ? Breakdown::solved : Breakdown::zero_direction;
  return finite(sum[index_st] / sum[index_st + 1]) ? Breakdown::none : Breakdown::not_finite;
}

/* After the last pass of an iteration */
HEPTA_HD void end_bcgs(const BCGS &c, State &s)
{
  const Scalar rho = s.rho, next = s.sum[index_r0r], norm = c.norm ? std::sqrt(s.sum[index_r0r + 1]) : Scalar(0);

  s.alpha     = rho / s.sum[index_r0v];
  s.breakdown = breakdown_of_products(s);
  if (s.breakdown != Breakdown::none) { /* this iteration does not count */
    pause(s, *c.report);
    return;
  }
  s.omega = s.sum[index_st] / s.sum[index_st + 1];
  s.beta  = next / rho * (s.alpha / s.omega);
  s.rho   = next;
  s.it++;
  note_iteration(s, *c.report, {norm, s.alpha, s.beta, 0});
  if (rho == 0) s.breakdown = Breakdown::zero_residual;
  pause_if_due(s, *c.report, norm);
}

HEPTA_HD void BCGSUpdate::end(State &state) const
{
  end_bcgs(*this, state);
}

} // namespace hepta::ksp

/*
   The arithmetic of preconditioned CG in two passes, once for host and device:

     direction    p <- z + beta p,  q <- A p,                    sum (p, q)
     update       x <- x + alpha p,  r <- r - alpha q,  z <- M^-1 r,   sums (r, z), the norm's, (z, q)

   with alpha = (r, z)/(p, q), and after the update beta = (r, z)/(r, z)_old or, flexible (Polak-Ribiere),
   beta = (z, r - r_old)/(r, z)_old = -alpha (z, q)/(r, z)_old.

   With deflation z is M^-1 r + Z y, where the direction adds Z y: p <- z + Z y + beta p, (Z y)_i = y[label[i]]. Since Z^T r = 0,
   the sums are those of M^-1 r.
*/
#pragma once

#include <cmath>

#include "../iteration.hxx"

namespace hepta::ksp
{

/* The data of all passes of fused CG */
struct CG : Pass {
  Norm          norm;
  bool          flexible;
  bool          two; /* p[it mod 2] from p[(it + 1) mod 2], since a product pass reads p of other rows; otherwise p[0] in place */
  int           bs;  /* size of the blocks of d */
  Scalar       *x, *r, *z, *p[2], *q;
  const Scalar *d; /* inverse diagonal blocks: entry (i mod bs, s) of the block of row i is d[s*n + i] */
  const Index  *label;
  const Scalar *y; /* null: not deflated */
  Border        border;
  Scalar       *pg[2]; /* on several ranks the ghost values of both buffers of p */
};

/* The buffer of p in iteration `it` of a method C, and the buffer of the iteration before */
template <class C> HEPTA_HD auto direction(const C &c, int it)
{
  /* p[it & 1] would make the compiler store the pointers in memory instead of registers */
  return c.two && it & 1 ? c.p[1] : c.p[0];
}

template <class C> HEPTA_HD auto direction_before(const C &c, int it)
{
  return c.two && !(it & 1) ? c.p[1] : c.p[0];
}

/* Indices of sums in State::sum */
constexpr int index_pq = 0; /* (p, q) */
constexpr int index_rz = 1; /* (r, z), the norm's, (z, q) */

/* Adds the contributions of z_i to the sums */
HEPTA_HD void add_sums(const CG &c, Scalar r, Scalar z, Scalar q, Scalar sum[])
{
  sum[0] += r * z;
  sum[1] += c.norm == Norm::preconditioned ? z * z : r * r;
  if (c.flexible) sum[2] += z * q;
}

/* Is there an alpha = (r, z)/(p, q)? */
HEPTA_HD Breakdown breakdown_of_direction(const State &s)
{
  const Scalar pq = s.sum[index_pq];

  if (!finite(pq)) return Breakdown::not_finite;
  return pq == 0 || (s.it > 0 && (pq < 0) != (s.pq < 0)) ? Breakdown::matrix : Breakdown::none;
}

HEPTA_HD Scalar norm_of(Norm norm, Scalar product, Scalar square)
{
  return norm == Norm::none ? Scalar(0) : norm == Norm::natural ? std::sqrt(magnitude(product)) : std::sqrt(square);
}

/*
   Counts the iteration whose step is done. Returns false if there is no alpha: the iteration then does not count, and only p and
   q have changed.
*/
HEPTA_HD bool end_step(State &s, Report &report)
{
  s.breakdown = breakdown_of_direction(s);
  if (s.breakdown != Breakdown::none) {
    pause(s, report);
    return false;
  }
  s.pq    = s.sum[index_pq];
  s.alpha = s.rho / s.pq;
  s.it++;
  return true;
}

/* Can a direction be made with this (r, z)? */
HEPTA_HD Breakdown breakdown_of_product(Scalar rz)
{
  return !finite(rz) ? Breakdown::not_finite : rz == 0 ? Breakdown::zero_residual : Breakdown::none;
}

/* Sets beta for the next direction */
HEPTA_HD void begin_direction(bool flexible, State &s)
{
  const Scalar *sum = s.sum + index_rz, before = s.rho;

  s.rho       = sum[0];
  s.beta      = (flexible ? -s.alpha * sum[2] : s.rho) / before;
  s.breakdown = breakdown_of_product(s.rho);
  if (s.breakdown == Breakdown::none && (s.rho < 0) != (before < 0)) s.breakdown = Breakdown::preconditioner;
}

/* After the last pass of an iteration: notes the iteration, and pauses if the host has to act */
HEPTA_HD void end_iteration(Norm kind, bool flexible, Report &report, State &s)
{
  const Scalar norm = norm_of(kind, s.sum[index_rz], s.sum[index_rz + 1]);

  if (!end_step(s, report)) return;
  note_iteration(s, report, {norm, s.alpha, s.beta, s.rho});
  begin_direction(flexible, s);
  pause_if_due(s, report, norm);
}

HEPTA_HD void end_update(const CG &c, State &s)
{
  end_iteration(c.norm, c.flexible, *c.report, s);
}

/* The passes, as in ../pass.cuh: p <- z + beta p */
struct NewDirection : CG {
  static constexpr int sums = 0, first = 0;
  Scalar               beta;
  Scalar              *to;
  const Scalar        *from;
  struct Row {
    Scalar z, y, p;
  };

  HEPTA_HD bool begin(const State &s)
  {
    beta = s.beta;
    to   = direction(*this, s.it);
    from = direction_before(*this, s.it);
    return true;
  }
  HEPTA_HD Row  get(std::size_t i) const { return {z[i], y ? y[label[i]] : Scalar(0), from[i]}; }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar *) const { to[i] = row.z + row.y + beta * row.p; }
};

/* x <- x + alpha p, r <- r - alpha q, and, where the preconditioner is the identity or a diagonal, z and the sums */
template <Inner I> struct Update : CG {
  static constexpr int sums = I == Inner::outside ? 0 : most_sums, first = index_rz;
  Scalar               alpha;
  const Scalar        *at;
  struct Row {
    Scalar x, r, p, q, d;
  };

  HEPTA_HD bool begin(const State &s)
  {
    alpha = s.rho / s.sum[index_pq];
    at    = direction(*this, s.it);
    return breakdown_of_direction(s) == Breakdown::none;
  }
  HEPTA_HD Row  get(std::size_t i) const { return {x[i], r[i], at[i], q[i], I == Inner::diagonal ? d[i] : Scalar(0)}; }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar sum[]) const
  {
    const Scalar next = row.r - alpha * row.q;

    x[i] = row.x + alpha * row.p;
    r[i] = next;
    if constexpr (I == Inner::identity) add_sums(*this, next, next, row.q, sum);
    if constexpr (I == Inner::diagonal) {
      z[i] = row.d * next;
      add_sums(*this, next, row.d * next, row.q, sum);
    }
  }
  HEPTA_HD void end(State &s) const { end_update(*this, s); }
};

/* Update with inverse diagonal blocks; item m is a block */
struct UpdateBlocks : Update<Inner::outside> {
  static constexpr int sums = most_sums;
  struct Row {};

  HEPTA_HD Row  get(std::size_t) const { return {}; }
  HEPTA_HD void put(std::size_t m, const Row &, Scalar sum[]) const
  {
    const std::size_t i = m * bs, rows = n * bs;

    for (int k = 0; k < bs; k++) Update<Inner::outside>::put(i + k, Update<Inner::outside>::get(i + k), nullptr);
    for (int k = 0; k < bs; k++) {
      Scalar product = 0;

      for (int s = 0; s < bs; s++) product += d[s * rows + i + k] * r[i + s];
      z[i + k] = product;
      add_sums(*this, r[i + k], product, q[i + k], sum);
    }
  }
};

/* A pass whose items are the blocks */
inline UpdateBlocks by_blocks(const CG &c)
{
  UpdateBlocks u = pass_of<UpdateBlocks>(c);

  u.n = c.n / c.bs;
  return u;
}

/* The sums with z if the preconditioner is outside */
struct InnerSums : CG {
  static constexpr int sums = most_sums, first = index_rz;
  struct Row {
    Scalar r, z, q;
  };

  HEPTA_HD Row  get(std::size_t i) const { return {r[i], z[i], flexible ? q[i] : Scalar(0)}; }
  HEPTA_HD void put(std::size_t, const Row &row, Scalar sum[]) const { add_sums(*this, row.r, row.z, row.q, sum); }
  HEPTA_HD void end(State &s) const { end_update(*this, s); }
};

} // namespace hepta::ksp

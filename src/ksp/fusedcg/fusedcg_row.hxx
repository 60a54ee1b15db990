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

/*
   Iterations in float inside an outer iteration in double: with the first diagonal entry a, the norm rho of the first residual
   and A' = A / a, the vectors are those of r' = r / rho, z' = m M^-1 r', and x' = a (x - x_0) / rho, where x_0 is x after the last
   outer step. An outer step, x <- x_0 + (rho / a) x', r <- b - A x, r' <- r / rho, x' <- 0, is due when the norm of r' has fallen,
   and in each iteration that may be the last. The next direction follows from the direction before.
*/
struct FloatSolve {
  Scalar rho, a, m;
  Scalar fall;     /* an outer step is due when the norm of the residual has fallen by this factor */
  Scalar most;     /* from this norm, the largest one since the last outer step */
  Scalar norm;     /* of the residual in this iteration */
  int    starting; /* do passes follow an outer step? They only make z' and its sums. */
  int    due;      /* is an outer step due? */
  int    until;    /* the iteration after which float is given up unless an outer step is due before */
};

/* The data of all passes of fused CG with vectors of T */
template <class T> struct CGOf : Pass {
  Norm          norm;
  bool          flexible;
  bool          two; /* p[it mod 2] from p[(it + 1) mod 2], since a product pass reads p of other rows; otherwise p[0] in place */
  int           bs;  /* size of the blocks of d */
  T            *x, *r, *z, *p[2], *q;
  const T      *d; /* inverse diagonal blocks: entry (i mod bs, s) of the block of row i is d[s*n + i] */
  const Index  *label;
  const Scalar *y; /* null: not deflated */
  Border        border;
  Scalar       *pg[2];  /* on several ranks the ghost values of both buffers of p */
  FloatSolve   *floats; /* null: not an inner iteration in float */
};

using CG = CGOf<Scalar>;

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

/* Adds the contributions of z_i to the sums; of iterations in float the third sum is (r, r) */
template <class C> HEPTA_HD void add_sums(const C &c, Scalar r, Scalar z, Scalar q, Scalar sum[])
{
  sum[0] += r * z;
  sum[1] += c.norm == Norm::preconditioned ? z * z : r * r;
  if (c.flexible) sum[2] += z * q;
  else if (c.floats) sum[2] += r * r;
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

/* After an outer step: the coefficients of the next direction */
HEPTA_HD void begin_floats(State &s, Report &report)
{
  if (s.it) begin_direction(false, s);
  else {
    s.rho       = s.sum[index_rz];
    s.breakdown = breakdown_of_product(s.rho);
  }
  if (s.breakdown != Breakdown::none) pause(s, report);
}

/* After an iteration in float, which is noted unless an outer step is due */
HEPTA_HD void end_floats(Norm kind, FloatSolve &w, State &s, Report &report)
{
  const Scalar *sum  = s.sum + index_rz;
  const Scalar  unit = w.rho / (kind == Norm::preconditioned ? w.m : kind == Norm::natural ? std::sqrt(w.m) : 1);
  const Scalar  norm = unit * norm_of(kind, sum[0], sum[1]);

  w.due = 0;
  if (!end_step(s, report)) return;
  w.norm = w.rho * std::sqrt(sum[2]);
  if (w.norm > w.most) w.most = w.norm;
  if (w.norm > w.fall * w.most && w.most < HUGE_VAL && norm > s.least && norm < s.most && s.it < s.last && s.it < w.until) {
    note_iteration(s, report, {norm, w.m / w.a * s.alpha, s.beta, w.rho * w.rho / w.m * s.rho});
    begin_direction(false, s);
    pause_if_due(s, report, norm);
  } else {
    w.due = 1;
    pause(s, report);
  }
}

template <class C> HEPTA_HD void end_update(const C &c, State &s)
{
  if (!c.floats) {
    end_iteration(c.norm, c.flexible, *c.report, s);
    return;
  }
  FloatSolve w = *c.floats; /* a copy, since each access to memory after a store there would wait */
  if (w.starting) begin_floats(s, *c.report);
  else end_floats(c.norm, w, s, *c.report);
  w.starting = 0;
  *c.floats  = w;
}

/* The passes, as in ../pass.cuh: p <- z + beta p */
template <class T> struct NewDirection : CGOf<T> {
  static constexpr int sums = 0, first = 0;
  Scalar               beta;
  T                   *to;
  const T             *from;
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
  HEPTA_HD Row get(std::size_t i) const
  {
    return {Scalar(this->z[i]), this->y ? this->y[this->label[i]] : Scalar(0), Scalar(from[i])};
  }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar *) const { to[i] = T(row.z + row.y + beta * row.p); }
};

/* x <- x + alpha p, r <- r - alpha q, and, where the preconditioner is the identity or a diagonal, z and the sums */
template <class T, Inner I> struct Update : CGOf<T> {
  static constexpr int sums = I == Inner::outside ? 0 : most_sums, first = index_rz;
  Scalar               alpha;
  const T             *at;
  struct Row {
    Scalar x, r, p, q, d;
  };

  HEPTA_HD bool begin(const State &s)
  {
    const bool starting = this->floats && this->floats->starting;

    alpha = starting ? Scalar(0) : s.rho / s.sum[index_pq];
    at    = direction(*this, s.it);
    return starting || breakdown_of_direction(s) == Breakdown::none;
  }
  HEPTA_HD Row get(std::size_t i) const
  {
    return {Scalar(this->x[i]), Scalar(this->r[i]), Scalar(at[i]), Scalar(this->q[i]),
            I == Inner::diagonal ? Scalar(this->d[i]) : Scalar(0)};
  }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar sum[]) const
  {
    const T next = T(row.r - alpha * row.q);

    this->x[i] = T(row.x + alpha * row.p);
    this->r[i] = next;
    if constexpr (I == Inner::identity) add_sums(*this, next, next, row.q, sum);
    if constexpr (I == Inner::diagonal) {
      const T to = T(row.d * next);

      this->z[i] = to;
      add_sums(*this, next, to, row.q, sum);
    }
  }
  HEPTA_HD void end(State &s) const { end_update(*this, s); }
};

/* Update with inverse diagonal blocks; item m is a block */
template <class T> struct UpdateBlocks : Update<T, Inner::outside> {
  static constexpr int sums = most_sums;
  using Rows                = Update<T, Inner::outside>;
  struct Row {};

  HEPTA_HD Row  get(std::size_t) const { return {}; }
  HEPTA_HD void put(std::size_t m, const Row &, Scalar sum[]) const
  {
    const int         bs = this->bs;
    const std::size_t i = m * bs, rows = this->n * bs;

    for (int k = 0; k < bs; k++) Rows::put(i + k, Rows::get(i + k), nullptr);
    for (int k = 0; k < bs; k++) {
      Scalar product = 0;

      for (int s = 0; s < bs; s++) product += Scalar(this->d[s * rows + i + k]) * this->r[i + s];
      this->z[i + k] = T(product);
      add_sums(*this, this->r[i + k], this->z[i + k], this->q[i + k], sum);
    }
  }
};

/* A pass whose items are the blocks */
template <class T> UpdateBlocks<T> by_blocks(const CGOf<T> &c)
{
  UpdateBlocks<T> u = pass_of<UpdateBlocks<T>>(c);

  u.n = c.n / c.bs;
  return u;
}

/* The sums with z if the preconditioner is outside */
template <class T> struct InnerSums : CGOf<T> {
  static constexpr int sums = most_sums, first = index_rz;
  struct Row {
    Scalar r, z, q;
  };

  HEPTA_HD Row get(std::size_t i) const
  {
    return {Scalar(this->r[i]), Scalar(this->z[i]), this->flexible ? Scalar(this->q[i]) : Scalar(0)};
  }
  HEPTA_HD void put(std::size_t, const Row &row, Scalar sum[]) const { add_sums(*this, row.r, row.z, row.q, sum); }
  HEPTA_HD void end(State &s) const { end_update(*this, s); }
};

} // namespace hepta::ksp

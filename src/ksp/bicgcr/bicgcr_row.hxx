/*
   The arithmetic of BiCGCR in passes over rows, once for host and device. With z the preconditioned residual, q = A p, u = M^-1
   q, w = A z, and the shadows z*, q* = A^T p*, u* = M^-T q*, w* = A^T z* of an unsymmetric A; for a symmetric A each shadow is
   the vector itself:

     update      x <- x + alpha p,  z <- z - alpha u,  z* <- z* - alpha u*    with alpha = rho/(q*, u); the norm's sum
     product     w <- A z,  w* <- A^T z*,                                     sum rho = (z*, w)
     direction   p <- z + beta p,  q <- w + beta q,  q* <- w* + beta q*,      with beta = rho/rho_old
                 u <- M^-1 q,  u* <- M^-T q*,                                 sum (q*, u)

   p* is needed only in q*. r <- r - alpha q is computed only if its norm is tested.
*/
#pragma once

#include <cmath>

#include "../iteration.hxx"

namespace hepta::ksp
{

/* The data of all passes of BiCGCR. Shadows are null if A is symmetric; on a rank without rows all vectors may be null. */
struct BiCGCR : Pass {
  Norm          norm;
  bool          two_sided;                 /* there are shadows */
  bool          within;                    /* the passes compute u from q */
  Scalar       *x, *r, *z, *p, *q, *u, *w; /* r: null unless needed; u may be q */
  Scalar       *zs, *qs, *us, *ws;         /* us may be qs */
  const Scalar *d;                         /* the diagonal of M^-1, if the passes multiply with it */
};

/* Indices of sums in State::sum */
constexpr int index_qu   = 0; /* (q*, u) */
constexpr int index_norm = 1;
constexpr int index_zw   = 2; /* (z*, w) */

struct BiCGCRUpdate : BiCGCR {
  static constexpr int sums = 1, first = index_norm;
  Scalar               alpha;
  struct Row {
    Scalar x, r, z, p, q, u, zs, us;
  };

  HEPTA_HD bool begin(const State &s)
  {
    alpha = s.rho / s.sum[index_qu];
    return true;
  }
  HEPTA_HD Row get(std::size_t i) const
  {
    return {x[i], r ? r[i] : Scalar(0), z[i], p[i], r ? q[i] : Scalar(0), u[i], zs ? zs[i] : Scalar(0), zs ? us[i] : Scalar(0)};
  }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar sum[]) const
  {
    const Scalar next = row.z - alpha * row.u, residual = row.r - alpha * row.q;

    x[i] = row.x + alpha * row.p;
    z[i] = next;
    if (r) r[i] = residual;
    if (zs) zs[i] = row.zs - alpha * row.us;
    sum[0] += r ? residual * residual : next * next;
  }
};

/* p, q, q*, and u, u* if the preconditioner is part of the pass; otherwise the sum (q*, u) is not used */
struct BiCGCRDirection : BiCGCR {
  static constexpr int sums = 1, first = index_qu;
  Scalar               beta;
  struct Row {
    Scalar z, p, w, q, ws, qs, d;
  };

  HEPTA_HD bool begin(const State &s)
  {
    beta = s.sum[index_zw] / s.rho;
    return true;
  }
  HEPTA_HD Row get(std::size_t i) const
  {
    return {z[i], p[i], w[i], q[i], zs ? ws[i] : Scalar(0), zs ? qs[i] : Scalar(0), d ? d[i] : Scalar(1)};
  }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar sum[]) const
  {
    const Scalar next = row.w + beta * row.q, shadow = zs ? row.ws + beta * row.qs : next;

    p[i] = row.z + beta * row.p;
    q[i] = next;
    if (zs) qs[i] = shadow;
    if (d) {
      u[i] = row.d * next;
      if (zs) us[i] = row.d * shadow;
    }
    sum[0] += shadow * (row.d * next);
  }
  HEPTA_HD void end(State &) const;
};

/* The sum (q*, u) if the preconditioner is outside */
struct BiCGCRSum : BiCGCR {
  static constexpr int sums = 1, first = index_qu;
  struct Row {
    Scalar q, u;
  };

  HEPTA_HD Row  get(std::size_t i) const { return {zs ? qs[i] : q[i], u[i]}; }
  HEPTA_HD void put(std::size_t, const Row &row, Scalar sum[]) const { sum[0] += row.q * row.u; }
  HEPTA_HD void end(State &) const;
};

/* Checks the inner products that the next iteration divides by */
HEPTA_HD Breakdown breakdown_of_bicgcr(const BiCGCR &c, Scalar qu)
{
  if (!finite(qu)) return Breakdown::not_finite;
  if (c.two_sided) return qu == 0 ? Breakdown::zero_product : Breakdown::none;
  return qu <= 0 ? Breakdown::preconditioner : Breakdown::none;
}

/* After the last pass of an iteration */
HEPTA_HD void end_bicgcr(const BiCGCR &c, State &s)
{
  const Scalar norm =
    c.norm == Norm::none ? Scalar(0) : std::sqrt(c.norm == Norm::natural ? magnitude(s.sum[index_zw]) : s.sum[index_norm]);

  s.rho = s.sum[index_zw];
  s.it++;
  note_iteration(s, *c.report, {norm, 0, 0, 0});
  s.breakdown = breakdown_of_bicgcr(c, s.sum[index_qu]);
  pause_if_due(s, *c.report, norm);
}

HEPTA_HD void BiCGCRDirection::end(State &s) const
{
  if (within) end_bicgcr(*this, s);
}

HEPTA_HD void BiCGCRSum::end(State &s) const
{
  end_bicgcr(*this, s);
}

} // namespace hepta::ksp

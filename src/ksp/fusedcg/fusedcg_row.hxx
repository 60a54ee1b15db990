/*
   The arithmetic of preconditioned CG in two passes, once for host and device:

     direction    p <- z + beta p,  q <- A p,                    sum (p, q)
     update       x <- x + alpha p,  r <- r - alpha q,  z <- M^-1 r,   sums (r, z), the norm's, (z, q)

   with alpha = (r, z)/(p, q) after the first, and after the second beta = (r, z)/(r, z)_old or, flexible (Polak-Ribiere),
   beta = (z, r - r_old)/(r, z)_old = -alpha (z, q)/(r, z)_old.
*/
#pragma once

#include <cmath>

#include "../iteration.hxx"

namespace hepta::ksp
{

/* Where z <- M^-1 r is made */
enum class Inner : int {
  outside,  /* by a preconditioner between two passes */
  identity, /* z is r */
  diagonal, /* by the inverse diagonal, in `update` */
  blocks    /* by the inverse diagonal blocks, likewise */
};

/* What all passes of fused CG see. The vectors have n entries; all pointers lead to one memory. */
struct CG {
  std::size_t   n;
  Inner         inner;
  Norm          norm;
  bool          flexible;
  bool          two;  /* p[it mod 2] is made from p[(it + 1) mod 2]: a product reads p of other rows; otherwise p[0] changes in place */
  bool          ends; /* the pass makes the next scalars itself; otherwise only sums, which are of this rank */
  int           bs;   /* size of the blocks of d */
  Scalar       *x, *r, *z, *p[2], *q;
  const Scalar *d; /* inverse diagonal blocks: entry (i mod bs, s) of the block of row i is d[s*n + i] */
  State        *state;
  Report       *report;
  Scalar       *partial; /* sums of each thread block */
};

HEPTA_HD Scalar *direction(const CG &c, int it)
{
  return c.p[c.two ? it & 1 : 0];
}

HEPTA_HD const Scalar *direction_before(const CG &c, int it)
{
  return c.p[c.two ? (it + 1) & 1 : 0];
}

/* The sums that follow z_i */
HEPTA_HD void add_sums(const CG &c, Scalar r, Scalar z, Scalar q, Scalar sum[])
{
  sum[0] += r * z;
  sum[1] += c.norm == Norm::preconditioned ? z * z : r * r;
  if (c.flexible) sum[2] += z * q;
}

/* What `update` reads and changes of a row */
struct Row {
  Scalar x, r, p, q, d;
};

template <Inner I> HEPTA_HD Row get_row(const CG &c, const Scalar *p, std::size_t i)
{
  return {c.x[i], c.r[i], p[i], c.q[i], I == Inner::diagonal ? c.d[i] : Scalar(0)};
}

/* Row i of `update` */
template <Inner I> HEPTA_HD void update_row(const CG &c, std::size_t i, Scalar alpha, const Row &row, Scalar sum[])
{
  const Scalar r = row.r - alpha * row.q;

  c.x[i] = row.x + alpha * row.p;
  c.r[i] = r;
  if constexpr (I == Inner::identity) add_sums(c, r, r, row.q, sum);
  if constexpr (I == Inner::diagonal) {
    const Scalar z = row.d * r;

    c.z[i] = z;
    add_sums(c, r, z, row.q, sum);
  }
}

/* The rows of a block, from i on */
HEPTA_HD void update_block(const CG &c, std::size_t i, Scalar alpha, const Scalar *p, Scalar sum[])
{
  for (int k = 0; k < c.bs; k++) update_row<Inner::outside>(c, i + k, alpha, get_row<Inner::outside>(c, p, i + k), sum);
  for (int k = 0; k < c.bs; k++) {
    Scalar z = 0;

    for (int s = 0; s < c.bs; s++) z += c.d[s * c.n + i + k] * c.r[i + s];
    c.z[i + k] = z;
    add_sums(c, c.r[i + k], z, c.q[i + k], sum);
  }
}

/* After `direction` */
HEPTA_HD void end_direction(const CG &c, State &s)
{
  const Scalar before = s.pq;

  s.pq = s.sum[0];
  if (!finite(s.pq)) s.breakdown = Breakdown::not_finite;
  else if (s.pq == 0 || (s.it > 0 && (s.pq < 0) != (before < 0))) s.breakdown = Breakdown::matrix;
  if (s.breakdown != Breakdown::none) pause(s, *c.report);
  else s.alpha = s.rz / s.pq;
}

HEPTA_HD Scalar norm_of(const CG &c, const State &s)
{
  switch (c.norm) {
  case Norm::none: return 0;
  case Norm::natural: return std::sqrt(magnitude(s.sum[0]));
  default: return std::sqrt(s.sum[1]);
  }
}

/* After z <- M^-1 r: what the iteration leaves, beta, and whether the host has to look */
HEPTA_HD void end_update(const CG &c, State &s)
{
  const Scalar norm = norm_of(c, s), before = s.rz;

  s.it++;
  note_iteration(s, *c.report, {norm, s.alpha, s.beta});
  s.rz   = s.sum[0];
  s.beta = (c.flexible ? -s.alpha * s.sum[2] : s.rz) / before;
  if (!finite(s.rz)) s.breakdown = Breakdown::not_finite;
  else if (s.rz == 0) s.breakdown = Breakdown::zero_residual;
  else if ((s.rz < 0) != (before < 0)) s.breakdown = Breakdown::preconditioner;
  if (s.breakdown != Breakdown::none || !(norm > s.least) || norm >= s.most || s.it >= s.last) pause(s, *c.report);
}

} // namespace hepta::ksp

/*
   The arithmetic of preconditioned CG with a single reduction, after Chronopoulos and Gear, once for host and device. With w = A
   z,

     step    p <- z + beta p,  s <- w + beta s,  x <- x + alpha p,  r <- r - alpha s,  z <- M^-1 r
     w <- A z,  sums (r, z), the norm's, (z, w)

   then beta = (r, z)/(r, z)_old, (p, A p) = (z, w) - beta (r, z)/alpha_old and alpha = (r, z)/(p, A p) follow from the same sums.
   If the preconditioner is a diagonal d, an iteration is one pass: the product computes z of other rows as d (r - alpha
   (w + beta s)) from the old r, w, s. Therefore r, w and s have two buffers.
*/
#pragma once

#include "fusedcg_row.hxx"

namespace hepta::ksp
{

/*
   The data of the passes. With two buffers of r, s and w, buffer it mod 2 is read and the other buffer written; otherwise buffer
   0 is updated in place.
*/
struct SingleCG : Pass {
  Norm          norm;
  bool          two;
  Scalar       *x, *z, *p, *r[2], *s[2], *w[2];
  const Scalar *d; /* null: ones */
};

constexpr int index_single = 0; /* (r, z), the norm's, (z, w) */

HEPTA_HD void add_single_sums(const SingleCG &c, Scalar r, Scalar z, Scalar w, Scalar sum[])
{
  sum[0] += r * z;
  sum[1] += c.norm == Norm::preconditioned ? z * z : r * r;
  sum[2] += z * w;
}

/* After the last pass of an iteration */
HEPTA_HD void end_single(const SingleCG &c, State &s)
{
  const Scalar *sum = s.sum + index_single, norm = norm_of(c.norm, sum[0], sum[1]), rho = s.rho, pq = s.pq;

  s.it++;
  note_iteration(s, *c.report, {norm, s.alpha, s.beta, s.rho});
  s.rho  = sum[0];
  s.beta = s.rho / rho;
  s.pq   = sum[2] - s.beta * s.rho / s.alpha;
  if (!finite(s.rho)) s.breakdown = Breakdown::not_finite;
  else if (s.rho == 0) s.breakdown = Breakdown::zero_residual;
  else if ((s.rho < 0) != (rho < 0)) s.breakdown = Breakdown::preconditioner;
  else if (!finite(s.pq)) s.breakdown = Breakdown::not_finite;
  else if (s.pq == 0 || (s.pq < 0) != (pq < 0)) s.breakdown = Breakdown::matrix;
  s.alpha = s.rho / s.pq;
  pause_if_due(s, *c.report, norm);
}

/* Updates the vectors in place, without a product, also z unless the preconditioner is outside */
template <Inner I> struct SingleStep : SingleCG {
  static constexpr int sums = 0, first = 0;
  Scalar               alpha, beta;
  struct Row {
    Scalar x, z, p, r, s, w, d;
  };

  HEPTA_HD bool begin(const State &state)
  {
    alpha = state.alpha;
    beta  = state.beta;
    return true;
  }
  HEPTA_HD Row get(std::size_t i) const
  {
    return {x[i], z[i], p[i], r[0][i], s[0][i], w[0][i], I == Inner::diagonal ? d[i] : Scalar(1)};
  }
  HEPTA_HD void put(std::size_t i, const Row &row, Scalar *) const
  {
    const Scalar to = row.z + beta * row.p, step = row.w + beta * row.s, next = row.r - alpha * step;

    p[i]    = to;
    s[0][i] = step;
    x[i]    = row.x + alpha * to;
    r[0][i] = next;
    if (I != Inner::outside) z[i] = row.d * next;
  }
};

/* The sums, after w = A z has been computed */
struct SingleSums : SingleCG {
  static constexpr int sums = most_sums, first = index_single;
  struct Row {
    Scalar r, z, w;
  };

  HEPTA_HD Row  get(std::size_t i) const { return {r[0][i], z[i], w[0][i]}; }
  HEPTA_HD void put(std::size_t, const Row &row, Scalar sum[]) const { add_single_sums(*this, row.r, row.z, row.w, sum); }
  HEPTA_HD void end(State &state) const { end_single(*this, state); }
};

} // namespace hepta::ksp

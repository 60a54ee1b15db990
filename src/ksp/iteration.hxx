/*
   Data shared by the passes of a Krylov method: the scalars that one pass leaves for the next pass, and the report that the host
   reads while the device continues.

   A pass reads the state and does nothing if `pause` is set. Otherwise the pass adds up its sums into its own elements of `sum`,
   or leaves the addition to the next pass. Later passes compute scalars from the sums. The last thread block of the last pass of
   an iteration, which may have added the sums of all ranks, notes the iteration; otherwise the host does.
*/
#pragma once

#include <cstdint>

#include "../shared/each.hxx"

namespace hepta::transport
{
struct Team;
}

namespace hepta::ksp
{

constexpr int most_sums  = 3; /* the most sums of one pass */
constexpr int state_sums = 8; /* the most sums of all passes of a method */

/* Reasons other than the norm why iterations ended; the host converts a Breakdown to a KSPConvergedReason */
enum class Breakdown : int {
  none,
  not_finite,     /* an inner product is Inf or NaN */
  zero_residual,  /* (r, z) = 0 */
  preconditioner, /* an inner product with the preconditioner has the wrong sign */
  matrix,         /* (p, A p) is zero or changed its sign */
  zero_product,   /* an inner product that the method divides by is zero */
  zero_direction, /* of BiCGStab: K s = 0 although s is not */
  solved          /* of BiCGStab: K s = 0, and s = 0 too */
};

struct State {
  Scalar    sum[state_sums];
  Scalar    rho, pq; /* inner products whose quotients are the coefficients; in CG (r, z) and (p, A p) */
  Scalar    alpha, beta, omega;
  Scalar    least, most; /* the iterations pause at a norm that is not above `least`, or not below `most`, or NaN */
  int       it, last;    /* iterations done; the iterations pause after `last` */
  int       pause;
  Breakdown breakdown;
  unsigned  tickets; /* thread blocks of the present pass that have finished */
  unsigned  left;    /* thread blocks whose sums a pass has left to the next pass, in Pass::partial */
};

/* One iteration as the host sees it */
struct Entry {
  Scalar norm, alpha, beta;
  Scalar rho; /* of CG: the (r, z) that alpha was made of; otherwise 0 */
};

/*
   The last iterations. The passes write one report; publish_cuda() copies to the report that the host reads: the entries first,
   then `it`, and `pause` last
*/
struct Report {
  static constexpr int size = 64; /* more than the launched iterations that the host has not read */

  volatile int it, pause;
  Breakdown    breakdown;
  Entry        entry[size];
};

/*
   The data of all passes of all methods, and the empty begin() and end() of most passes. Vectors have n entries; all pointers are
   to the same memory.
*/
struct Pass {
  std::size_t            n;
  bool                   ends; /* does an iteration's last pass note the iteration? Otherwise sums are this rank's only */
  State                 *state;
  Report                *report;
  Scalar                *partial; /* sums of each thread block, one block's after another's */
  const transport::Team *team;    /* the ranks whose sums a pass adds on the device; null for none */
  bool                   beside;  /* a product pass may overlap the preceding sender of ghost values, and ends last */
  /* a product pass leaves its sums to the border pass, as many; without rows maybe more, all zero */
  bool leaves;

  HEPTA_HD bool idle() const { return state->pause; } /* is there nothing to do? */
  HEPTA_HD bool begin(const State &) const { return true; }
  HEPTA_HD void end(State &) const {}
};

/* The gathered sums of the passes of several ranks: sum k of rank r is all[r*n + k], to be added to the state's sum[first + k] */
struct RankSums {
  State        *state;
  const Scalar *all;
  int           ranks, first, n;
};

/*
   On several ranks the border rows, which have columns of other ranks. A product pass multiplies border rows with the rank's own
   columns only and leaves the sums of border rows to the pass that adds the rest.
*/
struct Border {
  const std::uint32_t *bits; /* a bit for each row, set for border rows; null: no border rows */

  HEPTA_HD bool Has(std::size_t i) const { return bits && bits[i / 32] >> i % 32 & 1; }
};

/* Where z <- M^-1 r is computed */
enum class Inner : int {
  outside,  /* by a preconditioner between two passes */
  identity, /* z is r */
  diagonal, /* by the inverse diagonal, in a pass over rows */
  blocks    /* by the inverse diagonal blocks, likewise */
};

/* The kinds of norm that a method tests, with the numbers of KSPNormType */
enum class Norm : int {
  none,
  preconditioned,   /* sqrt (z, z) */
  unpreconditioned, /* sqrt (r, r) */
  natural           /* sqrt |(r, z)| */
};

/* A pass P with the data c of its method */
template <class P, class C> P pass_of(const C &c)
{
  P p{};

  static_cast<C &>(p) = c;
  return p;
}

/* Stops the iterations until the host resumes */
HEPTA_HD void pause(State &s, Report &report)
{
  s.pause          = 1;
  report.breakdown = s.breakdown;
  report.pause     = 1;
}

/* Pauses after iteration s.it if its norm or number is beyond the limits */
HEPTA_HD void pause_if_due(State &s, Report &report, Scalar norm)
{
  if (s.breakdown != Breakdown::none || !(norm > s.least) || norm >= s.most || s.it >= s.last) pause(s, report);
}

/* Reports that iteration s.it is done */
HEPTA_HD void note_iteration(const State &s, Report &report, const Entry &entry)
{
  report.entry[s.it % Report::size] = entry;
  report.it                         = s.it;
}

/*
   The launchers of passes. CMake compiles the lists of passes, by HEPTA_PASS in a _launch.cxx, for host and device. The form of a
   pass stands in pass.cuh.
*/
/* Runs the pass, which does nothing while the state's `pause` is set; on the device in the order of the stream */
template <class E, class P> Status run_pass(const E &, const P &);
/* Adds the sums of all ranks, and then calls end(state) of the pass */
template <class P> Status end_pass_cuda(const P &, const RankSums &, Stream);

} // namespace hepta::ksp

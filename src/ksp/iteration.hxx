/*
   What the passes of a Krylov method share: the scalars that one pass leaves for the next, and the report that the host reads while
   the device goes on.

   A pass reads the state, does nothing if `pause` is set, and otherwise adds up its sums. The last thread block to finish, or the host
   after the sums of all ranks are known, calls the method's function that makes the next scalars of them.
*/
#pragma once

#include "../shared/each.hxx"

namespace hepta::ksp
{

constexpr int most_sums = 3; /* of one pass */

/* What ended the iterations besides the norm; the host turns it into a KSPConvergedReason */
enum class Breakdown : int {
  none,
  not_finite,     /* an inner product is Inf or NaN */
  zero_residual,  /* (r, z) = 0 */
  preconditioner, /* (r, z) changed its sign */
  matrix          /* (p, A p) is zero or changed its sign */
};

struct State {
  Scalar    sum[most_sums]; /* of the pass that ran last */
  Scalar    rz, pq;         /* (r, z), (p, A p) */
  Scalar    alpha, beta;
  Scalar    least, most; /* the iterations pause at a norm that is not above `least`, or not below `most`, or NaN */
  int       it, last;    /* iterations done; they pause after the last */
  int       pause;
  Breakdown breakdown;
  unsigned  tickets; /* thread blocks of the present pass that have finished */
};

/* One iteration as the host sees it */
struct Entry {
  Scalar norm, alpha, beta;
};

/* The last iterations; what the passes write, and what `publish` copies of it to where the host looks: the entries first, then `it`, and `pause` last */
struct Report {
  static constexpr int size = 64; /* more than the iterations that are launched before the host reads the first of them */

  volatile int it, pause;
  Breakdown    breakdown;
  Entry        entry[size];
};

/* The kinds of norm that a method tests */
enum class Norm : int {
  none,
  preconditioned,   /* sqrt (z, z) */
  unpreconditioned, /* sqrt (r, r) */
  natural           /* sqrt |(r, z)| */
};

/* Ends the iterations until the host says otherwise */
HEPTA_HD void pause(State &s, Report &report)
{
  s.pause          = 1;
  report.breakdown = s.breakdown;
  report.pause     = 1;
}

/* Iteration s.it is done */
HEPTA_HD void note_iteration(const State &s, Report &report, const Entry &entry)
{
  report.entry[s.it % Report::size] = entry;
  report.it                         = s.it;
}

} // namespace hepta::ksp

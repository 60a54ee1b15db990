/*
   What the passes of a Krylov method share: the scalars that one pass leaves for the next, and the report that the host reads while
   the device goes on.

   A pass reads the state, does nothing if `pause` is set, and otherwise adds up its sums into elements of `sum` of its own. The passes after it
   compute scalars from them. In the last pass of an iteration the last thread block to finish, which may have added the sums of all ranks, or the host after it has, notes the iteration.
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

constexpr int most_sums   = 3; /* of one pass */
constexpr int most_places = 8; /* of the sums of all passes */

/* What ended the iterations besides the norm; the host turns it into a KSPConvergedReason */
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
  Scalar    sum[most_places];
  Scalar    rho, pq; /* the inner products that coefficients are quotients of; in CG (r, z) and (p, A p) */
  Scalar    alpha, beta, omega;
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

/* What all passes of a method see. Vectors have n entries; all pointers lead to one memory. */
struct Pass {
  std::size_t            n;
  bool                   ends; /* the last pass of an iteration notes it itself; otherwise its sums are of this rank only */
  State                 *state;
  Report                *report;
  Scalar                *partial; /* sums of each thread block */
  const transport::Team *team;    /* the ranks whose sums a pass adds on the device; null for none */
  bool                   beside;  /* a product pass runs beside the kernel before it, which sends ghost values, and ends after it */
};

/* Sums that a pass on each of several ranks has made for itself, when they have been gathered: sum k of rank r is all[r*n + k], and belongs in sum[first + k] of the state */
struct RankSums {
  State        *state;
  const Scalar *all;
  int           ranks, first, n;
};

/* On several ranks the rows with columns of other ranks, the border rows, to which a product pass gives what the rank's own columns give. Their sums are for the pass that adds the rest. */
struct Border {
  const std::uint32_t *bits; /* one for each row, set for border rows; null: there are none */

  HEPTA_HD bool Has(std::size_t i) const { return bits && bits[i / 32] >> i % 32 & 1; }
};

/* Where z <- M^-1 r is made */
enum class Inner : int {
  outside,  /* by a preconditioner between two passes */
  identity, /* z is r */
  diagonal, /* by the inverse diagonal, in a pass over rows */
  blocks    /* by the inverse diagonal blocks, likewise */
};

/* The kinds of norm that a method tests */
enum class Norm : int {
  none,
  preconditioned,   /* sqrt (z, z) */
  unpreconditioned, /* sqrt (r, r) */
  natural           /* sqrt |(r, z)| */
};

/* A pass P of a method whose passes all see C */
template <class P, class C> P pass_of(const C &c)
{
  P p{};

  static_cast<C &>(p) = c;
  return p;
}

/* Ends the iterations until the host says otherwise */
HEPTA_HD void pause(State &s, Report &report)
{
  s.pause          = 1;
  report.breakdown = s.breakdown;
  report.pause     = 1;
}

/* The same, after iteration s.it, if its norm or its number asks for it */
HEPTA_HD void pause_if_due(State &s, Report &report, Scalar norm)
{
  if (s.breakdown != Breakdown::none || !(norm > s.least) || norm >= s.most || s.it >= s.last) pause(s, report);
}

/* Iteration s.it is done */
HEPTA_HD void note_iteration(const State &s, Report &report, const Entry &entry)
{
  report.entry[s.it % Report::size] = entry;
  report.it                         = s.it;
}

} // namespace hepta::ksp

/* The criterion for good pivots of an incomplete factorization, the treatment of bad pivots, and the report of a factorization */
#pragma once

#include <limits>

#include "../../shared/each.hxx"
#include "../../shared/invert_block.hxx"

namespace hepta::factor
{

/* The bound that a pivot a_ii must exceed to be good */
enum class Bound {
  fixed,  /* the tolerance; for a diagonal block the tolerance times its largest entry */
  row,    /* the tolerance times the sum of the row's other factors, |l_ik| and |u_ij| */
  largest /* the tolerance times the larger of the sum of the row's other factors and |a_ii| before the elimination */
};

struct PivotRule {
  bool   symmetric; /* for IC: the sum has only the factors to the right */
  bool   positive;  /* a pivot must be positive; if false, the pivot's absolute value counts */
  bool   replace;   /* a bad pivot a becomes a + amount, with `positive` |a| + amount */
  Bound  bound;
  Scalar tolerance, amount;
};

/* The problems that a factorization found: rows of the scalar matrix, encoded by note_first() */
struct Report {
  long long bad = 0, infinite = 0; /* rows whose pivot failed; rows with a value that is not finite */
  long long steep    = 0;          /* PC blockic: rows with a factor too large for the scan */
  long long replaced = 0;          /* the number of pivots that were replaced */
};

/* Up to 2^-1024 (2^-128 in float), the reciprocal of a number is larger than the largest number */
constexpr Scalar no_inverse = std::numeric_limits<Scalar>::min() / 4;

/* Is 1 / pivot finite? Without a division, since dependent rows would have to wait for a division. */
HEPTA_HD bool invertible(Scalar pivot)
{
  return magnitude(pivot) > no_inverse;
}

/* *pivot <- the pivot to continue with in a row. After a failure: reports the row, *pivot <- 1, returns false. */
HEPTA_HD bool check_pivot(const PivotRule &rule, Scalar bound, long long row, Scalar *pivot, Report *report)
{
  const Scalar size = rule.positive ? *pivot : magnitude(*pivot);

  if (size > bound && invertible(*pivot)) return true;
  if (rule.replace && finite(*pivot)) {
    *pivot = (rule.positive ? magnitude(*pivot) : *pivot) + rule.amount;
    note_one(&report->replaced);
    if (invertible(*pivot)) return true;
  }
  note_first(&report->bad, row);
  *pivot = 1;
  return false;
}

/*
   D <- D^-1 for the n x n block D(r, s) = a[r + s*n] with first row `row`; the pivot of block row r must exceed bounds[r].
   Without row exchanges (exchange null) the pivots of a symmetric block are positive if and only if the block is positive
   definite. Returns whether all pivots were good.
*/
HEPTA_HD bool invert_pivots(const PivotRule &rule, Index n, Scalar *a, Scalar *bounds, Index *exchange, long long row,
                            Report *report)
{
  bool good = true;

  (void)invert_block(n, a, std::size_t(n), exchange, [&](Index k, Index p, Scalar &pivot) {
    good      = check_pivot(rule, bounds[p], row + k, &pivot, report) && good;
    bounds[p] = bounds[k]; /* the rows are swapped */
    return true;
  });
  return good;
}

} // namespace hepta::factor

/* Pairs of strongly coupled rows */
#pragma once

#include "../../../shared/device.hxx"

namespace hepta::strength
{

/* The couplings of n rows: those of row i are first[i] ... first[i + 1] - 1, without its own; weights that are not positive couple nothing. Symmetric: (i, j) and (j, i) have the same weight. */
struct Graph {
  Index              n;
  const std::size_t *first;
  const Index       *neighbor;
  const Scalar      *weight;
};

/*
   number[i] <- the number of row i's pair, from 0 to *count - 1 in the order of their least rows; partner and work: room for n each.

   In rounds each row without a partner points to the free neighbor that it is coupled with most strongly, if that coupling has at least a quarter of the strongest of one of the two; two rows that point to each
   other are a pair. After ROUNDS rounds, or one that makes no pair, the neighbors are ranked by random numbers in place of weights, for as many rounds. Rows that are left join the
   aggregate of the neighbor that they are coupled with most strongly; rows that nothing couples are one aggregate if `alone_together`, otherwise one each. The result does not depend on the order in which rows are gone through.
*/
constexpr int ROUNDS = 24;
Status        pair_host(const Graph &g, bool alone_together, Index *number, Index *partner, Index *work, Index *count);

} // namespace hepta::strength

/* Aggregates of strongly coupled rows */
#pragma once

#include "../../../shared/each.hxx"

namespace hepta::strength
{

/* The couplings of n rows: those of row i are first[i] ... first[i + 1] - 1; weights that are not positive, such as those of rows with themselves, do not count as couplings. The graph is symmetric: (i, j) and (j, i) have the same weight. */
struct Graph {
  Index              n;
  const std::size_t *first;
  const Index       *neighbor;
  const Scalar      *weight;
};

/* Entries of n rows, columns ascending: those of row i are p = first[i] ... first[i + 1] - 1, with values v[slot[p]] */
template <class V> struct Entries {
  Index              n;
  const std::size_t *first;
  const Index       *column;
  const std::size_t *slot;
  const V           *v;
};

/* Work space for pair(): n numbers, n + 1 numbers, and two */
struct PairWork {
  Index     *partner, *point;
  long long *found;
};

/* Launchers over Each: */

/*
   weight[p] <- (c_ij + c_ji) / 2, where c_ij is -a_ij by the sign of a_ii, because a positive entry in a row with a positive diagonal couples nothing that is smooth; zero for i = j.
   sign: room for n. *missing <- 1 if for some entry (i, j) there is none at (j, i), so that its weight is unknown; otherwise 0
*/
template <class E, class V> Status couplings(const E &, const Entries<V> &A, Scalar *sign, Scalar *weight, long long *missing);

/*
   number[i] <- the number of row i's pair, from 0 to *count - 1; *count is on the host.

   In rounds each row without a partner points to the free neighbor that it is coupled with most strongly, if that coupling has at least a quarter of the strongest of one of the two; two rows that point to each
   other are a pair. After ROUNDS rounds, or one that makes no pair, the neighbors are ranked by random numbers instead of weights, for at most as many rounds. Rows that are left join the
   aggregate of the neighbor that they are coupled with most strongly; rows that nothing couples are one aggregate if `alone_together`, otherwise one each. The result does not depend on the order in which rows are processed.
*/
constexpr int             ROUNDS = 24;
template <class E> Status pair(const E &, const Graph &g, bool alone_together, Index *number, const PairWork &, Index *count);

/* number, of n rows, from 0 to *count - 1 and some of these perhaps missing <- the same aggregates in the order of their first rows, none missing. least: room for *count, rank: for n + 1; *count is on the host. */
template <class E> Status renumber(const E &, std::size_t n, Index *number, Index *least, Index *rank, Index *count);

/* number[i] <- coarse[number[i]] */
template <class E> Status compose(const E &, std::size_t n, const Index *coarse, Index *number);

/*
   The couplings between `count` aggregates, where number[i] is the aggregate of row i: sums over the couplings of their rows, in the order of the rows. first has room for count + 1, neighbor and weight for all
   couplings of g; *entries, on the host, <- how many there are
*/
Status coarsen_host(const Graph &g, const Index *number, Index count, std::size_t *first, Index *neighbor, Scalar *weight, std::size_t *entries);
Status coarsen_cuda(const Graph &g, const Index *number, Index count, std::size_t *first, Index *neighbor, Scalar *weight, std::size_t *entries, Stream stream);

} // namespace hepta::strength

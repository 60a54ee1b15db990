/*
   Aggregates. Roots are a maximal set of nodes without pairs that are coupled or have a common neighbor (MIS-2: N. Bell, S.
   Dalton, L. Olson, Exposing fine-grained parallelism in algebraic multigrid methods, SIAM J. Sci. Comput. 34, 2012). Scrambled
   node numbers give host and device equal roots. The neighbors of a root form its aggregate. Any other node joins the aggregate
   of its most strongly coupled neighbor. A node without couplings has no aggregate.
*/
#pragma once

#include "aggmg_each.hxx"

namespace hepta::aggmg
{

/* The key of an open node has scrambled middle bits and the node's number in the low bits. OUT < open keys < ROOT */
constexpr std::uint64_t ROOT = 3ULL << 62, OPEN = 1ULL << 62, OUT = 0;

HEPTA_HD std::uint64_t open_key(Index m)
{
  std::uint64_t h = scrambled(std::uint64_t(m));

  h ^= h >> 31;
  return OPEN | (h >> 40) << 38 | (std::uint64_t(m) & 0x3fffffffffULL);
}

/* The largest key of node m and its neighbors */
HEPTA_HD std::uint64_t largest_around(const Pattern &G, const std::uint64_t *key, std::size_t m)
{
  std::uint64_t most = key[m];

  for (Index e = G.first[m]; e < G.first[m + 1]; e++) most = key[G.col[e]] > most ? key[G.col[e]] : most;
  return most;
}

template <class E>
Status find_roots(const E &each, const Pattern &G, std::uint64_t *key, std::uint64_t *near, std::uint64_t *far, long long *open)
{
  const std::size_t n = std::size_t(G.rows);

  Status bad = each(n, [=] HEPTA_LAMBDA(std::size_t m) {
    if (!m) *open = 0;
    near[m] = largest_around(G, key, m);
  });
  if (!bad) bad = each(n, [=] HEPTA_LAMBDA(std::size_t m) { far[m] = largest_around(G, near, m); });
  return bad ? bad : each(n, [=] HEPTA_LAMBDA(std::size_t m) {
    if (key[m] == OUT || key[m] >= ROOT) return;
    if (far[m] == key[m]) key[m] |= ROOT;
    else if (far[m] >= ROOT) key[m] = OUT;
    else *open = 1;
  });
}

template <class E> Status open_all(const E &each, const Pattern &G, std::uint64_t *key)
{
  return each(std::size_t(G.rows),
              [=] HEPTA_LAMBDA(std::size_t m) { key[m] = G.first[m] < G.first[m + 1] ? open_key(Index(m)) : OUT; });
}

template <class E, class T> Status join(const E &each, const Tiles<T> &A, const Pattern &G, const Index *from, Index *to)
{
  return each(std::size_t(G.rows), [=] HEPTA_LAMBDA(std::size_t m) {
    Index  best = from[m];
    double most = 0;
    for (Index e = G.first[m]; from[m] < 0 && e < G.first[m + 1]; e++) {
      const Index  j = G.col[e];
      const double w = from[j] < 0 ? 0 : square_of(A, find_tile(A, Index(m), j));
      if (w <= most) continue;
      most = w;
      best = from[j];
    }
    to[m] = best;
  });
}

template <class E>
Status number_roots(const E &each, Index nodes, const std::uint64_t *key, Index *number, Index *aggregate, Index *count)
{
  Status bad =
    each(std::size_t(nodes) + 1, [=] HEPTA_LAMBDA(std::size_t m) { number[m] = m < std::size_t(nodes) && key[m] >= ROOT; });

  if (!bad) bad = running_sums(each, std::size_t(nodes) + 1, number);
  if (!bad) bad = each(std::size_t(nodes), [=] HEPTA_LAMBDA(std::size_t m) { aggregate[m] = key[m] >= ROOT ? number[m] : -1; });
  return bad ? bad : fetch(each, number + nodes, count);
}

template <class E> Status keep_nodes(const E &each, Index nodes, Index *aggregate)
{
  return each(std::size_t(nodes), [=] HEPTA_LAMBDA(std::size_t m) { aggregate[m] = Index(m); });
}

template <class E>
Status orthonormalize(const E &each, Index aggregates, int br, int k, const Index *order, const std::size_t *first,
                      const double *B, double *R, double *T)
{
  return each(std::size_t(aggregates), [=] HEPTA_LAMBDA(std::size_t a) {
    double *const G = R + a * k * k;
    for (int p = 0; p < k; p++) {
      for (int q = 0; q < k; q++) {
        double sum = 0;
        for (std::size_t t = first[a]; q >= p && t < first[a + 1]; t++) {
          for (int r = 0; r < br; r++)
            sum += B[(std::size_t(order[t]) * br + r) * k + p] * B[(std::size_t(order[t]) * br + r) * k + q];
        }
        G[p * k + q] = sum;
      }
    }
    for (int p = 0; p < k; p++) { /* row p of R */
      const double whole = G[p * k + p];
      double       pivot = whole;
      for (int s = 0; s < p; s++) pivot -= G[s * k + p] * G[s * k + p];
      const double root = pivot > 1e-10 * whole && whole > 0 ? std::sqrt(pivot) : 0;
      for (int q = p; q < k; q++) {
        double sum = G[p * k + q];
        for (int s = 0; s < p; s++) sum -= G[s * k + p] * G[s * k + q];
        G[p * k + q] = root > 0 ? sum / root : 0;
      }
    }
    for (std::size_t t = first[a]; t < first[a + 1]; t++) {
      for (int r = 0; r < br; r++) {
        const std::size_t i = std::size_t(order[t]) * br + r;
        for (int p = 0; p < k; p++) {
          double sum = B[i * k + p];
          for (int s = 0; s < p; s++) sum -= T[i * k + s] * G[s * k + p];
          T[i * k + p] = G[p * k + p] > 0 ? sum / G[p * k + p] : 0;
        }
      }
    }
  });
}

template <class E>
Status order_nodes(const E &each, Index nodes, Index aggregates, const Index *aggregate, Index *group, Index *order,
                   std::size_t *first)
{
  const Status bad =
    each(std::size_t(nodes), [=] HEPTA_LAMBDA(std::size_t m) { group[m] = aggregate[m] < 0 ? aggregates : aggregate[m]; });

  return bad ? bad : by_groups(each, std::size_t(nodes), group, aggregates + 1, order, first);
}

} // namespace hepta::aggmg

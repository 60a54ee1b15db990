/* Couplings and the steps of pairing for one row, for host and device */
#pragma once

#include <type_traits>

#include "../../../shared/hepta_hd.hxx"
#include "strength_kernels.hxx"

namespace hepta::strength
{

constexpr std::size_t no_entry = ~std::size_t(0);

/* The position of entry (i, j) in the list */
template <class V> HEPTA_HD std::size_t find_entry(const Entries<V> &A, Index i, Index j)
{
  const std::size_t first = A.first[i], n = A.first[i + 1] - first, k = first_above(n, [&](std::size_t p) { return A.column[first + p] >= j; });

  return k < n && A.column[first + k] == j ? first + k : no_entry;
}

/* -1 if the diagonal entry of row i is negative, otherwise 1 */
template <class V> HEPTA_HD Scalar sign_of_row(const Entries<V> &A, Index i)
{
  const std::size_t at = find_entry(A, i, i);
  return at != no_entry && A.v[A.slot[at]] < 0 ? Scalar(-1) : Scalar(1);
}

/* The strongest coupling of row i; zero if there is none */
HEPTA_HD Scalar strongest(const Graph &g, Index i)
{
  Scalar most = 0;

  for (std::size_t p = g.first[i]; p < g.first[i + 1]; p++) most = g.weight[p] > most ? g.weight[p] : most;
  return most;
}

/* Numbers that look random, the same for (i, j) and (j, i) */
HEPTA_HD std::uint64_t edge_hash(Index i, Index j)
{
  std::uint64_t h = (std::uint64_t(i < j ? i : j) << 32) ^ std::uint64_t(i < j ? j : i);

  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  return h ^ (h >> 31);
}

/*
   Does row i prefer neighbor j, with weight w, to k, with weight v? Matrices of grids have many equal weights: for these the pair in which floor(lesser / distance) is even is preferred,
   which is (0, 1), (2, 3), ... along each axis of a grid in natural order, so that all pairs of a line or plane are found in one round; then the nearer one.
*/
HEPTA_HD bool prefers(Index i, Index j, Scalar w, Index k, Scalar v)
{
  const Index dj = i < j ? j - i : i - j, dk = i < k ? k - i : i - k;

  if (w != v) return w > v;
  const bool odd_j = (i < j ? i : j) / dj % 2, odd_k = (i < k ? i : k) / dk % 2;
  if (odd_j != odd_k) return !odd_j;
  return dj < dk;
}

/* The row that row i points to: a free neighbor j (partner[j] < 0), or -1 */
HEPTA_HD Index choose(const Graph &g, Index i, const Index *partner, bool at_random)
{
  Index  best  = -1;
  Scalar value = 0;

  if (partner[i] >= 0) return -1;
  const Scalar own = strongest(g, i);
  for (std::size_t p = g.first[i]; p < g.first[i + 1]; p++) {
    const Index  j = g.neighbor[p];
    const Scalar w = g.weight[p];
    if (!(w > 0) || partner[j] >= 0) continue;
    if (w < own / 4 && w < strongest(g, j) / 4) continue;
    const bool better = best < 0 || (at_random ? edge_hash(i, j) > edge_hash(i, best) : prefers(i, j, w, best, value));
    if (!better) continue;
    best  = j;
    value = w;
  }
  return best;
}

/* *least <- min(*least, k), atomically */
HEPTA_HD void lower_to(Index *least, Index k)
{
#if defined(__CUDA_ARCH__)
  using Atomic = std::conditional_t<sizeof(Index) == 8, long long, int>;
  if (k < *least) atomicMin((Atomic *)least, Atomic(k));
#else
  if (k < *least) *least = k;
#endif
}

/* The name of the aggregate that row i, without a partner, joins: that of the most strongly coupled neighbor among those with a name, or -1 */
HEPTA_HD Index join(const Graph &g, Index i, const Index *name)
{
  Index  best  = -1;
  Scalar value = 0;

  for (std::size_t p = g.first[i]; p < g.first[i + 1]; p++) {
    const Index j = g.neighbor[p];
    if (!(g.weight[p] > 0) || name[j] < 0 || (best >= 0 && !prefers(i, j, g.weight[p], best, value))) continue;
    best  = j;
    value = g.weight[p];
  }
  return best < 0 ? -1 : name[best];
}

} // namespace hepta::strength

/* For host and device: the criterion of strong coupling, the entries of rows, the joining of components */
#pragma once

#include <cmath>
#include <type_traits>

#include "../../../mat/blocked/blocked_row.hxx"
#include "subdomains_kernels.hxx"

namespace hepta::subdeflation
{

/*
   ij >= strength sqrt(ii jj), for the norms ij of a coupling and ii, jj of the diagonal blocks. Ratios of norms neither underflow
   nor overflow unless a norm does. A coupling ij = 0 is never strong.
*/
template <class T> HEPTA_HD bool strongly_coupled(T ij, T ii, T jj, T strength)
{
  return ij > 0 && ij / std::sqrt(ii) / std::sqrt(jj) >= strength;
}

constexpr int REMEMBERED = 32; /* remembered subdomains of a row; each further subdomain costs another reading of the row */

/* Calls f(local or ghost column, value, is it a ghost column?) for the set entries of row i */
template <class V, class F> HEPTA_HD void for_entries(const ListedRows<V> &R, Index i, F f)
{
  const Index m = i / R.bs;

  for (std::size_t p = R.first[i]; p < R.first[i + 1]; p++) f(R.column[p], Scalar(R.v[R.slot[p]]), false);
  if (!R.border || R.border[m] < 0) return;
  blocked::for_ghost_row(R.G, R.border[m], i % R.bs, [&](Index j, std::size_t at) {
    if (R.ghost_set[at >> 5] >> (at & 31) & 1) f(j, Scalar(R.G.v[at]), true);
  });
}

template <class F> HEPTA_HD void for_entries(const CompressedRows &R, Index i, F f)
{
  for (Index k = R.ai[i]; k < R.ai[i + 1]; k++) f(R.aj[k], R.a[k], false);
  for (Index k = R.b ? R.bi[i] : 0; R.b && k < R.bi[i + 1]; k++) f(R.bj[k], R.b[k], true);
}

/* Calls f(subdomain) once for each subdomain among the columns of row i; the subdomain of row i comes first */
template <class R, class F> HEPTA_HD void for_subdomains(const R &rows, const Labels &labels, Index i, F f)
{
  const Index own = labels.local[i];
  Index       seen[REMEMBERED];
  int         n = 0, entry = 0;
  const auto  label = [&](Index j, bool ghost) { return ghost ? labels.ghost[j] : labels.local[j]; };

  f(own);
  for_entries(rows, i, [&](Index j, Scalar, bool ghost) {
    const Index e     = label(j, ghost);
    bool        known = e == own;
    for (int k = 0; k < n && !known; k++) known = seen[k] == e;
    if (!known && n == REMEMBERED) {
      int before = 0;
      for_entries(rows, i, [&](Index l, Scalar, bool g) { known = known || (before++ < entry && label(l, g) == e); });
    }
    entry++;
    if (known) return;
    if (n < REMEMBERED) seen[n++] = e;
    f(e);
  });
}

/* Does a segment begin with entry k of n in their order? */
HEPTA_HD bool begins_segment(std::size_t n, const Labels &labels, const Index *row, const Index *subdomain, std::size_t k)
{
  return k < n && (!k || subdomain[k] != subdomain[k - 1] || labels.local[row[k]] != labels.local[row[k - 1]]);
}

/* Atomically: *parent <- b if *parent is a; returns whether *parent was a */
HEPTA_HD bool replace(Index *parent, Index a, Index b)
{
#if defined(__CUDA_ARCH__)
  using Word = std::conditional_t<sizeof(Index) == 8, unsigned long long, unsigned int>;
  return atomicCAS((Word *)parent, Word(a), Word(b)) == Word(a);
#else
  if (*parent != a) return false;
  *parent = b;
  return true;
#endif
}

/* The end of a's chain of parents */
HEPTA_HD Index root_of(const volatile Index *parent, Index a)
{
  for (Index up = parent[a]; up != a; up = parent[a]) a = up;
  return a;
}

/*
   The root of a. Halves the chain of parents, since long chains would take quadratic time. Threads may halve a chain at once,
   since every thread writes an ancestor, though perhaps not the ancestor nearest to the root.
*/
HEPTA_HD Index find_root(volatile Index *parent, Index a)
{
  for (Index up = parent[a]; up != a; up = parent[a]) {
    up        = parent[up];
    parent[a] = up;
    a         = up;
  }
  return a;
}

/* Makes the smaller root the parent of the larger root; repeats if another thread has joined the larger root meanwhile */
HEPTA_HD void join_components(Index *parent, Index a, Index b)
{
  do {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b) {
      const Index c = a;
      a             = b;
      b             = c;
    }
  } while (a != b && !replace(parent + a, a, b));
}

} // namespace hepta::subdeflation

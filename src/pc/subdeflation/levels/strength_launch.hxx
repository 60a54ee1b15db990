/* Aggregates of strongly coupled rows, once for host and device */
#pragma once

#include "../../../shared/group.hxx"
#include "strength_row.hxx"

namespace hepta::strength
{

template <class E, class V> Status couplings(const E &each, const Entries<V> &A, Scalar *sign, Scalar *weight, long long *missing)
{
  const Status bad = each(std::size_t(A.n), [=] HEPTA_LAMBDA(std::size_t i) {
    if (!i) *missing = 0;
    sign[i] = sign_of_row(A, Index(i));
  });

  return bad ? bad : each(std::size_t(A.n), [=] HEPTA_LAMBDA(std::size_t i) {
    for (std::size_t p = A.first[i]; p < A.first[i + 1]; p++) {
      const std::size_t back = find_entry(A, A.column[p], Index(i));
      if (back == no_entry) *missing = 1;
      else weight[p] = A.column[p] == Index(i) ? Scalar(0) : -sign[i] * Scalar(A.v[A.slot[p]]) / 2 - sign[A.column[p]] * Scalar(A.v[A.slot[back]]) / 2;
    }
  });
}

/* Every LOOK rounds the host asks whether the last round has changed something: waiting for the device costs more than a round that changes nothing */
template <class E> constexpr int LOOK           = 4;
template <> inline constexpr int LOOK<HostEach> = 1;

/* Rounds in which work[i] <- propose(i) for all rows i, then take(i) for all, which says whether it has changed something, until nothing changes; the order of rows does not matter */
template <class E, class P, class T> static Status in_rounds(const E &each, std::size_t n, Index *work, long long *changed, const P &propose, const T &take)
{
  long long some = 1;
  Status    bad  = nullptr;

  for (int round = 1; round <= ROUNDS && some && !bad; round++) {
    bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) {
      if (!i) *changed = 0;
      work[i] = propose(i);
    });
    if (!bad)
      bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) {
        if (take(i)) *changed = 1;
      });
    if (!bad && round % LOOK<E> == 0) bad = fetch(each, changed, &some);
  }
  return bad;
}

/* For rows without couplings: name[i] <- i, or if alone_together the first of these rows for all of them */
template <class E> static Status name_alone(const E &each, const Graph &g, bool alone_together, Index *name, long long *alone)
{
  Status bad = each(1, [=] HEPTA_LAMBDA(std::size_t) { *alone = 0; });

  if (!bad && alone_together)
    bad = each(std::size_t(g.n), [=] HEPTA_LAMBDA(std::size_t i) {
      if (name[i] < 0 && !(strongest(g, Index(i)) > 0)) note_first(alone, (long long)i);
    });
  return bad ? bad : each(std::size_t(g.n), [=] HEPTA_LAMBDA(std::size_t i) {
    if (name[i] < 0) name[i] = !alone_together || strongest(g, Index(i)) > 0 ? Index(i) : Index(first_noted(*alone));
  });
}

template <class E> Status pair(const E &each, const Graph &g, bool alone_together, Index *number, const PairWork &w, Index *count)
{
  const std::size_t n  = std::size_t(g.n);
  Index *const partner = w.partner, *const point = w.point, *const rank = w.point;

  Status bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) { partner[i] = -1; });
  for (bool at_random : {false, true}) { /* handshakes: point[i] is the row that row i points to */
    const auto choice = [=] HEPTA_LAMBDA(std::size_t i) { return choose(g, Index(i), partner, at_random); };
    if (!bad)
      bad = in_rounds(each, n, point, w.found, choice, [=] HEPTA_LAMBDA(std::size_t i) {
        if (point[i] < 0 || point[point[i]] != Index(i)) return false;
        partner[i] = point[i];
        return true;
      });
  }
  if (!bad) bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) { number[i] = partner[i] < 0 ? -1 : partner[i] < Index(i) ? partner[i] : Index(i); });
  /* the least row of its aggregate for each remaining row, which has -1 before */
  const auto joined = [=] HEPTA_LAMBDA(std::size_t i) { return number[i] < 0 ? join(g, Index(i), number) : -1; };
  if (!bad)
    bad = in_rounds(each, n, point, w.found, joined, [=] HEPTA_LAMBDA(std::size_t i) {
      if (point[i] >= 0) number[i] = point[i];
      return point[i] >= 0;
    });
  if (!bad) bad = name_alone(each, g, alone_together, number, w.found + 1);
  if (!bad) bad = each(n + 1, [=] HEPTA_LAMBDA(std::size_t i) { rank[i] = i < n && number[i] == Index(i); });
  if (!bad) bad = running_sums(each, n + 1, rank);
  if (!bad) bad = compose(each, n, rank, number);
  return bad ? bad : fetch(each, rank + n, count);
}

template <class E> Status renumber(const E &each, std::size_t n, Index *number, Index *least, Index *rank, Index *count)
{
  Status bad = each(std::size_t(*count), [=] HEPTA_LAMBDA(std::size_t e) { least[e] = Index(n); });

  if (!bad) bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) { lower_to(least + number[i], Index(i)); });
  if (!bad) bad = each(n + 1, [=] HEPTA_LAMBDA(std::size_t i) { rank[i] = i < n && least[number[i]] == Index(i); });
  if (!bad) bad = running_sums(each, n + 1, rank);
  if (!bad) bad = each(n, [=] HEPTA_LAMBDA(std::size_t i) { number[i] = rank[least[number[i]]]; });
  return bad ? bad : fetch(each, rank + n, count);
}

template <class E> Status compose(const E &each, std::size_t n, const Index *coarse, Index *number)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { number[i] = coarse[number[i]]; });
}

/* All of them for one Each */
#define HEPTA_STRENGTH_LAUNCHERS(E) \
  template Status couplings(const E &, const Entries<double> &, Scalar *, Scalar *, long long *); \
  template Status couplings(const E &, const Entries<float> &, Scalar *, Scalar *, long long *); \
  template Status pair(const E &, const Graph &, bool, Index *, const PairWork &, Index *); \
  template Status renumber(const E &, std::size_t, Index *, Index *, Index *, Index *); \
  template Status compose(const E &, std::size_t, const Index *, Index *);

} // namespace hepta::strength

/* The arithmetic that blocked matrices of all formats share, once, for host and device. */
#pragma once

#include "blocked_view.hxx"

namespace hepta::blocked
{

/* Calls f(ghost block column, block) for border block row b of the ghost part: its blocks first, first + step, ... */
template <class V, class F> HEPTA_HD void for_ghost_blocks(const GhostView<V> &B, Index b, F f, Index first = 0, Index step = 1)
{
  for (Index k = first; k < B.width && b < B.start[k + 1] - B.start[k]; k += step) {
    const Index q = B.start[k] + b;
    f(B.col[q], q);
  }
}

/* Calls f(ghost column, slot) for row r of it */
template <class V, class F> HEPTA_HD void for_ghost_row(const GhostView<V> &B, Index b, Index r, F f, Index first = 0, Index step = 1)
{
  for_ghost_blocks(
    B, b,
    [&](Index c, Index q) {
      for (int s = 0; s < B.bs; s++) f(c * B.bs + s, s * B.ld + std::size_t(q) * B.bs + r);
    },
    first, step);
}

/* (B xg) for row r of border block row b of the ghost part, or the share of its blocks first, first + step, ... */
template <class V> HEPTA_HD Scalar ghost_row(const GhostView<V> &B, Index b, Index r, const Scalar *xg, Index first = 0, Index step = 1)
{
  Scalar sum = 0;

  for_ghost_row(
    B, b, r, [&](Index j, std::size_t at) { sum += Scalar(B.v[at]) * xg[j]; }, first, step);
  return sum;
}

/* Calls f(local row, slot) for column s of ghost block column c */
template <class V, class F> HEPTA_HD void for_ghost_column(const GhostView<V> &B, Index c, Index s, F f)
{
  for (Index p = B.first[c]; p < B.first[c + 1]; p++) {
    const Index q = B.by_column[p];
    for (int r = 0; r < B.bs; r++) f(B.line[q] * B.bs + r, s * B.ld + std::size_t(q) * B.bs + r);
  }
}

/* (B^T x) for column s of ghost block column c */
template <class V> HEPTA_HD Scalar ghost_column(const GhostView<V> &B, Index c, Index s, const Scalar *x)
{
  Scalar sum = 0;

  for_ghost_column(B, c, s, [&](Index i, std::size_t at) { sum += Scalar(B.v[at]) * x[i]; });
  return sum;
}

/* The number of slots of a row that are set, where for_slots(f) calls f(column, slot) for all slots. list_set_in() lists these. */
template <class F> HEPTA_HD std::size_t count_set_in(F for_slots, const std::uint32_t *set)
{
  std::size_t n = 0;

  for_slots([&](Index, std::size_t at) { n += set[at >> 5] >> (at & 31) & 1; });
  return n;
}

template <class F> HEPTA_HD void list_set_in(F for_slots, const std::uint32_t *set, Index *column, std::size_t *slot)
{
  std::size_t n = 0;

  for_slots([&](Index j, std::size_t at) {
    if (!(set[at >> 5] >> (at & 31) & 1)) return;
    column[n] = j;
    slot[n++] = at;
  });
}

/* |a| or a^2, the term that the norm adds up */
HEPTA_HD Scalar norm_term(Norm type, Scalar a)
{
  return type == Norm::frobenius ? a * a : a < 0 ? -a : a;
}

/* The value of an entry by COO: the sum of the values perm[begin .. end), given ones w[p] first, arrived ones r[p - n] beyond */
HEPTA_HD Scalar coo_sum(const std::size_t *perm, std::size_t begin, std::size_t end, std::size_t n, const Scalar *w, const Scalar *r)
{
  Scalar sum = 0;

  for (std::size_t k = begin; k < end; k++) sum += perm[k] < n ? (w ? w[perm[k]] : Scalar(0)) : r[perm[k] - n];
  return sum;
}

} // namespace hepta::blocked

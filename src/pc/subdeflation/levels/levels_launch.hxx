/* The launchers of levels_kernels.hxx, once for host and device */
#pragma once

#include "../../../shared/each.hxx"
#include "levels_kernels.hxx"

namespace hepta::levels
{

template <class E> Status member_sums(const E &each, std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, const Scalar *w, Scalar *sum)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t e) {
    Scalar s = 0;
    for (std::size_t p = first[e]; p < first[e + 1]; p++) s += w ? v[member[p]] - w[member[p]] : v[member[p]];
    sum[e] = alpha * s;
  });
}

template <class E> Status transpose_dense(const E &each, std::size_t d, const Scalar *B, Scalar *y)
{
  return each(d * d, [=] HEPTA_LAMBDA(std::size_t k) { y[k] = B[k % d * d + k / d]; });
}

template <class E> Status combine(const E &each, std::size_t n, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    const Scalar own = beta == Scalar(0) ? Scalar(0) : beta * y[i];
    y[i]             = x ? alpha * x[i] + own : own;
  });
}

template <class E> Status label_unknowns(const E &each, std::size_t n, Index bs, const Index *number, Index *label)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { label[i] = number[i / bs] * bs + Index(i % bs); });
}

template <class E> Status note_longer(const E &each, std::size_t n, std::size_t most, const std::size_t *first, long long *longer)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t e) {
    if (first[e + 1] - first[e] > most) *longer = 1;
  });
}

template <class E> Status coarse_indices(const E &each, std::size_t n, const std::size_t *first, const Index *j, const Index *label, Index start, Index *row, Index *column)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    for (std::size_t p = first[i]; p < first[i + 1]; p++) {
      row[p]    = label[i] + start;
      column[p] = label[j[p]] + start;
    }
  });
}

template <class E, class V> Status fill_dense(const E &each, std::size_t d, const std::size_t *first, const Index *j, const std::size_t *slot, const V *v, Scalar *e, long long *found)
{
  return each(d, [=] HEPTA_LAMBDA(std::size_t i) {
    for (std::size_t p = first[i]; p < first[i + 1]; p++) {
      const Scalar a = Scalar(v[slot[p]]);
      if (!finite(a)) *found = 1;
      if (e) e[i * d + j[p]] = a;
    }
  });
}

/* All of them for one Each */
#define HEPTA_LEVELS_LAUNCHERS(E) \
  template Status member_sums(const E &, std::size_t, const std::size_t *, const Index *, Scalar, const Scalar *, const Scalar *, Scalar *); \
  template Status transpose_dense(const E &, std::size_t, const Scalar *, Scalar *); \
  template Status combine(const E &, std::size_t, Scalar, const Scalar *, Scalar, Scalar *); \
  template Status fill_dense(const E &, std::size_t, const std::size_t *, const Index *, const std::size_t *, const double *, Scalar *, long long *); \
  template Status fill_dense(const E &, std::size_t, const std::size_t *, const Index *, const std::size_t *, const float *, Scalar *, long long *); \
  template Status label_unknowns(const E &, std::size_t, Index, const Index *, Index *); \
  template Status note_longer(const E &, std::size_t, std::size_t, const std::size_t *, long long *); \
  template Status coarse_indices(const E &, std::size_t, const std::size_t *, const Index *, const Index *, Index, Index *, Index *);

} // namespace hepta::levels

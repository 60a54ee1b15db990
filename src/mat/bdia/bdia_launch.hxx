/* Launchers of bdia_kernels.hxx that are one loop for host and device */
#pragma once

#include "../../shared/each.hxx"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

template <class E, class V> Status get_diagonal(const E &each, const View<V> &A, Scalar *d)
{
  const int k = main_diagonal(A);

  return each(std::size_t(A.nbr) * A.bs, [=] HEPTA_LAMBDA(std::size_t i) {
    const Index m = Index(i) / A.bs, r = Index(i) % A.bs;
    d[i] = k >= 0 && m < A.nbc ? Scalar(A.v[slot(A, k, m, r, r)]) : Scalar(0);
  });
}

template <class E, class V> Status set_diagonal(const E &each, const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d)
{
  const int k = main_diagonal(A);

  if (k < 0) return "the main diagonal is not stored";
  return each(std::size_t(A.nbr < A.nbc ? A.nbr : A.nbc) * A.bs, [=] HEPTA_LAMBDA(std::size_t i) {
    V &a = A.v[slot(A, k, Index(i) / A.bs, Index(i) % A.bs, Index(i) % A.bs)];
    a    = V((beta == Scalar(0) ? Scalar(0) : beta * a) + (d ? d[i] : alpha));
  });
}

template <class E, class V> Status diagonal_scale(const E &each, const View<V> &A, const Scalar *l, const Scalar *r)
{
  return each(std::size_t(A.nbr) * A.bs, [=] HEPTA_LAMBDA(std::size_t i) { for_stored_row(A, Index(i) / A.bs, Index(i) % A.bs, [&](Index j, std::size_t at) { A.v[at] = V((l ? l[i] : Scalar(1)) * A.v[at] * (r ? r[j] : Scalar(1))); }); });
}

template <class E, class V> Status norm(const E &each, const View<V> &A, Norm type, Scalar *work)
{
  const bool by_column = type == Norm::one && !A.half; /* with half storage sums by column equal those by row */

  return each(std::size_t(by_column ? A.nbc : A.nbr) * A.bs, [=] HEPTA_LAMBDA(std::size_t i) {
    const Index m = Index(i) / A.bs, r = Index(i) % A.bs;
    Scalar      sum = 0;
    const auto  add = [&](Index, std::size_t at) { sum += norm_term(type, Scalar(A.v[at])); };

    if (by_column) for_column(A, m, r, add);
    else for_row(A, m, r, add);
    work[i] += sum;
  });
}

template <class E, class V> Status count_set(const E &each, const View<V> &A, const std::uint32_t *set, std::size_t *count)
{
  return each(std::size_t(A.nbr) * A.bs, [=] HEPTA_LAMBDA(std::size_t i) { count[i] = blocked::count_set_in([&](auto f) { for_row(A, Index(i) / A.bs, Index(i) % A.bs, f); }, set); });
}

template <class E, class V> Status list_set(const E &each, const View<V> &A, const std::uint32_t *set, const std::size_t *first, Index *column, std::size_t *slot)
{
  return each(std::size_t(A.nbr) * A.bs, [=] HEPTA_LAMBDA(std::size_t i) { blocked::list_set_in([&](auto f) { for_row(A, Index(i) / A.bs, Index(i) % A.bs, f); }, set, column + first[i], slot + first[i]); });
}

/* All of them for one Each */
#define HEPTA_BDIA_STORED(E, V) \
  template Status count_set(const E &, const View<V> &, const std::uint32_t *, std::size_t *); \
  template Status list_set(const E &, const View<V> &, const std::uint32_t *, const std::size_t *, Index *, std::size_t *); \
  template Status get_diagonal(const E &, const View<V> &, Scalar *); \
  template Status set_diagonal(const E &, const View<V> &, Scalar, Scalar, const Scalar *); \
  template Status diagonal_scale(const E &, const View<V> &, const Scalar *, const Scalar *); \
  template Status norm(const E &, const View<V> &, Norm, Scalar *);
#define HEPTA_BDIA_LAUNCHERS(E) HEPTA_BDIA_STORED(E, double) HEPTA_BDIA_STORED(E, float)

} // namespace hepta::bdia

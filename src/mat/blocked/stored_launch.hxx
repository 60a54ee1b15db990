/*
   The launchers of blocked_kernels.hxx that walk over the rows of any part of a matrix: one loop for host and device, and for all
   views with the members and functions of blocked_row.hxx
*/
#pragma once

#include "../../shared/each.hxx"
#include "blocked_kernels.hxx"
#include "blocked_row.hxx"

namespace hepta::blocked
{

template <class E, class View>
Status list_set(const E &each, const View &A, const std::uint32_t *set, std::size_t *first, Index *column, std::size_t *slot)
{
  return each(std::size_t(A.all_rows()), [=] HEPTA_LAMBDA(std::size_t i) {
    std::size_t n = column ? first[i] : 0;

    for_row(A, Index(i), [&](Index j, std::size_t at) {
      if (!(set[at >> 5] >> (at & 31) & 1)) return;
      if (column) column[n] = j;
      if (column) slot[n] = at;
      n++;
    });
    if (!column) first[i] = n;
  });
}

template <class E, class View> Status get_diagonal(const E &each, const View &A, Scalar *d)
{
  const int k = main_diagonal(A);

  return each(std::size_t(A.all_rows()), [=] HEPTA_LAMBDA(std::size_t i) {
    const std::size_t at = main_slot(A, k, Index(i));
    d[i]                 = at == no_slot ? Scalar(0) : Scalar(A.v[at]);
  });
}

template <class E, template <class> class View, class V>
Status set_diagonal(const E &each, const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d)
{
  const int k = main_diagonal(A);

  if (k < 0) return "not every diagonal entry has a slot in the matrix";
  return each(std::size_t(A.all_rows() < A.all_columns() ? A.all_rows() : A.all_columns()), [=] HEPTA_LAMBDA(std::size_t i) {
    V &a = A.v[main_slot(A, k, Index(i))];
    a    = V((beta == Scalar(0) ? Scalar(0) : beta * a) + (d ? d[i] : alpha));
  });
}

template <class E, template <class> class View, class V>
Status diagonal_scale(const E &each, const View<V> &A, const Scalar *l, const Scalar *r)
{
  return each(std::size_t(A.all_rows()), [=] HEPTA_LAMBDA(std::size_t k) {
    const Index i = A.row_of(Index(k));
    for_stored_row(A, Index(k),
                   [&](Index j, std::size_t at) { A.v[at] = V((l ? l[i] : Scalar(1)) * A.v[at] * (r ? r[j] : Scalar(1))); });
  });
}

template <class E, class View> Status row_norms(const E &each, const View &A, Norm type, Scalar *work)
{
  return each(std::size_t(A.all_rows()), [=] HEPTA_LAMBDA(std::size_t k) {
    Scalar sum = 0;

    for_row(A, Index(k), [&](Index, std::size_t at) { sum += norm_term(type, Scalar(A.v[at])); });
    work[A.row_of(Index(k))] += sum;
  });
}

template <class E, class View> Status column_norms(const E &each, const View &A, Scalar *work)
{
  return each(std::size_t(A.all_columns()), [=] HEPTA_LAMBDA(std::size_t j) {
    Scalar sum = 0;

    for_column(A, Index(j), [&](Index, std::size_t at) { sum += norm_term(Norm::one, Scalar(A.v[at])); });
    work[j] += sum;
  });
}

/*
   For one view and one type of values: launchers that the ghost part has too, launchers of local parts alone, and the launcher
   that brow leaves out
*/
#define HEPTA_STORED(View, V) \
  HEPTA_EACH_WITH(diagonal_scale, View, V) \
  HEPTA_EACH_WITH(row_norms, View<V>)
#define HEPTA_LOCAL(View, V) \
  HEPTA_STORED(View, V) \
  HEPTA_EACH_WITH(list_set, View<V>) \
  HEPTA_EACH_WITH(get_diagonal, View<V>) \
  HEPTA_EACH_WITH(set_diagonal, View, V)

/* Likewise for both types of values */
#define HEPTA_STORED_LAUNCHERS(View) HEPTA_STORED(View, double) HEPTA_STORED(View, float)
#define HEPTA_LOCAL_LAUNCHERS(View)  HEPTA_LOCAL(View, double) HEPTA_LOCAL(View, float)
#define HEPTA_COLUMN_LAUNCHERS(View) \
  HEPTA_EACH_WITH(column_norms, View<double>) \
  HEPTA_EACH_WITH(column_norms, View<float>)

} // namespace hepta::blocked

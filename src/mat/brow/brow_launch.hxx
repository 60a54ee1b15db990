/* Launchers of brow_kernels.hxx that are one loop for host and device */
#pragma once

#include "../../shared/each.hxx"
#include "brow_kernels.hxx"
#include "brow_row.hxx"

namespace hepta::brow
{

template <class E, class V> Status get_diagonal(const E &each, const View<V> &A, Scalar *d)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t i) {
    const std::size_t at = Index(i) < A.cols ? find_slot(A, Index(i), Index(i)) : no_slot;
    d[i]                 = at == no_slot ? Scalar(0) : Scalar(A.v[at]);
  });
}

template <class E, class V> Status set_diagonal(const E &each, const View<V> &A, Scalar beta, Scalar alpha, const Scalar *d)
{
  if (A.missing >= 0) return "not every diagonal entry has a slot in the matrix";
  return each(std::size_t(A.rows < A.cols ? A.rows : A.cols), [=] HEPTA_LAMBDA(std::size_t i) {
    V &a = A.v[find_slot(A, Index(i), Index(i))];
    a    = V((beta == Scalar(0) ? Scalar(0) : beta * a) + (d ? d[i] : alpha));
  });
}

template <class E, class V> Status diagonal_scale(const E &each, const View<V> &A, const Scalar *l, const Scalar *r)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t i) { for_row(A, Index(i), [&](Index j, std::size_t at) { A.v[at] = V((l ? l[i] : Scalar(1)) * A.v[at] * (r ? r[j] : Scalar(1))); }); });
}

template <class E, class V> Status row_norms(const E &each, const View<V> &A, Norm type, Scalar *work)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t i) {
    Scalar sum = 0;

    for_row(A, Index(i), [&](Index, std::size_t at) { sum += norm_term(type, Scalar(A.v[at])); });
    work[i] += sum;
  });
}

template <class E, class V> Status coo(const E &each, const View<V> &A, bool add, const std::uint32_t *source, const Scalar *w)
{
  return each(A.total * A.bs * A.bs, [=] HEPTA_LAMBDA(std::size_t k) {
    const std::uint32_t from = w ? source[k] : 0;
    A.v[k]                   = V((add ? Scalar(A.v[k]) : Scalar(0)) + (from ? w[from - 1] : Scalar(0)));
  });
}

/* T's slot of (r, s) in a block <- A's of (s, r): in slices the columns of a block are height*bs apart, in block rows that stand alone bs */
template <class E, class V> Status transpose_values(const E &each, const View<V> &T, const std::size_t *source, const View<V> &A)
{
  const std::size_t bs = A.bs, in_slices = T.sliced * bs * bs, from_slices = A.sliced * bs * bs;

  if (T.bs != A.bs || T.blocks != A.blocks) return "the layout is not that of the transposed matrix";
  return each(T.total * bs * bs, [=] HEPTA_LAMBDA(std::size_t at) {
    const std::size_t h = at < in_slices ? T.height : 1, plane = at / (h * bs * bs), rest = at % (h * bs * bs);
    const std::size_t s = rest / (h * bs), b = rest / bs % h, r = rest % bs, from = source[plane * h + b];

    T.v[at] = from == no_slot ? V(0) : A.v[from + r * bs * (from < from_slices ? A.height : 1) + s];
  });
}

template <class E, class V> Status count_set(const E &each, const View<V> &A, const std::uint32_t *set, std::size_t *count)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t i) { count[i] = blocked::count_set_in([&](auto f) { for_row(A, Index(i), f); }, set); });
}

template <class E, class V> Status list_set(const E &each, const View<V> &A, const std::uint32_t *set, const std::size_t *first, Index *column, std::size_t *slot)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t i) { blocked::list_set_in([&](auto f) { for_row(A, Index(i), f); }, set, column + first[i], slot + first[i]); });
}

/* All of them for one Each */
#define HEPTA_BROW_STORED(E, V) \
  template Status count_set(const E &, const View<V> &, const std::uint32_t *, std::size_t *); \
  template Status list_set(const E &, const View<V> &, const std::uint32_t *, const std::size_t *, Index *, std::size_t *); \
  template Status get_diagonal(const E &, const View<V> &, Scalar *); \
  template Status set_diagonal(const E &, const View<V> &, Scalar, Scalar, const Scalar *); \
  template Status diagonal_scale(const E &, const View<V> &, const Scalar *, const Scalar *); \
  template Status row_norms(const E &, const View<V> &, Norm, Scalar *); \
  template Status coo(const E &, const View<V> &, bool, const std::uint32_t *, const Scalar *); \
  template Status transpose_values(const E &, const View<V> &, const std::size_t *, const View<V> &);
#define HEPTA_BROW_LAUNCHERS(E) HEPTA_BROW_STORED(E, double) HEPTA_BROW_STORED(E, float)

} // namespace hepta::brow

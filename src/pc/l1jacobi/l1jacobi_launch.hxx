/* What the launchers of l1jacobi_kernels.hxx do, on host and device */
#pragma once

#include "l1jacobi_row.hxx"

namespace hepta::l1jacobi
{

template <class E> Status take_roots(const E &each, std::size_t n, Scalar *d)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) { d[i] = std::sqrt(magnitude(d[i])); });
}

template <class E, class View> Status read_rows(const E &each, const View &A, const Rows &r)
{
  return each(r.n, [=] HEPTA_LAMBDA(std::size_t i) { read_row(A, r, Index(i)); });
}

template <class E, class V> Status add_ghosts(const E &each, const blocked::GhostView<V> &B, const Rows &r)
{
  return each(std::size_t(B.all_rows()), [=] HEPTA_LAMBDA(std::size_t k) {
    const Index i   = B.row_of(Index(k));
    Scalar      sum = 0;
    Index       n   = 0;

    for_row(B, Index(k), [&](Index j, std::size_t at) {
      sum += magnitude(Scalar(B.v[at])) * weight(r.root, i, r.ghost_root, j);
      n += B.v[at] != 0;
    });
    r.sum[i] += sum;
    r.count[i] += n;
  });
}

template <class E> Status note_rows(const E &each, const Rows &r, Index most, Found *found)
{
  return each(r.n, [=] HEPTA_LAMBDA(std::size_t i) {
    if (!is_short_and_dominant(r, most, i)) note_first(&found->other, (long long)i);
  });
}

template <class E> Status invert(const E &each, const Rows &r, Index *pivot, Found *found)
{
  return each(r.n / r.bs, [=] HEPTA_LAMBDA(std::size_t m) {
    const Index bad = first_not_finite(r, Index(m)), k = invert_one(r, Index(m), pivot);
    if (bad >= 0) note_first(&found->infinite, (long long)(m * r.bs + bad));
    if (k >= 0) note_first(&found->pivot, (long long)(m * r.bs + k));
  });
}

template <class E> Status apply(const E &each, std::size_t n, Index bs, const Scalar *inverse, bool transposed, bool add, const Scalar *x, const Scalar *t, Scalar *z)
{
  if (bs == 1)
    return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
      const Scalar y = inverse[i] * (t ? x[i] - t[i] : x[i]);
      z[i]           = add ? z[i] + y : y;
    });
  return each(n, [=] HEPTA_LAMBDA(std::size_t i) {
    const Scalar y = apply_row(bs, inverse, transposed, x, t, i);
    z[i]           = add ? z[i] + y : y;
  });
}

/* All of them for one Each */
#define HEPTA_L1JACOBI_VIEWS(E, V) \
  template Status read_rows(const E &, const bdia::View<V> &, const Rows &); \
  template Status read_rows(const E &, const brow::View<V> &, const Rows &); \
  template Status add_ghosts(const E &, const blocked::GhostView<V> &, const Rows &);
#define HEPTA_L1JACOBI_LAUNCHERS(E) \
  template Status take_roots(const E &, std::size_t, Scalar *); \
  HEPTA_L1JACOBI_VIEWS(E, double) \
  HEPTA_L1JACOBI_VIEWS(E, float) \
  template Status note_rows(const E &, const Rows &, Index, Found *); \
  template Status invert(const E &, const Rows &, Index *, Found *); \
  template Status apply(const E &, std::size_t, Index, const Scalar *, bool, bool, const Scalar *, const Scalar *, Scalar *);

} // namespace hepta::l1jacobi

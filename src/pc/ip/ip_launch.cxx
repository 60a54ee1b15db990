#include "ip_brow_row.hxx"
#include "ip_row.hxx"

namespace hepta::ip
{

template <class E, class V, class W>
Status build(const E &each, const View<W> &M, const View<V> &A, const Recipe &r, Found *found)
{
  const int d0 = main_diagonal(A);

  return each(std::size_t(A.nbr), [=] HEPTA_LAMBDA(std::size_t k) {
    const Scalar a = d0 < 0 ? Scalar(0) : Scalar(A.v[std::size_t(d0) * A.ld + k]);
    if (!finite(a)) note_first(&found->infinite, (long long)k);
    else if (a == 0) note_first(&found->pivot, (long long)k);
    else build_row(A, M, r, d0, Index(k), found);
  });
}

template <class E, class V> Status invert_diagonal(const E &each, const brow::View<V> &A, Scalar *inverse, Found *found)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t k) {
    const Scalar a = entry(A, Index(k), Index(k));
    if (!finite(a)) note_first(&found->infinite, (long long)k);
    else if (a == 0) note_first(&found->pivot, (long long)k);
    inverse[k] = 1 / a;
  });
}

template <class E, class V, class W>
Status build_rows(const E &each, const brow::View<W> &M, const brow::View<V> &A, const Form &r, const Scalar *inverse,
                  Found *found)
{
  return each(std::size_t(A.rows), [=] HEPTA_LAMBDA(std::size_t k) { build_row(A, M, r, inverse, Index(k), found); });
}

template <class E>
Status factor_pattern(const E &each, std::size_t n, const std::size_t *first, const Index *column, bool lower, bool upper,
                      Index *i, Index *j)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) {
    const Index m = Index(k);
    for (std::size_t p = first[m]; p < first[m + 1]; p++) {
      const Index c = column[p];
      i[p]          = m;
      j[p]          = c != m && (c < m ? lower : upper) ? c : -1;
    }
    i[first[n] + k] = j[first[n] + k] = m;
  });
}

template <class E, class V> Status invert(const E &each, const View<V> &A, Scalar *inverse, Index *pivot, Found *found)
{
  const int d0 = main_diagonal(A);

  return each(std::size_t(A.nbr), [=] HEPTA_LAMBDA(std::size_t m) { invert_one(A, d0, Index(m), inverse, pivot, found); });
}

template <class E, class V, class W>
Status scale(const E &each, const View<W> &M, const View<V> &A, const Recipe &r, const Scalar *inverse, const Work &S)
{
  const std::size_t rows = std::size_t(M.nbr) * M.bs;

  return each(rows * M.nd, [=] HEPTA_LAMBDA(std::size_t k) {
    const int   d = int(k / rows);
    const Index i = Index(k % rows), m = i / M.bs, row = i % M.bs, o = M.off[d], c = m + o;
    const bool  inside = c >= 0 && c < M.nbc && o && (o < 0 ? r.keep_lower : r.keep_upper);
    const auto *a      = A.v + bdia::slot(A, r.from[d], m, 0, 0);

    for (int s = 0; s < M.bs; s++) {
      Scalar value = 0;
      if (inside && r.left_lower && o < 0) value = block_product(M.bs, row, s, a, A.ld, inverse + std::size_t(c) * M.bs, M.ld);
      else if (inside) value = block_product(M.bs, row, s, inverse + std::size_t(m) * M.bs, M.ld, a, A.ld);
      S.v[bdia::slot(M, d, m, row, s)] = value;
    }
  });
}

template <class E, class V>
Status scale_ghost(const E &each, const GhostView<V> &B, const Recipe &r, const unsigned char *lower, std::size_t ld,
                   const Scalar *inverse, const Scalar *ghost_inverse, const Work &S)
{
  return each(std::size_t(B.blocks) * B.bs, [=] HEPTA_LAMBDA(std::size_t n) {
    const std::size_t q = n / B.bs, at = q * B.bs;
    const Index       row = Index(n % B.bs), c = B.col[q];
    const bool        low = lower[q];

    for (int s = 0; s < B.bs; s++) {
      Scalar value = 0;
      if (low && r.keep_lower && r.left_lower)
        value = block_product(B.bs, row, s, B.v + at, B.ld, ghost_inverse + std::size_t(c) * B.bs, std::size_t(B.ng) * B.bs);
      else if (low ? r.keep_lower : r.keep_upper)
        value = block_product(B.bs, row, s, inverse + std::size_t(B.line[q]) * B.bs, ld, B.v + at, B.ld);
      S.v[S.local + at + s * B.ld + row] = value;
    }
  });
}

template <class E, class W> Status combine(const E &each, const View<W> &M, const Recipe &r, const Work &S, const Work &out)
{
  const std::size_t rows = std::size_t(M.nbr) * M.bs;
  const Status      bad  = each(rows * M.nd, [=] HEPTA_LAMBDA(std::size_t k) {
    const int   d = int(k / rows);
    const Index i = Index(k % rows), m = i / M.bs, c = m + M.off[d];
    Index       k0, k1;
    if (c < 0 || c >= M.nbc) return;
    pairs(M, r, S, d, m, k0, k1);
    for (int s = 0; s < M.bs; s++) out.v[bdia::slot(M, d, m, i % M.bs, s)] = combine_one(M, r, S, d, m, i % M.bs, s, k0, k1);
  });

  return bad ? bad : each(S.ghost, [=] HEPTA_LAMBDA(std::size_t k) { out.v[S.local + k] = -S.v[S.local + k]; });
}

template <class E> Status add_terms(const E &each, const Terms &t, std::size_t main, const Work &S, const Work &out)
{
  return each(t.n * S.bs, [=] HEPTA_LAMBDA(std::size_t n) {
    const std::size_t k = n / S.bs, target = t.target[k];
    const Index       r = Index(n % S.bs);
    if (!adds(t, main, S, k)) return;
    for (int s = 0; s < S.bs; s++) out.v[target + s * stride(S, target) + r] += term(t, S, k, r, s);
  });
}

template <class E, class W>
Status finish(const E &each, const View<W> &M, const Recipe &r, const Scalar *inverse, const Work &from, Found *found)
{
  const std::size_t rows = std::size_t(M.nbr) * M.bs;

  return each(rows * M.nd, [=] HEPTA_LAMBDA(std::size_t k) {
    const int   d = int(k / rows);
    const Index i = Index(k % rows), m = i / M.bs, c = m + M.off[d];
    const auto *w = from.v + bdia::slot(M, d, m, 0, 0);
    for (int s = 0; s < M.bs && c >= 0 && c < M.nbc; s++) {
      const W value =
        W(r.scale ? block_product(M.bs, i % M.bs, s, w, M.ld, inverse + std::size_t(c) * M.bs, M.ld) : w[s * M.ld + i % M.bs]);
      if (!finite(value)) note_first(&found->infinite, (long long)i);
      M.v[bdia::slot(M, d, m, i % M.bs, s)] = value;
    }
  });
}

template <class E, class W>
Status finish_ghost(const E &each, const GhostView<W> &M, const Recipe &r, const Scalar *ghost_inverse, const Work &from,
                    Found *found)
{
  return each(std::size_t(M.blocks) * M.bs, [=] HEPTA_LAMBDA(std::size_t n) {
    const std::size_t q = n / M.bs, at = q * M.bs;
    const Index       row = Index(n % M.bs);
    const Scalar     *w   = from.v + from.local + at;
    for (int s = 0; s < M.bs; s++) {
      const W value =
        W(r.scale ? block_product(M.bs, row, s, w, M.ld, ghost_inverse + std::size_t(M.col[q]) * M.bs, std::size_t(M.ng) * M.bs)
                  : w[s * M.ld + row]);
      if (!finite(value)) note_first(&found->infinite, (long long)M.line[q] * M.bs + row);
      M.v[at + s * M.ld + row] = value;
    }
  });
}

template <class E> Status pack(const E &each, std::size_t n, const std::size_t *at, const Work &S, Scalar *packed)
{
  const std::size_t block = std::size_t(S.bs) * S.bs;

  return each(n * block, [=] HEPTA_LAMBDA(std::size_t k) {
    packed[k] = S.v[at[k / block] + k / S.bs % S.bs * stride(S, at[k / block]) + k % S.bs];
  });
}

HEPTA_EACH_OF(invert_diagonal)
HEPTA_EACH_OF(invert)
HEPTA_EACH_OF(scale_ghost)
HEPTA_EACH_OF(combine)
HEPTA_EACH_OF(finish)
HEPTA_EACH_OF(finish_ghost)
#define HEPTA_FROM(V, W) \
  HEPTA_EACH_WITH(build_rows, V, W) \
  HEPTA_EACH_WITH(build, V, W) \
  HEPTA_EACH_WITH(scale, V, W)
HEPTA_FROM(double, double)
HEPTA_FROM(double, float)
HEPTA_FROM(float, double)
HEPTA_FROM(float, float)
HEPTA_EACH(factor_pattern)
HEPTA_EACH(add_terms)
HEPTA_EACH(pack)

} // namespace hepta::ip

#include "stored_launch.hxx"

namespace hepta::blocked
{

template <class E, class V> Status scale(const E &each, std::size_t n, Scalar alpha, V *v)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) { v[k] = V(alpha * v[k]); });
}

template <class E, class V, class W> Status axpy(const E &each, std::size_t n, Scalar alpha, const W *w, V *v)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) { v[k] = V(v[k] + alpha * w[k]); });
}

template <class E, class V, class W> Status copy(const E &each, std::size_t n, const W *w, V *v)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) { v[k] = V(w[k]); });
}

template <class E, class V>
Status coo_runs(const E &each, std::size_t runs, const std::size_t *first, const std::size_t *slot, const std::size_t *perm,
                std::size_t n, const Scalar *w, const Scalar *r, V *v)
{
  return each(runs, [=] HEPTA_LAMBDA(std::size_t k) {
    v[slot[first[k]]] = V(v[slot[first[k]]] + coo_sum(perm, first[k], first[k + 1], n, w, r));
  });
}

/* Row or column `at` of block row or column m; -1 or `all` for m out of range, since the product could overflow */
HEPTA_HD Index entry_of(Index m, Index size, Index at, Index all)
{
  return m < 0 ? -1 : m >= all / size ? all : m * size + at;
}

template <class E> Status expand_blocks(const E &each, const CooBlocks &b, Index *i, Index *j)
{
  const std::size_t size = std::size_t(b.high) * b.wide;

  if constexpr (std::is_same_v<E, HostEach>) { /* by blocks, since the divisions below would take most of the time */
    return each(b.n, [=](std::size_t block) {
      for (std::size_t at = 0; at < size; at += b.wide) {
        const Index row = entry_of(b.i[block], b.high, Index(at / b.wide), b.rows);
        for (Index s = 0; s < b.wide; s++) {
          i[block * size + at + s] = row;
          j[block * size + at + s] = entry_of(b.j[block], b.wide, s, b.cols);
        }
      }
    });
  }
  return each(b.n * size, [=] HEPTA_LAMBDA(std::size_t k) {
    const std::size_t block = k / size;
    const Index       at    = Index(k % size);
    i[k]                    = entry_of(b.i[block], b.high, at / b.wide, b.rows);
    j[k]                    = entry_of(b.j[block], b.wide, at % b.wide, b.cols);
  });
}

template <class E, class I, class V> Status gather(const E &each, std::size_t n, const I *index, const V *v, Scalar *y)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) {
    y[k] = !index ? Scalar(v[k]) : v && index[k] != I(-1) ? Scalar(v[index[k]]) : Scalar(0);
  });
}

template <class E, class I, class V> Status scatter(const E &each, std::size_t n, const I *index, const Scalar *w, V *v)
{
  return each(n, [=] HEPTA_LAMBDA(std::size_t k) {
    const I to = index ? index[k] : I(k);
    if (to != I(-1)) v[to] = V(w[k]);
  });
}

template <class E, class V> Status ghost_spmv_transpose(const E &each, const GhostView<V> &B, const Scalar *x, Scalar *xg)
{
  return each(std::size_t(B.ng) * B.bs, [=] HEPTA_LAMBDA(std::size_t j) { xg[j] = ghost_column(B, Index(j), x); });
}

HEPTA_EACH(expand_blocks)
HEPTA_EACH_OF(scale)
HEPTA_EACH_OF(coo_runs)
HEPTA_EACH_OF(ghost_spmv_transpose)
#define HEPTA_FROM(V) \
  HEPTA_EACH_WITH(axpy, V, double) \
  HEPTA_EACH_WITH(axpy, V, float) \
  HEPTA_EACH_WITH(copy, V, double) \
  HEPTA_EACH_WITH(copy, V, float) \
  HEPTA_EACH_WITH(gather, std::size_t, V) \
  HEPTA_EACH_WITH(gather, Index, V) \
  HEPTA_EACH_WITH(scatter, std::size_t, V) \
  HEPTA_EACH_WITH(scatter, Index, V)
HEPTA_FROM(double)
HEPTA_FROM(float)
HEPTA_STORED_LAUNCHERS(GhostView)
HEPTA_COLUMN_LAUNCHERS(GhostView)

} // namespace hepta::blocked

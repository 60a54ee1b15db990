/* Host operations on value arrays, on dense blocks and on the ghost part */
#include <algorithm>
#include <limits>
#include <vector>

#include "../../shared/invert_block.hxx"
#include "blocked_kernels.hxx"
#include "blocked_row.hxx"

namespace hepta::blocked
{

namespace
{

/* Calls f(i, j, value) for every ghost entry, j being a ghost column */
template <class V, class F> void for_ghost(const GhostView<V> &B, F f)
{
  for (Index b = 0; b < B.nb; b++) {
    for (Index r = 0; r < B.bs; r++) for_ghost_row(B, b, r, [&](Index j, std::size_t at) { f(B.row[b] * B.bs + r, j, B.v[at]); });
  }
}

} // namespace

template <class V> Status scale_host(std::size_t n, Scalar alpha, V *v)
{
  for (std::size_t k = 0; k < n; k++) v[k] = V(alpha * v[k]);
  return nullptr;
}

template <class V, class W> Status axpy_host(std::size_t n, Scalar alpha, const W *w, V *v)
{
  for (std::size_t k = 0; k < n; k++) v[k] = V(v[k] + alpha * w[k]);
  return nullptr;
}

template <class V, class W> Status copy_host(std::size_t n, const W *w, V *v)
{
  for (std::size_t k = 0; k < n; k++) v[k] = V(w[k]);
  return nullptr;
}

template <class V, class W> Status equal_host(std::size_t n, const W *w, const V *v, bool *same)
{
  *same = std::equal(v, v + n, w);
  return nullptr;
}

template <class V> Status coo_runs_host(std::size_t runs, const std::size_t *first, const std::size_t *slot, const std::size_t *perm, std::size_t n, const Scalar *w, const Scalar *r, V *v)
{
  for (std::size_t k = 0; k < runs; k++) v[slot[first[k]]] = V(v[slot[first[k]]] + coo_sum(perm, first[k], first[k + 1], n, w, r));
  return nullptr;
}

template <class V> Status gather_host(std::size_t n, const std::size_t *index, const V *v, Scalar *y)
{
  for (std::size_t k = 0; k < n; k++) y[k] = v ? Scalar(v[index[k]]) : Scalar(0);
  return nullptr;
}

template <class V> Status scatter_host(std::size_t n, const std::size_t *index, const Scalar *w, V *v)
{
  for (std::size_t k = 0; k < n; k++) v[index[k]] = V(w[k]);
  return nullptr;
}

Status invert_blocks_host(Index n, Index bs, Scalar *blocks, Index *bad)
{
  const std::size_t  size = std::size_t(bs) * bs;
  std::vector<Index> pivot(bs);

  *bad = -1;
  for (Index m = 0; m < n; m++) {
    Scalar     *block  = blocks + m * size;
    const Index column = invert_block(bs, block, bs, pivot.data());

    if (column < 0) continue;
    std::fill(block, block + size, std::numeric_limits<Scalar>::infinity());
    if (*bad < 0) *bad = m * bs + column;
  }
  return nullptr;
}

template <class V> Status ghost_spmm_host(const GhostView<V> &B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy)
{
  for (Index b = 0; b < B.nb; b++) {
    for (Index c = 0; c < n; c++) {
      for (Index r = 0; r < B.bs; r++) y[c * ldy + std::size_t(B.row[b]) * B.bs + r] += ghost_row(B, b, r, xg + c * ldx);
    }
  }
  return nullptr;
}

template <class V> Status ghost_spmv_host(const GhostView<V> &B, const Scalar *xg, Scalar *y)
{
  return ghost_spmm_host(B, 1, xg, 0, y, 0);
}

template <class V> Status ghost_spmv_transpose_host(const GhostView<V> &B, const Scalar *x, Scalar *xg)
{
  for (Index c = 0; c < B.ng; c++) {
    for (Index s = 0; s < B.bs; s++) xg[std::size_t(c) * B.bs + s] = ghost_column(B, c, s, x);
  }
  return nullptr;
}

template <class V> Status ghost_diagonal_scale_host(const GhostView<V> &B, const Scalar *l, const Scalar *rg)
{
  for_ghost(B, [&](Index i, Index j, V &a) { a = V((l ? l[i] : Scalar(1)) * a * (rg ? rg[j] : Scalar(1))); });
  return nullptr;
}

template <class V> Status ghost_norm_host(const GhostView<V> &B, Norm type, Scalar *work)
{
  for_ghost(B, [&](Index i, Index j, V &a) { work[type == Norm::one ? j : i] += norm_term(type, a); });
  return nullptr;
}

template <class V> Status ghost_zero_rows_host(const GhostView<V> &B, const unsigned char *row, const unsigned char *col)
{
  for_ghost(B, [&](Index i, Index j, V &a) {
    if (row[i] || (col && col[j])) a = 0;
  });
  return nullptr;
}

template <class V> Status ghost_subtract_columns_host(const GhostView<V> &B, const unsigned char *row, const unsigned char *col, const Scalar *xg, Scalar *b)
{
  for_ghost(B, [&](Index i, Index j, V &a) {
    if (!row[i] && col[j]) b[i] -= Scalar(a) * xg[j];
  });
  return nullptr;
}

#define HEPTA_INSTANTIATE(V) \
  template Status scale_host(std::size_t, Scalar, V *); \
  template Status axpy_host(std::size_t, Scalar, const double *, V *); \
  template Status axpy_host(std::size_t, Scalar, const float *, V *); \
  template Status copy_host(std::size_t, const double *, V *); \
  template Status copy_host(std::size_t, const float *, V *); \
  template Status equal_host(std::size_t, const double *, const V *, bool *); \
  template Status equal_host(std::size_t, const float *, const V *, bool *); \
  template Status gather_host(std::size_t, const std::size_t *, const V *, Scalar *); \
  template Status scatter_host(std::size_t, const std::size_t *, const Scalar *, V *); \
  template Status ghost_zero_rows_host(const GhostView<V> &, const unsigned char *, const unsigned char *); \
  template Status ghost_subtract_columns_host(const GhostView<V> &, const unsigned char *, const unsigned char *, const Scalar *, Scalar *); \
  template Status coo_runs_host(std::size_t, const std::size_t *, const std::size_t *, const std::size_t *, std::size_t, const Scalar *, const Scalar *, V *); \
  template Status ghost_spmv_host(const GhostView<V> &, const Scalar *, Scalar *); \
  template Status ghost_spmm_host(const GhostView<V> &, Index, const Scalar *, std::size_t, Scalar *, std::size_t); \
  template Status ghost_spmv_transpose_host(const GhostView<V> &, const Scalar *, Scalar *); \
  template Status ghost_diagonal_scale_host(const GhostView<V> &, const Scalar *, const Scalar *); \
  template Status ghost_norm_host(const GhostView<V> &, Norm, Scalar *);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::blocked

/* Host operations on value arrays, on dense blocks and on the ghost part: those of the host only, and those of blocked_launch.hxx */
#include <algorithm>
#include <limits>
#include <vector>

#include "../../shared/invert_block.hxx"
#include "blocked_launch.hxx"

namespace hepta::blocked
{

template <class V, class W> Status equal_host(std::size_t n, const W *w, const V *v, bool *same)
{
  *same = std::equal(v, v + n, w);
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

#define HEPTA_INSTANTIATE(V) \
  template Status equal_host(std::size_t, const double *, const V *, bool *); \
  template Status equal_host(std::size_t, const float *, const V *, bool *); \
  template Status ghost_spmv_host(const GhostView<V> &, const Scalar *, Scalar *); \
  template Status ghost_spmm_host(const GhostView<V> &, Index, const Scalar *, std::size_t, Scalar *, std::size_t);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)
HEPTA_BLOCKED_LAUNCHERS(HostEach)

} // namespace hepta::blocked

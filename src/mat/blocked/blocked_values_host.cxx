/* Operations of the host alone on dense blocks and on the ghost part */
#include <algorithm>
#include <limits>
#include <vector>

#include "../../shared/invert_block.hxx"
#include "blocked_kernels.hxx"
#include "blocked_row.hxx"

namespace hepta::blocked
{

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

template <class V>
Status ghost_spmm_host(const GhostView<V> &B, Index n, const Scalar *xg, std::size_t ldx, Scalar *y, std::size_t ldy)
{
  for (Index b = 0; b < B.nb; b++) {
    for (Index c = 0; c < n; c++) {
      for (Index r = 0; r < B.bs; r++) y[c * ldy + std::size_t(B.row[b]) * B.bs + r] += ghost_row(B, b, r, xg + c * ldx);
    }
  }
  return nullptr;
}

HEPTA_INSTANCES(ghost_spmm_host)

} // namespace hepta::blocked

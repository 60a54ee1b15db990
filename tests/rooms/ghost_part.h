/* Ghost parts made from lists of blocks, in host memory or on the device, and the same as dense matrices over all rows */
#pragma once

#include "memory.h"

namespace hepta::test
{

using blocked::GhostView;

/* Border block rows with the ghost block columns of each; the same as a dense matrix over all rows */
template <class V> struct Ghost {
  Index              ng, width = 0;
  int                bs;
  std::vector<Index> row, start = {0}, line, col, first, by_column;
  std::size_t        ld;
  std::vector<V>     v;
  Dense              D;

  Ghost(Index nbr, Index ng_, int bs_, const std::vector<Index> &row_, const std::vector<std::vector<Index>> &blocks)
    : ng(ng_), bs(bs_), row(row_), D(nbr * bs_, ng_ * bs_)
  {
    std::size_t q = 0;

    for (const auto &b : blocks) {
      width = std::max(width, Index(b.size()));
      q += b.size();
    }
    ld = (q * bs + 31) / 32 * 32;
    v.assign(bs * ld, V(nan_value));
    q = 0;
    for (Index k = 0; k < width; k++) { /* the longest rows are first */
      for (std::size_t b = 0; b < row.size() && blocks[b].size() > std::size_t(k); b++, q++) {
        line.push_back(row[b]);
        col.push_back(blocks[b][k]);
        for (int r = 0; r < bs; r++) {
          for (int s = 0; s < bs; s++) {
            const Scalar a                            = number(((b * 31 + k) * bs + r) * bs + s);
            v[s * ld + q * bs + r]                    = V(a);
            D(row[b] * bs + r, blocks[b][k] * bs + s) = a;
          }
        }
      }
      start.push_back(Index(q));
    }
    blocked::index_ghost_columns(ng, col, first, by_column);
  }
};

/* The same where the tests of this run are */
template <class V> struct PlacedGhost {
  Ghost<V>     &B;
  Memory<Index> row, start, line, col, first, by_column;
  Memory<V>     v;

  explicit PlacedGhost(Ghost<V> &B_)
    : B(B_), row(B.row), start(B.start), line(B.line), col(B.col), first(B.first), by_column(B.by_column), v(B.v)
  {
  }
  GhostView<V> view()
  {
    return {Index(B.row.size()), B.ng,       B.bs,      B.width, Index(B.col.size()), B.ld,           row.get(),
            start.get(),         line.get(), col.get(), v.get(), first.get(),         by_column.get()};
  }
};

} // namespace hepta::test

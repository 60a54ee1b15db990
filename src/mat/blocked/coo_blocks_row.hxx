/* The entries of blocks, for host and device */
#pragma once

#include "../../shared/each.hxx"
#include "coo_blocks.hxx"

namespace hepta::blocked
{

/* Row or column `at` of block row or column m, which may be out of range: a product could overflow then */
HEPTA_HD Index entry_of(Index m, Index size, Index at, Index all)
{
  return m < 0 ? -1 : m >= all / size ? all : m * size + at;
}

template <class E> Status expand_blocks(const E &each, const CooBlocks &b, Index *i, Index *j)
{
  const std::size_t size = std::size_t(b.high) * b.wide;

  return each(b.n * size, [=] HEPTA_LAMBDA(std::size_t k) {
    const std::size_t block = k / size;
    const Index       at    = Index(k % size);
    i[k]                    = entry_of(b.i[block], b.high, at / b.wide, b.rows);
    j[k]                    = entry_of(b.j[block], b.wide, at % b.wide, b.cols);
  });
}

} // namespace hepta::blocked

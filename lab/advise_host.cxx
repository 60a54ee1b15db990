#include <algorithm>

#include "advise_kernels.hxx"
#include "mat/brow/brow_layout.hxx"

namespace hepta::advise
{

Blocks count_blocks(const Rows &A, int bs)
{
  const brow::Pattern P = brow::block_pattern(A.rows, A.cols, bs, A.i.data(), A.j.data());
  Blocks              b;

  b.blocks = P.col.size();
  for (std::size_t m = 0; m + 1 < P.first.size(); m++) b.rows += P.length(Index(m)) > 0;
  return b;
}

std::size_t count_slices(const Rows &A, int height)
{
  std::size_t slots = 0;

  for (Index begin = 0; begin < A.rows; begin += height) {
    Index longest = 0;
    for (Index row = begin; row < std::min<Index>(A.rows, begin + height); row++)
      longest = std::max(longest, A.i[row + 1] - A.i[row]);
    slots += std::size_t(longest) * height;
  }
  return slots;
}

} // namespace hepta::advise

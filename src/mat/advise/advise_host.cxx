#include <algorithm>
#include <cstdint>

#include "../aijbdia/csr_kernels.hxx"
#include "../brow/brow_layout.hxx"
#include "advise_kernels.hxx"

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

Diagonals count_diagonals(const Rows &A, int bs)
{
  const Index        nbr = A.rows / bs, nbc = A.cols / bs;
  Diagonals          d;
  std::vector<Index> offsets;

  (void)bdia::csr_offsets_host({A.rows, A.cols, A.i.data(), A.j.data(), nullptr}, bs, offsets);
  d.offsets = offsets.size();
  for (Index o : offsets) d.slots += std::size_t(std::min<std::int64_t>(nbr, std::int64_t(nbc) - o) - std::max<Index>(0, -o)) * bs * bs;
  return d;
}

std::size_t count_slices(const Rows &A, int height)
{
  std::size_t slots = 0;

  for (Index begin = 0; begin < A.rows; begin += height) {
    Index longest = 0;
    for (Index row = begin; row < std::min<Index>(A.rows, begin + height); row++) longest = std::max(longest, A.i[row + 1] - A.i[row]);
    slots += std::size_t(longest) * height;
  }
  return slots;
}

} // namespace hepta::advise

#include <algorithm>
#include <cstdint>

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
  const std::size_t  entries = A.rows ? A.i[A.rows] : 0;
  Diagonals          d;
  std::vector<Index> offsets;

  if (std::size_t(nbr) + nbc > entries) { /* a mark for every offset would take longer than sorting */
    for (Index row = 0; row < A.rows; row++) {
      for (Index p = A.i[row]; p < A.i[row + 1]; p++) offsets.push_back(A.j[p] / bs - row / bs);
    }
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  } else {
    std::vector<bool> seen(std::size_t(nbr) + nbc, false); /* offset c - m, at c - m + nbr */
    for (Index row = 0; row < A.rows; row++) {
      for (Index p = A.i[row]; p < A.i[row + 1]; p++) seen[std::size_t(nbr) + A.j[p] / bs - row / bs] = true;
    }
    for (Index o = -nbr; o < nbc; o++) {
      if (seen[std::size_t(nbr + o)]) offsets.push_back(o);
    }
  }
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

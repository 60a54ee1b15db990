/* Square matrices for the passes that multiply with block diagonals, on the device alone */
#pragma once

#include "ghost_part.h"
#include "passes.h"

namespace hepta::test
{

/* Calls f(A where the tests of this run are, A) for matrices with many kinds of blocks, of at least four block rows */
template <class F> void for_square(F f)
{
  for (int bs = 1; bs <= 8; bs++) {
    for (const Shape &shape : awkward(bs)) {
      if (shape.nbr != shape.nbc || shape.nbr < 4) continue;
      SCOPED_TRACE(shape.name());
      const Dense   A = dense_of(shape);
      Placed<float> own(shape, A);

      f(own, A);
    }
  }
}

/* A ghost part for such a matrix, with blocks in its first, last and third block rows */
template <class V> Ghost<V> ghost_of(const Shape &p)
{
  return Ghost<V>(p.nbr, 3, p.bs, {0, p.nbr - 1, 2}, {{0, 2}, {1}, {}});
}

/* A bit for each row, set in the border rows */
template <class V> std::vector<std::uint32_t> border_bits(const Ghost<V> &B)
{
  std::vector<std::uint32_t> bits(B.D.rows / 32 + 1, 0);

  for (Index i = 0; i < B.D.rows; i++)
    bits[i / 32] |= std::uint32_t(std::count(B.row.begin(), B.row.end(), i / B.bs) > 0) << i % 32;
  return bits;
}

} // namespace hepta::test

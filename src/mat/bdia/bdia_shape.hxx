/* How many threads share a row of a device product, and what each reads at once: for launches, and for predictions on the host */
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../../shared/hepta_hd.hxx"
#include "../../shared/tuning.hxx"

namespace hepta::bdia
{

constexpr int max_threads = 512; /* of a thread block */
constexpr int max_parts   = 8;   /* threads that share a row */

enum class Mode {
  rows,    /* y = A x */
  columns, /* y = A^T x */
  half     /* y = A x from half storage */
};

/* Diagonals whose loads are in flight together */
HEPTA_HD constexpr int batch(int bs, Mode mode)
{
  return bs == 1 ? (mode == Mode::half ? 4 : 8) : bs == 2 ? (mode == Mode::half ? 2 : 4) : bs <= 4 && mode != Mode::half ? 2 : 1;
}

/*
   Rows of a thread block for about `threads` threads, half as many rows where threads share a row: a multiple of both a warp and
   the block size, so that blocks do not straddle thread blocks
*/
inline int rows_of(int bs, double threads, bool split)
{
  const int odd = bs % 2 ? bs : bs / 2 % 2 ? bs / 2 : 1, unit = 32 * odd; /* 3, 5, 7, and 6's 3 */

  return unit * int(std::max(1., std::min(std::ceil((split ? threads / 2 : threads) / unit), double(max_threads / unit))));
}

/* Shared memory of the sums that threads exchange: one sum of each thread, or (columns) BS */
inline std::size_t shared_bytes(int sums, int threads)
{
  return std::size_t(sums) * (threads + 1) * sizeof(Scalar);
}

/*
   The number of threads that share a row, with nd diagonals: more than one only where rows alone would not fill the device, for
   which `enough` threads are needed. side: rows of a thread block, sums: that a thread exchanges
*/
inline int parts_of(std::size_t rows, int nd, int side, int sums, std::size_t enough)
{
  int parts = 1;

  while (rows * parts < enough && 2 * parts <= max_parts && 2 * parts <= nd && side * 2 * parts <= max_threads &&
         shared_bytes(sums, side * 2 * parts) <= block_shared)
    parts *= 2;
  return parts;
}

} // namespace hepta::bdia

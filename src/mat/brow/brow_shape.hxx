/* How many threads share a row of a device product, and what each reads at once: for launches, and for predictions on the host */
#pragma once

#include <cstddef>

#include "../../shared/hepta_hd.hxx"

namespace hepta::brow
{

constexpr int row_batch     = 4;   /* entries with loads in flight at once, if tiles are single entries and rows are not shared */
constexpr int max_parts     = 8;   /* threads that share a row of a slice */
constexpr int alone_threads = 128; /* threads of a thread block, of block rows that stand alone; */
constexpr int alone_batch   = 8;   /* values that a lane reads at once there */

/* The number of blocks whose loads are in flight at once */
HEPTA_HD constexpr int batch(int bs)
{
  return bs == 1 ? 8 : bs == 2 ? 4 : bs <= 4 ? 2 : 1;
}

/*
   The number of threads that share a row of a slice: more than one only if one thread for each row would not occupy the device
   fully, for which `enough` threads are needed, doubled while the longest row has at least half a batch for the added threads.
   rows: of all slices; blocks: of a block row, on average; longest: blocks of the longest block row
*/
inline int parts_of(std::size_t rows, std::size_t blocks, std::size_t longest, int at_a_time, std::size_t enough)
{
  int parts = 1;

  while (rows * parts < enough && 2 * parts <= max_parts && std::size_t(2 * parts) <= blocks &&
         std::size_t(parts * at_a_time + at_a_time / 2) <= longest)
    parts *= 2;
  return parts;
}

} // namespace hepta::brow

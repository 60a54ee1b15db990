/* What the device takes for its smallest steps, and for copies and sums of any size */
#pragma once

#include <cstddef>
#include <vector>

#include "shared/hepta_hd.hxx"

namespace hepta
{

/* Microseconds; those of a copy and a sum by the bytes that they read */
struct BasicTimes {
  double launch = 0, recorded = 0, barrier = 0, handover = 0;
  struct OfSize {
    double bytes, copy, sum;
  };
  std::vector<OfSize> sizes;
};

/* most: bytes of the largest array; rounds: of each measurement, whose median is taken */
Status measure_basics_cuda(std::size_t most, int rounds, BasicTimes *);

} // namespace hepta

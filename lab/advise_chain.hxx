/* The longest chain of loads in a product with blocked rows, on the host */
#pragma once

#include "mat/brow/brow_layout.hxx"

namespace hepta::advise
{

/*
   The most columns that a thread multiplies one after the other, rounded up to those whose loads are in flight together. As many
   threads share a row of a slice as the device takes, which `enough` threads keep busy: see brow_slices.cuh and
   brow_alone_cuda.cu.
*/
double chain_of(const brow::Layout &, double enough);

} // namespace hepta::advise

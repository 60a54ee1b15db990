/* The longest chain of loads in a product, on the host */
#pragma once

#include "mat/brow/brow_layout.hxx"

namespace hepta::advise
{

/*
   The most columns that a thread multiplies one after the other, rounded up to those whose loads are in flight together; 3/4 of
   that where x is read in pairs. As many threads share a row of a slice as the device takes, which `enough` threads keep busy:
   see brow_slices.cuh and brow_alone_cuda.cu.
*/
double chain_of(const brow::Layout &, double enough);
/*
   For a product with so many block diagonals: the columns of a block, and one more, for each batch of diagonals, whose loads are
   in flight together. threads: of a thread block whose threads share no rows
*/
double chain_of_diagonals(double rows, int bs, double offsets, double enough, double threads);
/* The steps of the longest row in MatMult_SeqSELLCUDA(), which gives each row as many threads as an average slice asks for */
double chain_of_sell(double rows, double slots, double longest);

} // namespace hepta::advise

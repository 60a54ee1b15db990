/* An order of rows and columns in which the tiles of a matrix are dense */
#pragma once

#include <vector>

#include "../../shared/hepta_hd.hxx"

namespace hepta::brow
{

constexpr double worth_order = 0.95; /* an order is used that reduces the bytes of the best tile size to at most this fraction */

/*
   For each new row the old row, also for columns, for n compressed rows with columns in any order; empty if the given order is
   good enough.

   Forms groups of as many rows as a tile has: the first free row, then repeatedly the row whose columns are most similar to the
   columns of the group so far. The rows of a complete group count as one column from then on, since as columns these rows form
   tiles together.
*/
std::vector<Index> density_order(Index n, const Index *i, const Index *j);

/* to_i, to_j <- compressed rows with rows and columns in an order of density_order() */
void permute_rows(const std::vector<Index> &order, const std::vector<Index> &i, const std::vector<Index> &j,
                  std::vector<Index> &to_i, std::vector<Index> &to_j);

} // namespace hepta::brow

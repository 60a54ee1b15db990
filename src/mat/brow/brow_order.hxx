/* An order of rows and columns in which the tiles of a matrix are dense */
#pragma once

#include <vector>

#include "../../shared/hepta_hd.hxx"

namespace hepta::brow
{

constexpr double worth_order = 0.95; /* an order must bring the bytes of the best tile size down to so much of what they are */

/*
   The old row for each new one, the same for columns, of n compressed rows with columns in any order; empty if the given order may as well stay.

   Groups of as many rows as a tile has: the first free row, then one after the other the row with the columns that are most like those of the group so far. A group that is
   complete counts as one column from then on, for its rows make tiles together.
*/
std::vector<Index> density_order(Index n, const Index *i, const Index *j);

/* Rows and columns of compressed rows in such an order; to_i and to_j are replaced */
void permute_rows(const std::vector<Index> &order, const std::vector<Index> &i, const std::vector<Index> &j, std::vector<Index> &to_i, std::vector<Index> &to_j);

} // namespace hepta::brow

/* The block offsets of COO entries, on the device */
#pragma once

#include "../blocked/coo.hxx"
#include "bdia_view.hxx"

namespace hepta::bdia
{

/* Must be zero at first */
struct CooFound {
  int          outside; /* not zero if an entry is beyond the last row or column */
  unsigned int offsets; /* the number of offsets */
};

/* list <- the distinct block offsets, in any order, at most `room` of them; *found <- their number. bits: one for each offset from 1 - nbr to nbc - 1, zero at first */
Status coo_offsets_cuda(Index nbr, Index nbc, Index bs, const blocked::CooEntries &entries, std::uint32_t *bits, Index *list, unsigned int room, CooFound *found, Stream stream);

} // namespace hepta::bdia

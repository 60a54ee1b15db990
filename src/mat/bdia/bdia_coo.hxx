/* The block offsets of COO entries, on the device */
#pragma once

#include "../blocked/coo.hxx"
#include "bdia_view.hxx"

namespace hepta::bdia
{

/* Must be zero at first */
struct CooFound {
  int          outside; /* is there an entry beyond the last row or column? */
  unsigned int offsets; /* the number of offsets */
};

/* found, list <- the offsets, at most `room` of them, in any order. bits: a bit for each offset from 1 - nbr to nbc - 1, zero at first */
Status coo_offsets_cuda(Index nbr, Index nbc, Index bs, const blocked::CooEntries &entries, std::uint32_t *bits, Index *list, unsigned int room, CooFound *found, Stream stream);

} // namespace hepta::bdia

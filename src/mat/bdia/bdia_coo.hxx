/* The block offsets of COO entries, on the device */
#pragma once

#include "../blocked/coo.hxx"
#include "bdia_view.hxx"

namespace hepta::bdia
{

/* Zero at first */
struct CooFound {
  int          outside; /* is there an entry beyond the last row or column? */
  unsigned int offsets; /* how many */
};

/* found, list <- the offsets, as many as `room` of them, in any order. bits: a bit for each from 1 - nbr to nbc - 1, zero at first */
Status coo_offsets_cuda(Index nbr, Index nbc, Index bs, const blocked::CooEntries &entries, std::uint32_t *bits, Index *list, unsigned int room, CooFound *found, Stream stream);

} // namespace hepta::bdia

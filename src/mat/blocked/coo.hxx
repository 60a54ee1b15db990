/* The analysis of COO locations on the device, where a storage has a view A and find_slot(A, i, j): launchers for coo_device.h, defined in coo.cuh, which each storage instantiates for its view */
#pragma once

#include "../../shared/device.hxx"

namespace hepta::blocked
{

/* Entries of a rank's own rows and columns, fewer than 2^32 - 1; those with a negative row or column are ignored */
struct CooEntries {
  std::size_t  n;
  const Index *i, *j;
};

/* first[slot] <- the number of the first entry for the slot, or 2^32 - 1; *duplicates <- the number of entries that are not the first of their slot. All entries have a slot. */
template <class View> Status coo_first_cuda(const View &A, const CooEntries &entries, std::size_t slots, std::uint32_t *first, unsigned long long *duplicates, Stream stream);
/* perm <- the numbers of the duplicates, slot <- their slots, ascending, stable: those of a slot keep the given order */
template <class View> Status coo_duplicates_cuda(const View &A, const CooEntries &entries, const std::uint32_t *first, std::size_t duplicates, std::uint64_t *slot, std::uint64_t *perm, Stream stream);
/* begin <- the indices k < n at which a run of equal slots begins; there is room for n. *count, on the host, <- how many there are */
Status coo_begins_cuda(std::size_t n, const std::size_t *slot, std::size_t *begin, std::size_t *count, Stream stream);
/* source <- 1 + first, zero for a slot without an entry, in place; set, unless it is null, <- a bit for each slot with one; slots: a multiple of 32 */
Status coo_sources_cuda(std::size_t slots, std::uint32_t *first, std::uint32_t *set, Stream stream);

} // namespace hepta::blocked

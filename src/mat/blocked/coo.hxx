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

/* A rank's own rows and columns, from the first to before the last, and those of the whole matrix */
struct CooPart {
  Index rows[2], cols[2], all_rows, all_cols;
};

/* *count, on the host, <- the number of entries in rows or columns of other ranks; *good: none is beyond the matrix */
Status coo_count_others_cuda(const CooPart &part, const CooEntries &entries, unsigned long long *count, bool *good, Stream stream);
/* number, i, j <- those `count` entries in the order given */
Status coo_others_cuda(const CooPart &part, const CooEntries &entries, std::size_t count, std::uint64_t *number, Index *i, Index *j, Stream stream);
/* i, j <- the entries in numbers of the rank's own rows and columns, from 0, and -1 for others */
Status coo_own_cuda(const CooPart &part, const CooEntries &entries, Index *i, Index *j, Stream stream);

/* What follows takes entries of own rows and columns, of which the first `given` have values in the caller's array and the others arrive: */

/* first[slot] <- the number of the first entry for the slot, or 2^32 - 1; *duplicates <- the number of entries that are not the first of theirs, or arrive, added. All entries have a slot. */
template <class View> Status coo_first_cuda(const View &A, const CooEntries &entries, std::size_t given, std::size_t slots, std::uint32_t *first, unsigned long long *duplicates, Stream stream);
/* perm <- the numbers of the duplicates, slot <- their slots, ascending, those of a slot in the order given */
template <class View> Status coo_duplicates_cuda(const View &A, const CooEntries &entries, std::size_t given, const std::uint32_t *first, std::size_t duplicates, std::uint64_t *slot, std::uint64_t *perm, Stream stream);
/* begin <- the indices k < n at which a run of equal slots begins; there is room for n. *count, on the host, <- how many there are */
Status coo_begins_cuda(std::size_t n, const std::size_t *slot, std::size_t *begin, std::size_t *count, Stream stream);
/* source <- 1 + first, zero for a slot without a given entry, in place; set, unless it is null, <- a bit for each slot with an entry; slots: a multiple of 32 */
Status coo_sources_cuda(std::size_t given, std::size_t slots, std::uint32_t *first, std::uint32_t *set, Stream stream);

} // namespace hepta::blocked

/*
   The analysis of COO locations on the device: launchers for coo_device.h. Each format instantiates the templates of coo.cuh for
   its view A; the templates call find_slot(A, i, j).
*/
#pragma once

#include "../../shared/device.hxx"

namespace hepta::blocked
{

/* Entries, fewer than 2^32 - 1; entries with a negative row or column are ignored */
struct CooEntries {
  std::size_t  n;
  const Index *i, *j;
};

/*
   A rank's own rows, rows[0] ... rows[1] - 1, and its columns likewise; and the numbers of rows and columns of the whole matrix
*/
struct CooPart {
  Index rows[2], cols[2], all_rows, all_cols;
};

/*
   *count, on the host, <- the number of entries in rows or columns of other ranks; *good <- are all entries of other ranks inside
   the matrix?
*/
Status coo_count_others_cuda(const CooPart &part, const CooEntries &entries, unsigned long long *count, bool *good,
                             Stream stream);
/* number, i, j <- the numbers, rows and columns of the `count` entries of other ranks, in the order given */
Status coo_others_cuda(const CooPart &part, const CooEntries &entries, std::size_t count, std::uint64_t *number, Index *i,
                       Index *j, Stream stream);
/* i, j <- the entries in local rows and columns, from 0, and -1 for entries in rows or columns of other ranks */
Status coo_own_cuda(const CooPart &part, const CooEntries &entries, Index *i, Index *j, Stream stream);

/*
   The following launchers take entries in local rows and columns. The values of the first `given` entries are in the caller's
   array; the values of later entries arrive from other ranks.
*/

/*
   first[slot] <- the number of the first entry for the slot, or 2^32 - 1 without an entry; adds to *duplicates the number of
   entries that arrive or are not the first for their slot. All entries must have a slot.
*/
template <class View>
Status coo_first_cuda(const View &A, const CooEntries &entries, std::size_t given, std::size_t slots, std::uint32_t *first,
                      unsigned long long *duplicates, Stream stream);
/*
   slot <- the slots of the duplicates, ascending; perm <- the number of each of these duplicates. Duplicates of one slot keep
   their order.
*/
template <class View>
Status coo_duplicates_cuda(const View &A, const CooEntries &entries, std::size_t given, const std::uint32_t *first,
                           std::size_t duplicates, std::uint64_t *slot, std::uint64_t *perm, Stream stream);
/* begin <- the indices k < n at which runs of equal slots begin, with room for n; *count, on the host, <- the number of runs */
Status coo_begins_cuda(std::size_t n, const std::size_t *slot, std::size_t *begin, std::size_t *count, Stream stream);
/*
   first[slot] <- the plan's source: 1 + first[slot] if a given entry is first, otherwise zero. set, unless null, <- the bits of
   the slots with an entry; `slots` is a multiple of 32
*/
Status coo_sources_cuda(std::size_t given, std::size_t slots, std::uint32_t *first, std::uint32_t *set, Stream stream);

} // namespace hepta::blocked

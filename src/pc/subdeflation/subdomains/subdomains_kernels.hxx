/* Launchers that find subdomains, and the entries of A Z for them (subdeflation_kernels.hxx) */
#pragma once

#include <vector>

#include "../subdeflation_kernels.hxx"

namespace hepta::subdeflation
{

/*
   The cells of block rows, as in HeptaGrid: block row m is number first + m, in natural order, of a box of width[] cells at
   start[]
*/
struct Cells {
  Index width[3], start[3];
  Index first;
};

/* n[a] boxes of size[a] cells along axis a */
struct CellBoxes {
  Index size[3], n[3];
};

/*
   The set entries of block diagonals in a list (blocked::EntryList), with the values v[slot[p]]; the ghost part as in
   DiagonalRows, with a bit for each set slot
*/
template <class V> struct ListedRows {
  const std::size_t    *first;
  const Index          *column;
  const std::size_t    *slot;
  const V              *v;
  int                   bs;
  blocked::GhostView<V> G;
  const Index          *border;
  const std::uint32_t  *ghost_set;
};

/* Work space for order_by_pairs(): n numbers in a, b and c, and max(majors, minors) + 1 numbers in first */
struct PairRoom {
  Index       *a, *b, *c;
  std::size_t *first;
};

/* Entries of A Z: rows, and the subdomains of columns and of rows */
struct AZEntries {
  Index *row, *e, *f;
};

/* The parts of a sorted array, see split_segments() */
struct Parts {
  std::vector<std::size_t>   segment, chunk, column, at;
  std::vector<unsigned char> own;
};

/* Launchers over Each. Single numbers returned through pointers are on the host. */

/* key[m] <- the number of the stripe of block row `first` + m: `rows` are divided into `count` runs of almost equal length */
template <class E> Status stripe_keys(const E &, std::size_t n, long long first, long long count, long long rows, Index *key);
/* key[m] <- the number of the box that the cell of block row m is in */
template <class E> Status box_keys(const E &, std::size_t n, const Cells &, const CellBoxes &, Index *key);

/*
   name[i] <- the first row of row i's component, the components being connected by strongly_coupled() rows, for block size 1 and
   the columns of n local rows. diagonal: room for n. A chain of parents leads to smaller numbers only, so the end of the chain
   does not depend on the order of the joins.
*/
template <class E, class R>
Status components(const E &, std::size_t n, const R &rows, Scalar strength, Scalar *diagonal, Index *name);

/* order <- the numbers k < n by major[k] (null: all are 0), then by minor[k], then by k; major[k] < majors, minor[k] < minors */
template <class E>
Status order_by_pairs(const E &, std::size_t n, const Index *major, Index majors, const Index *minor, Index minors,
                      const PairRoom &, Index *order);
/*
   label[k] <- the number of the pair (major[k], minor[k]) among the distinct pairs, in ascending order; *count <- the number of
   distinct pairs. rank: room for n + 1
*/
template <class E>
Status number_pairs(const E &, std::size_t n, const Index *major, const Index *minor, const Index *order, Index *rank,
                    Index *label, Index *count);
/* *found <- 1 if any of the n numbers in a and b differ */
template <class E> Status compare(const E &, std::size_t n, const Index *a, const Index *b, long long *found);

/* label[i] <- the subdomain of unknown i < n: each of the bs fields of a block row has subdomains of its own */
template <class E> Status label_unknowns(const E &, std::size_t n, Index bs, const Index *number, Index *label);

/*
   first[i] <- the number of entries of A Z in the rows before i; *entries <- the number of all entries. Every row has an entry
   for its own subdomain, zero or not. first: room for n + 1
*/
template <class E, class R>
Status count_entries(const E &, std::size_t n, const R &rows, const Labels &, std::size_t *first, std::size_t *entries);
/* Lists the entries of A Z; row i begins at first[i] */
template <class E, class R>
Status find_entries(const E &, std::size_t n, const R &rows, const Labels &, const std::size_t *first, const AZEntries &);
/* row[k], subdomain[k] <- row and column's subdomain of entry order[k] */
template <class E>
Status order_entries(const E &, std::size_t n, const AZEntries &, const Index *order, Index *row, Index *subdomain);
/*
   before[k] <- the number of segments that begin before sorted entry k; *segments <- the number of segments. before: room for n +
   1
*/
template <class E>
Status count_segments(const E &, std::size_t n, const Labels &, const Index *row, const Index *subdomain, std::size_t *before,
                      std::size_t *segments);
/* begin[s] <- where segment s begins, and the end of the last segment; e[s], f[s] <- the subdomains of segment s */
template <class E>
Status find_segments(const E &, std::size_t n, const Labels &, const Index *row, const Index *subdomain,
                     const std::size_t *before, std::size_t *begin, Index *e, Index *f);

constexpr std::size_t CHUNK = 1024; /* the most entries of a chunk */

/*
   On the host: splits segments into chunks; segment s begins at begin[s], the last segment ends at begin.back(). segment: the
   first chunk of each segment, and the end; chunk: where each chunk begins, and the end; own: as in Chunks; column: the first
   chunk of each run of segments with equal e, and the end; at: the e of each run
*/
Parts split_segments(const std::vector<std::size_t> &begin, const std::vector<Index> &e, const std::vector<Index> &f);

} // namespace hepta::subdeflation

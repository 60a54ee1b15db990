/* The view of a brow matrix for launchers and row functions: pointers and sizes, without PETSc. */
#pragma once

#include "../blocked/blocked_view.hxx"

namespace hepta::brow
{

using blocked::Norm;
using blocked::with_block_size;

/* How the rows that stand alone (see Sizes) are multiplied */
enum class Mapping {
  automatic, /* by their length */
  warp,      /* a warp each */
  blockrow,  /* a thread block or several each */
  multirow   /* as automatic, but a layout makes slices; a thread block multiplies several block rows of a slice */
};

/*
   The number of block rows of a slice, 32/gcd(32, bs), so that a slice has a whole number of warps, with bs rows in a block row
*/
HEPTA_HD constexpr int slice_height(int bs)
{
  const int twos = bs & -bs; /* the largest power of two that divides bs */
  return 32 / (twos < 32 ? twos : 32);
}

/*
   The most values of a row of a slice that the threads of a device read at once: one batch for each thread that may share the row
*/
constexpr Index shared_values = 64;

constexpr std::size_t slack = 8; /* values beyond the last block that may be read, but are not used */

/*
   The blocks of one rank. Blocks (tiles) are bs x bs; the last block row and column may extend beyond the matrix's end, and x and
   y are never padded. Block row m is at position p = position[m], perm[p] = m; positions [0, nslices*height) are split into
   slices of `height`; later positions are long block rows that stand alone. Block k of the block row at position p, ascending in
   columns, has block column and values

     slices, g = p / height, b = p % height:   col[first[g] + k*height + b],  v[first[g]*bs^2 + ((k*bs + s)*height + b)*bs + r]
     alone,  g = nslices + p - nslices*height: col[first[g] + k],             v[first[g]*bs^2 + (k*bs + s)*bs + r]

   for row r and column s; `alone` has the formula of slices with height 1. So first[] counts blocks, and the threads (b, r) of a
   slice read consecutive values. A slice is as wide as its longest block row; blocks beyond the length of a block row are
   padding, which is not read. Slots outside the matrix, in the last blocks of rows and columns, are not read either. Empty
   positions have perm -1 and length 0.
*/
struct Sizes {
  Index       rows = 0, cols = 0; /* of the matrix */
  int         bs  = 1;            /* tile size */
  Index       nbr = 0, nbc = 0;   /* block rows and columns */
  int         height  = 32;       /* block rows of a slice */
  Index       nslices = 0;        /* slices */
  Index       nlong   = 0;        /* block rows that stand alone */
  std::size_t blocks  = 0;        /* stored blocks */
  std::size_t sliced  = 0;        /* blocks in slices, padding included */
  std::size_t total   = 0;        /* all blocks, padding included */
  Index       missing = -1;       /* the first row whose diagonal entry has no slot, -1 if none */
  /* no block row stands alone, and perm[p] = p but for empty positions, which are the last */
  bool  natural = false;
  Index longest = 0; /* blocks of the longest block row in slices */
  /* of block rows that stand alone, with the automatic mapping, thread blocks take the first nhuge and warps the others */
  Index nhuge      = 0;
  Index huge_parts = 0, parts = 0; /* part[nhuge], part[nlong] */

  /* the sizes of perm and length, and of first */
  HEPTA_HD std::size_t positions() const { return std::size_t(nslices) * height + nlong; }
  HEPTA_HD std::size_t groups() const { return std::size_t(nslices) + nlong; }
  HEPTA_HD Index       all_rows() const { return rows; }
  HEPTA_HD Index       all_columns() const { return cols; }
  HEPTA_HD Index       row_of(Index k) const { return k; }
  /* values that v has room for */
  HEPTA_HD std::size_t slots() const { return total * bs * bs + slack; }
};

struct Structure : Sizes {
  const Index       *perm     = nullptr; /* positions(): block row, -1 for none */
  const Index       *position = nullptr; /* nbr: position */
  const Index       *length   = nullptr; /* blocks, by position */
  const std::size_t *first    = nullptr; /* groups(), as above */
  const Index       *col      = nullptr; /* block columns, -1 in the padding */
  /* nlong + 1: block row number h of those alone is multiplied in part[h + 1] - part[h] parts */
  const Index *part = nullptr;

  /* Further data for products on the device */
  Scalar   *work    = nullptr; /* parts*bs */
  unsigned *arrived = nullptr; /* nlong zeros */
  Mapping   mapping = Mapping::automatic;
  int       bx      = 0; /* threads that share a row of a slice, each taking every bx-th block; 0: as many as fill the device */
};

template <class V> struct View : Structure {
  V   *v      = nullptr; /* slots() values */
  bool beside = false;   /* a product may overlap the preceding kernel of the stream, and ends after that kernel */
};

/* A view of the same matrix with constant values */
template <class V> View<const V> constant(const View<V> &A)
{
  View<const V> C;

  static_cast<Structure &>(C) = A;
  C.v                         = A.v;
  C.beside                    = A.beside;
  return C;
}

} // namespace hepta::brow

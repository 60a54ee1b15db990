/* What the launchers and row functions see of a brow matrix: pointers and sizes, no PETSc. */
#pragma once

#include "../blocked/blocked_view.hxx"

namespace hepta::brow
{

using blocked::Norm;

/* Who multiplies the rows that stand alone (see View) */
enum class Mapping {
  automatic, /* by their length */
  warp,      /* a warp each */
  blockrow,  /* a thread block or several each */
  multirow   /* as automatic; the layout makes slices, of which a thread block multiplies several block rows */
};

/* Block rows of a slice: `height` of them with bs rows each are a whole number of warps, 32/gcd(32, bs) */
HEPTA_HD constexpr int slice_height(int bs)
{
  const int twos = bs & -bs; /* the largest power of two that divides bs */
  return 32 / (twos < 32 ? twos : 32);
}

/* Values of a row of a slice that threads of a device read at once: as many as may share it, with a batch each */
constexpr Index shared_values = 64;

/*
   The blocks of one rank. Blocks (tiles) are bs x bs; the last block row and column may be cut off by the matrix's end, and
   x and y are never padded. Block row m stands at position p = place[m], perm[p] = m; positions [0, nslices*height) are cut
   into slices of `height`, those beyond are long block rows that stand alone. Block k of the block row at position p, ascending
   in columns, has block column and values

     slices, g = p / height, b = p % height:   col[first[g] + k*height + b],  v[first[g]*bs^2 + ((k*bs + s)*height + b)*bs + r]
     alone,  g = nslices + p - nslices*height: col[first[g] + k],             v[first[g]*bs^2 + (k*bs + s)*bs + r]

   for row r and column s: the second is the first with height 1. So first[] counts blocks, and the threads (b, r) of a slice
   read consecutive values. A slice is as wide as its longest block row; what lies beyond the length of a block row is
   padding, of which nothing is read. Slots outside the matrix, in blocks that its end cuts, are neither read. Empty positions
   have perm -1 and length 0.
*/
template <class V> struct View {
  Index              rows, cols; /* of the matrix */
  int                bs;         /* tile size */
  Index              nbr, nbc;   /* block rows and columns */
  int                height;     /* block rows of a slice */
  Index              nslices;    /* slices */
  Index              nlong;      /* block rows that stand alone */
  const Index       *perm;       /* nslices*height + nlong: block row, -1 for none */
  const Index       *place;      /* nbr: position */
  const Index       *length;     /* blocks, by position */
  const std::size_t *first;      /* nslices + nlong, as above */
  const Index       *col;        /* block columns, -1 in the padding */
  V                 *v;          /* values, slots() of them */
  std::size_t        blocks;     /* stored blocks */
  std::size_t        sliced;     /* blocks in slices, padding included */
  std::size_t        total;      /* all blocks, padding included */
  Index              missing;    /* the first row whose diagonal entry has no slot, -1 if none */
  bool               natural;    /* no block row stands alone, and perm[p] = p but for empty positions, which are the last */
  Index              longest;    /* blocks of the longest block row in slices */

  /* What the device needs to share out long block rows: number h of them is multiplied in part[h + 1] - part[h] parts */
  Index        nhuge;             /* the first so many take thread blocks, the others warps, if the mapping is automatic */
  const Index *part;              /* nlong + 1 */
  Index        huge_parts, parts; /* part[nhuge], part[nlong] */
  Scalar      *work    = nullptr; /* device only: parts*bs */
  unsigned    *arrived = nullptr; /* device only: nlong zeros */
  Mapping      mapping = Mapping::automatic;
  int          bx      = 0; /* threads that share a row of a slice, each taking every bx-th block; 0: as many as fill the device */
};

constexpr std::size_t slack = 8; /* values that may be read, and are not used, beyond the last block */

/* The same matrix, not to be changed */
template <class V> View<const V> constant(const View<V> &A)
{
  return {A.rows,   A.cols,   A.bs,    A.nbr,     A.nbc,     A.height,  A.nslices, A.nlong, A.perm,       A.place, A.length, A.first,   A.col,     A.v,
          A.blocks, A.sliced, A.total, A.missing, A.natural, A.longest, A.nhuge,   A.part,  A.huge_parts, A.parts, A.work,   A.arrived, A.mapping, A.bx};
}

/* Values that v has room for */
template <class V> HEPTA_HD std::size_t slots(const View<V> &A)
{
  return A.total * A.bs * A.bs + slack;
}

} // namespace hepta::brow

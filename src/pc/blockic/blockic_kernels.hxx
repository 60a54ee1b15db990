/* The launchers of PC blockic for matrix blocks that are solved by scans, as blocks of grid lines are, and what they see; name_host and name_cuda do the same */
#pragma once

#include "../../mat/bdia/bdia_view.hxx"
#include "../../shared/device.hxx"
#include "../factor/pivots.hxx"

namespace hepta::blockic
{

/*
   The matrix blocks of a rank: block b has the rows first[b] ... first[b + 1] - 1. Blocks of as many rows have one shape, and so the same levels for the
   factorization: those of level l are the rows order[k + level[l]] ... order[k + level[l + 1] - 1], counted from the block's first row, where
   k = first_order[shape], and level[] begins at first_level[shape].
*/
struct Blocks {
  Index        n;      /* matrix blocks */
  int          widest; /* rows of the widest level */
  Index        most;   /* rows of the largest block */
  const Index *first, *shape, *first_level, *level, *first_order, *order;
};

/*
   The factors L D V of all blocks, L and V with unit diagonals, for a matrix of block size 1: v[d*ld + i] is the entry in row i and column i + off[d], of L for
   off[d] < 0, of D^-1 for off[d] = 0, of V otherwise, and is zero where the column is outside the matrix block.
*/
struct Factors {
  int          nd;     /* diagonals */
  int          main;   /* the one with offset 0 */
  std::size_t  ld;     /* rows rounded up to 32 */
  const Index *off;    /* nd offsets, ascending */
  const Index *target; /* target[d*nd + e]: the diagonal with offset off[d] + off[e], -1: not stored */
  Scalar      *v;
};

/* The rows of one matrix block */
struct Range {
  Index begin, end;
};

constexpr int max_terms = 14; /* couplings of a row to one side that travel with a launch */

/*
   One triangular solve, from the begin of the block (up = false) or from its end,

     y_i = f_i - sum over terms of c[i + shift] y_{i + delta},   terms outside the block skipped;

   the first term has delta = -1 (1 for up = true), its c may be null; the others reach back at least over `reach` rows, which can
   therefore be solved together.
*/
struct Term {
  const Scalar *c;
  Index         delta, shift;
};

struct Sweep {
  bool  up;
  int   n;
  Index reach;
  Term  term[max_terms + 1];
};

/* F.v <- A's entries inside the matrix blocks, a_ii + shift; excess (null: not wanted) <- for each row the sum of |a_ij|, j != i, minus a_ii */
template <class V> Status load_host(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess);
template <class V> Status load_cuda(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess, Stream stream);

/* F.v <- its factors; what is found goes to the report, which is in F.v's memory */
Status factor_host(const Factors &F, const Blocks &B, const factor::PivotRule &rule, factor::Report *report);
Status factor_cuda(const Factors &F, const Blocks &B, const factor::PivotRule &rule, factor::Report *report, Stream stream);

/* y <- (L D V)^-1 x, or its transpose, by two scans; inverse: of D */
Status scan_host(const Sweep &lower, const Sweep &upper, const Blocks &B, const Scalar *inverse, const Scalar *x, Scalar *y);
Status scan_cuda(const Sweep &lower, const Sweep &upper, const Blocks &B, const Scalar *inverse, const Scalar *x, Scalar *y, Stream stream);

} // namespace hepta::blockic

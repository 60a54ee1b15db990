/* What the launchers and row functions see of a blockic preconditioner: pointers and sizes, no PETSc */
#pragma once

#include "../../mat/bdia/bdia_view.hxx"
#include "blockic_pivots.hxx"

namespace hepta::blockic
{

/*
   The matrix blocks of a rank. Block rows stand in positions; block b has positions first[b] ... first[b + 1] - 1. Blocks of one shape
   have the same levels: level l holds the places level[k] ... level[k + 1] - 1, k = first_level[shape] + l, of the block in the order
   of its rows by level, which place j of the block holds in order[first_order[shape] + j]; order null: the positions are in that order.
*/
struct Blocks {
  Index        n;      /* matrix blocks */
  int          widest; /* block rows of the widest level */
  Index        most;   /* block rows of the largest block */
  const Index *first, *shape, *first_level, *level, *first_order, *order;
};

/*
   The factors L D V of all blocks, L and V with unit diagonals, in one array by positions: for diagonal d (offset off[d] of block
   rows) row r, column s of the block of position p is

     v[(d*bs + s)*ld + p*bs + r],

   of L for off[d] < 0, of D^-1 for off[d] = 0, of V otherwise, and zero where the column is outside the matrix block.

   Natural positions (col null): position p is block row p, and the column of diagonal d stands in p + off[d]. Otherwise it is block row row[p],
   and the columns at off[d] and at -off[d] stand in the positions col[plus[d]*nbr + p] and col[minus[d]*nbr + p], -1: outside the block.
*/
struct Factors {
  Index        nbr;    /* block rows */
  int          bs, nd; /* block size, diagonals */
  int          main;   /* the diagonal with offset 0, -1: none is stored */
  std::size_t  ld;     /* rows rounded up to 32 */
  const Index *off;    /* nd offsets, ascending */
  const Index *target; /* target[d*nd + e]: the diagonal with offset off[d] + off[e], -1: not stored */
  const Index *plus, *minus;
  const Index *row, *col; /* null: natural positions */
  Scalar      *v;         /* the factors */
  Scalar      *scratch;   /* bs > 1: bs*(bs + 2) values for each block row, for the factorization */
};

/* The positions of one matrix block */
struct Range {
  Index begin, end;
};

constexpr int max_terms = 14; /* couplings of a row to one side that travel with a launch */

/*
   One triangular solve with natural positions and block size 1, from the begin of the block (up = false) or from its end,

     y_i = f_i - sum over terms of c[i + shift] y_{i + delta},   terms outside the block skipped;

   the first term has delta = -1 (1 for up = true), its c may be null; the others reach back at least over `reach` positions, which can
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

} // namespace hepta::blockic

/*
   The launchers of PC blockic, with views, for matrix blocks solved by scans, such as blocks of grid lines; name_host and
   name_cuda agree
*/
#pragma once

#include "../../mat/bdia/bdia_view.hxx"
#include "../../shared/device.hxx"
#include "../factor/pivots.hxx"

namespace hepta::blockic
{

/*
   The matrix blocks of a rank: block b has the rows first[b] ... first[b + 1] - 1. Blocks with equal numbers of rows share the
   levels of the factorization, p = plan + plan_of[b]: p[0] levels; level l has the rows p[1 + l] ... p[2 + l] - 1 of the list
   from p[2 + p[0]] on, which counts rows from the block's first row.
*/
struct Blocks {
  Index        n;      /* matrix blocks */
  int          widest; /* rows of the widest level */
  Index        most;   /* rows of the largest block */
  const Index *first, *plan_of, *plan;
};

/*
   The factors L D V of all blocks, L and V with unit diagonals, for a matrix of block size 1: v[d*ld + i] is the entry in row i
   and column i + off[d], of L for off[d] < 0, of D^-1 for off[d] = 0, of V otherwise, and is zero where the column is outside the
   matrix block.
*/
struct Factors {
  int          nd;     /* diagonals */
  int          main;   /* the diagonal with offset 0 */
  std::size_t  ld;     /* rows rounded up to 32 */
  const Index *off;    /* nd offsets, ascending */
  const Index *target; /* target[d*nd + e]: the diagonal with offset off[d] + off[e], -1: not stored */
  Scalar      *v;
  float       *rounded; /* the entries of L and V again, for solves that read fewer bytes; null: solves read v */
};

/* The rows of one matrix block */
struct Range {
  Index begin, end;
};

constexpr int max_terms = 14; /* the most couplings of a row to one side, which are kernel arguments */

/*
   One triangular solve, from the first row of the block (up = false) or from the last row (up = true),

     y_i = f_i - sum over terms of c[i + shift] y_{i + delta},   terms outside the block skipped;

   the first term has delta = -1 (1 for up = true) and perhaps a null c; every other term has |delta| >= reach, so that `reach`
   rows can be solved at once. V: Scalar, or float for rounded entries.
*/
template <class V> struct Term {
  const V *c;
  Index    delta, shift;
};

template <class V> struct Sweep {
  bool    up;
  int     n;
  Index   reach;
  Term<V> term[max_terms + 1];
};

/* F.v <- A's entries inside the matrix blocks, a_ii + shift; excess (may be null) <- for each row the sum of |a_ij|, j != i,
   minus a_ii */
template <class V> Status load_host(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess);
template <class V>
Status load_cuda(const bdia::View<V> &A, const Factors &F, const Blocks &B, Scalar shift, Scalar *excess, Stream stream);

/* F.v <- the factors of the matrix in F.v, and F.rounded; the report is in the same memory */
Status factor_host(const Factors &F, const Blocks &B, const factor::PivotRule &rule, factor::Report *report);
Status factor_cuda(const Factors &F, const Blocks &B, const factor::PivotRule &rule, factor::Report *report, Stream stream);

/* y <- (L D V)^-1 x, or (L D V)^-T x, by two scans; inverse: D^-1 */
template <class V>
Status scan_host(const Sweep<V> &lower, const Sweep<V> &upper, const Blocks &B, const Scalar *inverse, const Scalar *x,
                 Scalar *y);
template <class V>
Status scan_cuda(const Sweep<V> &lower, const Sweep<V> &upper, const Blocks &B, const Scalar *inverse, const Scalar *x, Scalar *y,
                 Stream stream);

} // namespace hepta::blockic

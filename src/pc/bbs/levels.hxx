/* Levels of the rows of a triangle: row i of U depends on the rows j > i that it has entries in, row i of L on the rows j < i */
#pragma once

#include "../../shared/hepta_hd.hxx"

namespace hepta::bbs
{

/* Where a square matrix has entries, in compressed rows; the columns of a row in any order */
struct Pattern {
  Index        n;     /* rows */
  const Index *start; /* n + 1: row i has column[start[i]] ... column[start[i + 1] - 1] */
  const Index *column;
};

/* What a triangle leaves to rows that are solved at the same time */
struct Parallelism {
  Index levels = 0; /* the steps that no order of the rows can avoid */
  Index blocks = 0; /* level blocks: runs of adjacent rows that do not depend on each other, each as long as possible */
  Index ell    = 0; /* the most entries of a row, diagonal included: the row length in ELL format */
};

/* level[i] <- 1 + the largest level among the rows that row i of the triangle depends on, 1 where there are none. Entries outside the triangle are passed over. */
Parallelism find_levels(const Pattern &P, bool upper, Index *level);

/* level[m] <- the same for L of the pattern of A + A^T, with rows m*bs ... m*bs + bs - 1 as one; returns the number of levels. Where a_ij or a_ji is an entry, i < j, i's level is below j's. */
Index find_order_levels(const Pattern &A, Index bs, Index *level);

/* order[k] <- the k-th of n rows sorted by level; those of one level keep their order */
void sort_by_level(Index n, Index levels, const Index *level, Index *order);

} // namespace hepta::bbs

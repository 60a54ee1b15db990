/*
   Levels of algebraic multigrid by smoothed aggregation, once for host and device.

   A level's matrix is in compressed rows of dense tiles, br x bc; a row of tiles is a node. Tiles have the matrix's block size on
   the first level, and k, the number of near null vectors, on further levels. Nodes are gathered in aggregates. P_0 has the near
   null vectors of an aggregate's nodes in its k columns, orthonormal, and P = (I - 4/3 W A) P_0, W = 1 / (rho D), D being the
   diagonal of A, rho a bound of the largest eigenvalue of D^-1 A. The next level's matrix is P^T A P.
*/
#pragma once

#include <cmath>
#include <cstring>

#include "../../shared/each.hxx"
#include "../../shared/unroll.hxx"

namespace hepta::aggmg
{

/*
   Tile e of node row m, first[m] <= e < first[m + 1], has the column node col[e] and entry (r, c) in val[(e*br + r)*bc + c];
   columns ascend
*/
template <class T> struct Tiles {
  Index        rows;
  int          br, bc;
  const Index *first, *col;
  const T     *val;
};

/* Tiles without values */
struct Pattern {
  Index        rows;
  const Index *first, *col, *row; /* row: the row of each tile; null where no launcher needs it */
};

/* The ghost part of a matrix: border row b, row[b] of the matrix, has the blocks first[b] ... first[b + 1] - 1, block q with
   column col[q], stored as number block[q] */
struct GhostRows {
  Index        rows;
  std::size_t  ld; /* of the stored values */
  const Index *row, *first, *col, *block;
};

/* The nodes of a process among all nodes of a level: `own` from start on, and the ghosts `ghost`, ascending, which are numbered
   after the own nodes */
struct LocalNodes {
  Index        start, own, ghosts;
  const Index *ghost;
};

/*
   Tile e of C = A B is the sum of the products first[e] ... first[e + 1] - 1: pair / 65536 is the number of the tile of A in its
   row, pair % 65536 the number of the tile of B in its row. first null: no list, products are searched
*/
struct Products {
  std::size_t        count;
  const std::size_t *first;
  const unsigned    *pair;
};

constexpr Index MOST_IN_ROW = 65536;

/* The tile of column j in row m, -1 if there is none */
template <class P> HEPTA_HD Index find_tile(const P &A, Index m, Index j)
{
  const Index end = A.first[m + 1];
  Index       low = A.first[m], high = end;

  while (high - low > 8) {
    const Index mid = low + (high - low) / 2;
    if (A.col[mid] < j) low = mid + 1;
    else high = mid;
  }
  while (low < high && A.col[low] < j) low++;
  return low < end && A.col[low] == j ? low : -1;
}

/* The sum of squares of tile e */
template <class T> HEPTA_HD double square_of(const Tiles<T> &A, Index e)
{
  const int n   = A.br * A.bc;
  double    sum = 0;

  for (int k = 0; k < n; k++) sum += double(A.val[std::size_t(e) * n + k]) * A.val[std::size_t(e) * n + k];
  return sum;
}

/* The mark of slots of the ghost part */
constexpr long long GHOST = 1LL << 62;

/* Findings of set-ups; rows as note_first() codes */
struct Found {
  /* the first row whose diagonal entry, over the sign of the matrix's first diagonal entry, is not positive */
  long long diagonal;
  long long finite;   /* the first row with an entry that is not finite */
  long long too_long; /* 1: a row of a product's factors has more than MOST_IN_ROW tiles */
  long long open;     /* nodes that are neither roots nor next to one yet */
};

constexpr int STEPS = 10;                   /* of the Lanczos method */
constexpr int PARTS = 256, SUM = PARTS + 2; /* of a sum on a device; the numbers that a sum has room for */

/* The scale of an application, which brings numbers into float's range */
struct Scale {
  long long largest; /* the largest |x_i| of the present application, as bits */
  double    unit;    /* 1 / the first diagonal entry */
};

/* The scale for launches; size: known on the host, 0 on a device, where each thread finds the size */
struct Scaling {
  const Scale  *scale;
  const Scalar *product; /* null, or (x, y) of an application shortly before */
  double        size;
};

/* A number that note_largest() noted */
HEPTA_HD double noted(long long largest)
{
  double x;

  memcpy(&x, &largest, sizeof(x));
  return x;
}

/*
   The scale of x: the largest entry |x_i| or, with the product (x, y) of an application shortly before, sqrt(product / unit),
   which exceeds the largest entry by at most the square root of a condition number
*/
HEPTA_HD double size_of(const Scaling &s)
{
  if (s.size > 0) return s.size;
  const double size =
    s.product ? std::sqrt(std::fabs(double(*s.product))) / std::sqrt(std::fabs(s.scale->unit)) : noted(s.scale->largest);
  return size > 0 && size < HUGE_VAL ? size : 1;
}

template <class T> struct Level {
  Tiles<T>    A;
  std::size_t tiles;            /* of A */
  const T    *w;                /* 1 / (rho a_ii) */
  T          *b, *r, *z, *d[2]; /* right-hand side, residual, solution, terms of the polynomial */
  const int  *stop;
};

/*
   The term of the polynomial after d[from]: r <- r - A d[from], d[1 - from] <- a d[from] + b W r, z <- z + beta d[1 - from].
   first: the second term, with z <- z + begin d[from] before, and r the residual of z; zero: z = 0 before, and r is the
   right-hand side.
*/
template <class T> struct Step {
  int     from;
  bool    first, zero, last; /* last: r and d are not needed any more */
  T       a, b, beta, begin;
  Scalar *y; /* of the application's last step: y <- z with both scales; otherwise null */
  Scaling scaling;
};

} // namespace hepta::aggmg

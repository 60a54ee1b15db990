/*
   Levels of algebraic multigrid by smoothed aggregation, once for host and device.

   A level's matrix is in compressed rows of dense tiles, br x bc, whose rows are nodes: of the first level tiles of the matrix'
   block size, of the others of the number k of near null vectors. Nodes are gathered in aggregates; P_0 has the near null vectors
   of the nodes of an aggregate in its k columns, orthonormal, and P = (I - 4/3 W A) P_0, where W = 1 / (rho D), D is the diagonal
   of A, and rho a bound of the largest eigenvalue of D^-1 A. The next level's matrix is P^T A P.
*/
#pragma once

#include <cmath>
#include <cstring>

#include "../../shared/each.hxx"
#include "../../shared/unroll.hxx"

namespace hepta::aggmg
{

/* Tile e of node row m, first[m] <= e < first[m + 1], is that of column node col[e], with entry (r, c) in val[(e*br + r)*bc + c]; columns ascend */
template <class T> struct Tiles {
  Index        rows;
  int          br, bc;
  const Index *first, *col;
  const T     *val;
};

/* The same without values */
struct Pattern {
  Index        rows;
  const Index *first, *col, *row; /* row: the row of each tile; null where no launcher needs it */
};

/*
   The products of tiles that a tile e of C = A B is the sum of, first[e] to first[e + 1] - 1 of all: pair / 65536 is the number of the tile of A in its row,
   pair % 65536 that of the tile of B in its row. first is null: there is no list, and products are looked for
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

/* Slots of the ghost part are marked by this bit */
constexpr long long GHOST = 1LL << 62;

/* What set-ups find: rows, as note_first() codes them */
struct Found {
  long long diagonal; /* the first row whose diagonal entry is not positive, with the sign of the matrix' first one */
  long long finite;   /* the first row with an entry that is not finite */
  long long too_long; /* 1: a row of a product's factors has more than MOST_IN_ROW tiles */
  long long open;     /* nodes that are neither roots nor next to one yet */
};

constexpr int STEPS = 10;                   /* of the Lanczos method */
constexpr int PARTS = 256, SUM = PARTS + 2; /* of a sum on a device; the numbers that a sum has room for */

/* The scale of an application, so that numbers of all sizes are in float's range */
struct Scale {
  long long largest; /* of the application that begins: the largest |x_i|, as bits */
  double    unit;    /* 1 / the first diagonal entry */
};

/* The same for its launches; size: known on the host, 0 on a device, where each thread finds it */
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
   The scale of x: its largest entry or, with the product (x, y) of an application shortly before, sqrt(product / unit), which is between
   that entry and the square root of a condition number times it
*/
HEPTA_HD double size_of(const Scaling &s)
{
  if (s.size > 0) return s.size;
  const double size = s.product ? std::sqrt(std::fabs(double(*s.product))) / std::sqrt(std::fabs(s.scale->unit)) : noted(s.scale->largest);
  return size > 0 && size < HUGE_VAL ? size : 1;
}

template <class T> struct Level {
  Tiles<T>    A;
  std::size_t tiles; /* of A */
  const T    *w;     /* 1 / (rho a_ii) */
  T          *b, *r, *z, *d[2]; /* right-hand side, residual, solution, terms of the polynomial */
  const int  *stop;
};

/* Term `next` of the polynomial after that in d[from]: r <- r - A d[from], d[1 - from] <- a d[from] + b W r, z <- z + beta d[1 - from]. The second term, `first`, begins: r is that of z, or with `zero` the right-hand side, where z is zero, and z <- z + begin d[from] before. */
template <class T> struct Step {
  int           from;
  bool          first, zero, last; /* last: r and d are not needed any more */
  T             a, b, beta, begin;
  Scalar *y; /* of the last step of all: z goes there with both scales; otherwise null */
  Scaling scaling;
};

} // namespace hepta::aggmg

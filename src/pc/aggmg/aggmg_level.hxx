/*
   Levels of algebraic multigrid by smoothed aggregation, once for host and device.

   A level's matrix is in compressed rows of dense tiles, br x bc, whose rows are nodes: of the first level tiles of the matrix'
   block size, of the others of the number k of near null vectors. Nodes are gathered in aggregates; P_0 has the near null vectors
   of the nodes of an aggregate in its k columns, orthonormal, and P = (I - 4/3 W A) P_0, where W = 1 / (rho D), D is the diagonal
   of A, and rho a bound of the largest eigenvalue of D^-1 A. The next level's matrix is P^T A P.
*/
#pragma once

#include "../../shared/each.hxx"

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
  const Index *first, *col;
};

/* The tile of column j in row m, -1 if there is none */
template <class P> HEPTA_HD Index find_tile(const P &A, Index m, Index j)
{
  Index low = A.first[m], high = A.first[m + 1];

  while (low < high) {
    const Index mid = low + (high - low) / 2;
    if (A.col[mid] < j) low = mid + 1;
    else high = mid;
  }
  return low < A.first[m + 1] && A.col[low] == j ? low : -1;
}

/* What set-ups find: rows, as note_first() codes them */
struct Found {
  long long diagonal; /* the first row whose diagonal entry is not positive */
  long long finite;   /* the first row with an entry that is not finite */
  long long open;     /* nodes that are neither roots nor next to one yet */
};

/* The sum over entry i of row `lane`, `lane` + lanes, ... of A x, i being a row of tiles' rows */
template <class T> HEPTA_HD T part_of_row(const Tiles<T> &A, const T *x, Index i, int lane, int lanes)
{
  T sum = 0;

  if (A.br == 1 && A.bc == 1) {
    for (Index e = A.first[i] + lane; e < A.first[i + 1]; e += lanes) sum += A.val[e] * x[A.col[e]];
    return sum;
  }
  const Index m = i / A.br, r = i - m * A.br, begin = A.first[m], n = (A.first[m + 1] - begin) * A.bc;
  for (Index q = lane; q < n; q += lanes) {
    const Index e = begin + q / A.bc, c = q % A.bc;
    sum += A.val[(std::size_t(e) * A.br + r) * A.bc + c] * x[A.col[e] * A.bc + c];
  }
  return sum;
}

constexpr int PARTS = 8192, SUMS = 64; /* of a sum: numbers of a first round, and of a second one, which is the result */
constexpr int STEPS = 10; /* of the Lanczos method */

/* A Lanczos vector's numbers: alpha and beta of each step, and the work space of a sum */
struct Lanczos {
  double *alpha, *beta, *work, *v, *before, *u, *y; /* vectors; y = sqrt(w) v */
};

/* The scale of an application, so that numbers of all sizes are in float's range */
struct Scale {
  long long largest; /* of the application that begins: the largest |x_i|, as bits */
  double    unit;    /* 1 / the first diagonal entry */
  double    output;
};

template <class T> struct Level {
  Tiles<T>    A;
  std::size_t tiles; /* of A */
  const T    *w;     /* 1 / (rho a_ii) */
  T          *b, *r, *z, *d[2]; /* right-hand side, residual, solution, terms of the polynomial */
  const int  *stop;
};

/* Term `next` of the polynomial after that in d[from]: r <- r - A d[from], d[1 - from] <- a d[from] + b W r, z <- z + beta d[1 - from]. The second term, `first`, begins: r is that of z, or with `zero` the right-hand side, where z is zero, and z <- z + begin d[from] before. */
template <class T> struct Step {
  int  from;
  bool first, zero;
  T    a, b, beta, begin;
};

} // namespace hepta::aggmg

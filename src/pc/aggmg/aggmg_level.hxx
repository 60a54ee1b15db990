/*
   Levels of algebraic multigrid by smoothed aggregation, once for host and device.

   A level's matrix is in compressed rows of dense tiles, br x bc, whose rows are nodes: of the first level tiles of the matrix'
   block size, of the others of the number k of near null vectors. Nodes are gathered in aggregates; P_0 has the near null vectors
   of the nodes of an aggregate in its k columns, orthonormal, and P = (I - 4/3 W A) P_0, where W = 1 / (rho D), D is the diagonal
   of A, and rho a bound of the largest eigenvalue of D^-1 A. The next level's matrix is P^T A P.
*/
#pragma once

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
  const Index *first, *col, *row; /* row: of each tile, for those that products make, otherwise null */
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
  long long open;     /* nodes that are neither roots nor next to one yet */
};

/* The sum of terms begin + lane, + lanes, ... below end, four at a time, so that their loads do not wait for each other */
template <class T, class F> HEPTA_HD T sum_terms(Index begin, Index end, int lane, int lanes, F term)
{
  T sum = 0;

#if defined(__CUDA_ARCH__)
  for (Index q = begin + lane; q < end; q += 4 * lanes) {
    T some[4];
    HEPTA_DEVICE_UNROLL
    for (int k = 0; k < 4; k++) some[k] = q + k * lanes < end ? term(q + k * lanes) : T(0);
    sum += (some[0] + some[1]) + (some[2] + some[3]);
  }
#else
  for (Index q = begin + lane; q < end; q += lanes) sum += term(q);
#endif
  return sum;
}

/* The part of entry i of A x, i being a row of tiles' rows, that one of so many lanes sums up */
template <class T> HEPTA_HD T part_of_row(const Tiles<T> &A, const T *x, Index i, int lane, int lanes)
{
  if (A.br == 1 && A.bc == 1) return sum_terms<T>(A.first[i], A.first[i + 1], lane, lanes, [&](Index e) { return A.val[e] * x[A.col[e]]; });
  const Index m = i / A.br, r = i - m * A.br, begin = A.first[m];
#if defined(__CUDA_ARCH__)
  return sum_terms<T>(0, (A.first[m + 1] - begin) * A.bc, lane, lanes, [&](Index q) {
    const Index e = begin + q / A.bc, c = q % A.bc;
    return A.val[(std::size_t(e) * A.br + r) * A.bc + c] * x[A.col[e] * A.bc + c];
  });
#else
  T sum = 0;
  for (Index e = begin + lane; e < A.first[m + 1]; e += lanes) {
    const T *const a = A.val + (std::size_t(e) * A.br + r) * A.bc, *const y = x + std::size_t(A.col[e]) * A.bc;
    for (int c = 0; c < A.bc; c++) sum += a[c] * y[c];
  }
  return sum;
#endif
}

constexpr int PARTS = 8192, SUMS = 64; /* of a sum: numbers of a first round, and of a second one, which is the result */
constexpr int STEPS = 10; /* of the Lanczos method */

/* The numbers alpha and beta of each step, the work space of a sum, the STEPS + 1 vectors, and y = sqrt(W) times the last */
struct Lanczos {
  double *alpha, *beta, *work, *v, *y;
};

/* Of a step: the vector, its product, their inner product, and of the step before, null in the first, its norm and vector */
struct LanczosVectors {
  double       *v, *u, *alpha;
  const double *beta, *before;
};

/* The scale of an application, so that numbers of all sizes are in float's range */
struct Scale {
  long long largest; /* of the application that begins: the largest |x_i|, as bits */
  double    unit;    /* 1 / the first diagonal entry */
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
  int           from;
  bool          first, zero, last; /* last: r and d are not needed any more */
  T             a, b, beta, begin;
  Scalar       *y; /* of the last step of all: z goes there with both scales; otherwise null */
  const Scale  *scale;
  const Scalar *product;
};

} // namespace hepta::aggmg

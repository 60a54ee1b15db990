/* Launchers of aggmg: templates over Each, for host and device, which return nullptr or a sentence. Arrays are in the memory of the space; counts that are returned are on the host. */
#pragma once

#include "../../shared/group.hxx"
#include "aggmg_level.hxx"

namespace hepta::aggmg
{

/* key <- the distinct keys of each row m, from offset[m] on, ascending; a row's keys are larger than those of rows before it. *count, on the host, <- their number */
Status sort_rows(const HostEach &, Index rows, const std::size_t *offset, int bits, std::uint64_t *key, std::size_t *count);
Status sort_rows(const DeviceEach &, Index rows, const std::size_t *offset, int bits, std::uint64_t *key, std::size_t *count);

template <class E> Status put_number(const E &each, double number, double *to);
template <class E> Status fill_with(const E &each, std::size_t n, long long value, long long *to);
/* first and col of the sorted distinct keys */
template <class E> Status split_keys(const E &each, Index rows, Index columns, const std::uint64_t *key, std::size_t count, Index *first, Index *col, Index *row);
/* offset[m] <- where the keys of row m of a product A B begin, before equal ones are joined; offset[A.rows]: their number */
template <class E> Status product_offsets(const E &each, const Pattern &A, const Pattern &B, std::size_t *offset);
template <class E> Status product_keys(const E &each, const Pattern &A, const Pattern &B, Index columns, const std::size_t *offset, std::uint64_t *key);
/* first[e] <- where the products of tile e of C begin in the list, first[entries]: their number; *too_long: see Found, it must be zero before */
template <class E> Status count_products(const E &each, const Pattern &A, const Pattern &B, const Pattern &C, std::size_t entries, std::size_t *first, long long *too_long);
template <class E> Status list_products(const E &each, const Pattern &A, const Pattern &B, const Pattern &C, std::size_t entries, const std::size_t *first, unsigned *pair);
/* offset and key as of products, for the nodes of blocks of bs that the entries of a matrix are in: first, column: of its rows; offset[m]: of the first row of node m */
template <class E> Status node_keys(const E &each, Index nodes, Index columns, int bs, const std::size_t *first, const Index *column, std::size_t *offset, std::uint64_t *key);
/* from[q] <- the slot of value q of the tiles, -1 for none; from is -1 before */
template <class E> Status list_slots(const E &each, const Pattern &A, int bs, const std::size_t *first, const Index *column, const std::size_t *slot, long long *from);
/* The tentative pattern: nodes with an aggregate have it as their only column, from `start` on; `all` rows, of which those after the nodes are empty */
template <class E> Status tentative_pattern(const E &each, Index nodes, Index all, Index start, const Index *aggregate, Index *first, Index *col, Index *row);
/* The transpose of `columns` columns from start on: at[t] <- the number in A of tile t, the other tiles come last. group: of as many numbers as there are tiles, work_first: of columns + 2 */
template <class E> Status transpose_pattern(const E &each, const Pattern &A, std::size_t entries, Index start, Index columns, Index *first, Index *col, Index *row, Index *at, Index *group, std::size_t *work_first);
/* The strong part: own columns j != m of row m whose tiles are larger than threshold times the geometric mean of both diagonal tiles, by the sums of squares; first, then col where it is not null; rest: the diagonal and ghost columns too */
template <class E, class T> Status strong_pattern(const E &each, const Tiles<T> &A, double threshold, const double *norm, bool rest, Index *first, Index *col);
/* val <- the tiles of A in the pattern F, with the sum of all other tiles of a row added to its diagonal tile; wF <- 1 / (rho d), d: the diagonal of val, or w where d is at most a tenth of A's diagonal */
template <class E, class T> Status filter_values(const E &each, const Tiles<T> &A, const Pattern &F, const double *rho, const double *w, T *val, double *wF);
/* One round: open nodes with the largest key within two steps become roots, those within two steps of a root are out. near, far: of as many numbers */
template <class E> Status find_roots(const E &each, const Pattern &G, std::uint64_t *key, std::uint64_t *near, std::uint64_t *far, long long *open);
template <class E> Status open_all(const E &each, const Pattern &G, std::uint64_t *key);
/* to[m] <- from[m], or for nodes of the pattern G without an aggregate that of the strongest neighbor that has one */
template <class E, class T> Status join(const E &each, const Tiles<T> &A, const Pattern &G, const Index *from, Index *to);
/* aggregate[m] <- the number of root m, -1 for others; *count, on the host, <- how many there are. number: of one number more than nodes */
template <class E> Status number_roots(const E &each, Index nodes, const std::uint64_t *key, Index *number, Index *aggregate, Index *count);
/*
   Orthonormal columns of the near null vectors B (rows x k, row by row) of each aggregate: R^T R = B^T B by Cholesky, T = B R^-1, and R is
   the next level's near null vectors (aggregates*k x k). A column that depends on those before it is zero in T and R. order, first: the nodes of aggregates, by_groups()
*/
template <class E> Status orthonormalize(const E &each, Index aggregates, int br, int k, const Index *order, const std::size_t *first, const double *B, double *R, double *T);
/* The nodes of aggregates in their order: those without one count for the aggregate after the last */
template <class E> Status order_nodes(const E &each, Index nodes, Index aggregates, const Index *aggregate, Index *group, Index *order, std::size_t *first);
/* val[q] <- the value of slot from[q] of v, or of the ghost part's values, times *unit; 0 where there is none */
template <class E, class V, class T> Status take_values(const E &each, std::size_t n, const long long *from, const V *v, const V *ghost, const double *unit, T *val);
/* *unit <- 1 / the first diagonal entry, unless that is 0 or not finite: float has too small a range for units of all kinds, and levels are positive definite */
template <class E, class V> Status take_unit(const E &each, const Pattern &A, int bs, const long long *from, const V *v, double *unit);
/* w <- 1 / D, sums <- the sums of |a_ij|, *rowsum <- max the sum of |a_ij| / a_ii. A row of zeros, which a column of P that is zero makes, has w = 0. */
template <class E, class T> Status take_diagonal(const E &each, const Tiles<T> &A, std::size_t tiles, bool zeros, double *w, double *sums, long long *rowsum, Found *found);
/* *skew <- the sum of |a_ij - a_ji|, *sum <- that of |a_ij| + |a_ji| over i != j; see sum_of() */
template <class E, class T> Status find_skew(const E &each, const Tiles<T> &A, double *skew, double *sum);
/* norm[m] <- the Frobenius norm of the diagonal tile, or 25 times the largest one of the others if that is less, as in rows of many equal couplings */
template <class E, class T> Status take_norms(const E &each, const Tiles<T> &A, double *norm);
/* The tiles of P_0 from rows of orthonormal columns */
template <class E> Status take_tentative(const E &each, Index nodes, int size, const Index *aggregate, const Index *first, const double *T, double *val);
/* Values of C = A B, whose pattern is C's. The host goes row by row, with the place in C of each column of the row, and needs no list of products. */
template <class TA, class TB, class TC> Status multiply(const HostEach &, const Tiles<TA> &A, const Tiles<TB> &B, const Pattern &C, const Products &p, std::size_t entries, TC *val);
template <class TA, class TB, class TC> Status multiply(const DeviceEach &, const Tiles<TA> &A, const Tiles<TB> &B, const Pattern &C, const Products &p, std::size_t entries, TC *val);
/* P <- P_0 - 4/3 W product, which is A P_0 with the pattern P; product null: P_0 */
template <class E, class T> Status smooth(const E &each, const Tiles<double> &P0, const double *w, const Pattern &P, std::size_t entries, const double *product, T *val);
/* to <- the tiles of P^T: tile t is tile at[t] of P, transposed */
template <class E, class T> Status transpose_values(const E &each, std::size_t entries, int br, int bc, const Index *at, const T *from, T *to);
/* The last level, scaled to a unit diagonal, in N x N numbers, for eliminate() of gridmg; rows without a diagonal are those of the identity. dense is zero before. rounding: a bound of what it takes from the diagonal, which is added. */
template <class E, class T> Status fill_dense(const E &each, const Tiles<T> &A, const double *w, std::size_t N, double rounding, double *dense);
/* *energy <- b^T A b and *square <- b^T D b for a column b of near null vectors, B[0], B[k], ...; see sum_of() */
template <class E, class T> Status find_energy(const E &each, const Tiles<T> &A, int k, const double *B, const double *w, double *energy, double *square);
/* dense <- dense + v v^T with v = sqrt(D) b / sqrt(square), where A b is zero to rounding, so that the inverse is that of a matrix without this null space */
template <class E> Status add_null(const E &each, std::size_t n, std::size_t N, int k, const double *B, const double *w, const double *energy, const double *square, double rounding, double *dense);
/* inverse <- that of the last level, of n rows, from the eliminated matrix, which is minus the inverse */
template <class E, class T> Status take_dense(const E &each, std::size_t n, std::size_t N, const double *w, const double *dense, T *inverse);
/* v <- random numbers from -1 to 1, those of rows from `start` on; *square <- (v, v); see sum_of() */
template <class E> Status begin_lanczos(const E &each, std::size_t n, std::size_t start, const double *w, double *v, double *square);
/* v <- v / sqrt(square), y <- sqrt(W) v */
template <class E> Status normalize(const E &each, std::size_t n, const double *w, const double *square, double *v, double *y);
/* u <- sqrt(W) A y - sqrt(square) before, where before is not null */
template <class E, class T> Status multiply_scaled(const E &each, const Tiles<T> &A, std::size_t tiles, const double *w, const double *y, const double *square, const double *before, double *u);
/* *product <- (u, v) */
template <class E> Status dot(const E &each, std::size_t n, const double *u, const double *v, double *product);
/* u <- u - *alpha v, *square <- (u, u) */
template <class E> Status subtract(const E &each, std::size_t n, const double *alpha, const double *v, double *u, double *square);
/* *rho <- a bound from the largest eigenvalue of the tridiagonal matrix, by bisection, and the norm of its residual */
template <class E> Status bound_of(const E &each, const double *sums, const long long *rowsum, double *rho);
/* *rho <- the largest row sum of |D^-1 A| */
template <class E> Status bound_by_rows(const E &each, const long long *rowsum, double *rho);
/*
   w <- w / bound; the same in the type of the cycle. The bound is *rho and, for new values (`again`), where the row sum of |D^-1 A| is
   more than ratio, the one of the first values, that much more, up to the row sum. ratio <- the row sums of first values
*/
template <class E, class T> Status scale_diagonal(const E &each, std::size_t n, bool again, const double *rho, const double *sums, double *ratio, double *w, T *to);
/* scale->largest <- the largest |x_i|; it must be zero before */
template <class E> Status find_largest(const E &each, std::size_t n, const Scalar *x, Scale *scale, const int *stop);
/* b <- x scaled, d[0] <- factor W b */
template <class E, class T> Status take_input(const E &each, const Level<T> &L, const Scalar *x, const Scaling &scaling, T factor);
/* d[0] <- factor W b, of a level whose right-hand side was gathered */
template <class E, class T> Status begin_level(const E &each, const Level<T> &L, T factor);
/* to[0] <- the largest of n numbers, as bits */
template <class E> Status largest_of(const E &each, int n, const long long *from, long long *to);
/* r <- b - A z */
template <class E, class T> Status find_residual(const E &each, const Level<T> &L);
/* See Step */
template <class E, class T> Status smooth_step(const E &each, const Level<T> &L, const Step<T> &s);
/* the next level's b <- P^T r, and its d[0] <- factor W b where it has one */
template <class E, class T> Status restrict_residual(const E &each, const Level<T> &L, const Tiles<T> &R, std::size_t tiles, const Level<T> &C, T factor);
/* z <- z + weight P x, r <- r - weight A P x, d[0] <- factor W r; x: the next level's z, tiles: of A P */
template <class E, class T> Status correct(const E &each, const Level<T> &L, const Tiles<T> &P, const Tiles<T> &AP, std::size_t tiles, const Level<T> &C, T weight, T factor);
/* z <- inverse b on the last level or, where it is the only one, y with both scales */
template <class E, class T> Status solve_dense(const E &each, const Level<T> &L, std::size_t n, const T *inverse, const Scaling &scaling, Scalar *y);

} // namespace hepta::aggmg

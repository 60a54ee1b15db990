/*
   Launchers of aggmg: templates over Each, for host and device, which return nullptr or a sentence. Arrays are in the memory of
   the space; returned counts are on the host.
*/
#pragma once

#include "../../shared/group.hxx"
#include "aggmg_level.hxx"

namespace hepta::aggmg
{

/*
   key <- the distinct keys, ascending, row m from offset[m] on; keys ascend from row to row. *count, on the host, <- the number
   of keys
*/
Status sort_rows(const HostEach &, Index rows, const std::size_t *offset, int bits, std::uint64_t *key, std::size_t *count);
Status sort_rows(const DeviceEach &, Index rows, const std::size_t *offset, int bits, std::uint64_t *key, std::size_t *count);

template <class E> Status put_number(const E &each, double number, double *to);
template <class E> Status fill_with(const E &each, std::size_t n, long long value, long long *to);
/* first and col of the sorted distinct keys */
template <class E>
Status split_keys(const E &each, Index rows, Index columns, const std::uint64_t *key, std::size_t count, Index *first, Index *col,
                  Index *row);
/*
   offset[m] <- where the keys of row m of a product A B begin, before equal keys are joined; offset[A.rows]: the number of keys
*/
template <class E> Status product_offsets(const E &each, const Pattern &A, const Pattern &B, std::size_t *offset);
template <class E>
Status product_keys(const E &each, const Pattern &A, const Pattern &B, Index columns, const std::size_t *offset,
                    std::uint64_t *key);
/*
   first[e] <- where the products of tile e of C begin in the list, first[entries]: the number of products; *too_long: see Found,
   zero before
*/
template <class E>
Status count_products(const E &each, const Pattern &A, const Pattern &B, const Pattern &C, std::size_t entries,
                      std::size_t *first, long long *too_long);
template <class E>
Status list_products(const E &each, const Pattern &A, const Pattern &B, const Pattern &C, std::size_t entries,
                     const std::size_t *first, unsigned *pair);
/*
   offset and key, as for products, of the nodes (blocks of bs) of a matrix's entries; first, column: of the matrix's rows;
   offset[m]: of the first row of node m
*/
template <class E>
Status node_keys(const E &each, Index nodes, Index columns, int bs, const std::size_t *first, const Index *column,
                 std::size_t *offset, std::uint64_t *key);
/* from[q] <- the slot of value q of the tiles, -1 for none; from is -1 before */
template <class E>
Status list_slots(const E &each, const Pattern &A, int bs, const std::size_t *first, const Index *column, const std::size_t *slot,
                  long long *from);
/*
   The entries of each of n rows, in from, from_column, from_slot, and after them those of the row's ghost blocks, with columns
   from n on and marked slots
*/
template <class E>
Status append_ghosts(const E &each, Index n, int bs, const std::size_t *from, const Index *from_column,
                     const std::size_t *from_slot, const GhostRows &ghosts, std::size_t *first, Index *column, std::size_t *slot);
/* The rows of A, with `tiles` tiles, and ghost rows after these, whose col is not set; end[g]: tiles of ghost rows 0 ... g */
template <class E>
Status extend_rows(const E &each, const Pattern &A, std::size_t tiles, Index ghosts, const Index *end, Index *first, Index *col,
                   Index *row);
/* key <- of all tiles, if A's rows are the rows from `start` on of a matrix */
template <class E>
Status tile_keys(const E &each, const Pattern &A, std::size_t tiles, Index start, Index columns, std::uint64_t *key);
/* key <- the column + 1 of each tile, 0 for the `own` columns from start on */
template <class E>
Status outside_keys(const E &each, const Pattern &A, std::size_t tiles, Index start, Index own, std::uint64_t *key);
/* Of A, whose columns are among all nodes: offset, and the keys with local columns */
template <class E>
Status local_keys(const E &each, const Pattern &A, const LocalNodes &nodes, Index columns, std::size_t *offset,
                  std::uint64_t *key);
/* col <- the number among all nodes of each column of A that is a ghost; negative for own nodes, so that columns ascend */
template <class E> Status ghost_columns(const E &each, const Pattern &A, std::size_t tiles, const LocalNodes &nodes, Index *col);
template <class E> Status local_columns(const E &each, const Pattern &A, std::size_t tiles, const LocalNodes &nodes, Index *col);
/* at[e] <- the tile of A for tile e of the pattern `local` with local columns */
template <class E>
Status match_tiles(const E &each, const Pattern &local, std::size_t tiles, const Pattern &A, const LocalNodes &nodes, Index *at);
/* to <- the tiles `at`, of `size` numbers each */
template <class E, class T> Status take_tiles(const E &each, std::size_t tiles, int size, const Index *at, const T *from, T *to);
/* The tentative pattern: the only column of a node is start + its aggregate, without an aggregate none */
template <class E>
Status tentative_pattern(const E &each, Index nodes, Index start, const Index *aggregate, Index *first, Index *col, Index *row);
/*
   The transpose of `columns` columns from start on: at[t] <- the number in A of tile t; tiles of other columns come last. group:
   room for a number a tile, work_first: for columns + 2
*/
template <class E>
Status transpose_pattern(const E &each, const Pattern &A, std::size_t entries, Index start, Index columns, Index *first,
                         Index *col, Index *row, Index *at, Index *group, std::size_t *work_first);
/*
   The strong part: columns j != m of row m with |A_mj| > threshold sqrt(norm_m norm_j), in Frobenius norms; sets first, then col
   if not null. rest: with ghosts and the diagonal; otherwise without, but a row whose strong columns are all ghosts gets its
   diagonal, so that the node is an aggregate
*/
template <class E, class T>
Status strong_pattern(const E &each, const Tiles<T> &A, double threshold, const double *norm, bool rest, Index *first,
                      Index *col);
/*
   val <- the tiles of A in the pattern F, with the sum of a row's tiles outside F added to the diagonal tile; wF <- 1 / (rho d),
   d being the diagonal of val, or wF <- w if d is at most a tenth of A's diagonal
*/
template <class E, class T>
Status filter_values(const E &each, const Tiles<T> &A, const Pattern &F, const double *rho, const double *w, T *val, double *wF);
/*
   One round: open nodes with the largest key within two steps become roots, open nodes within two steps of a root are out. near,
   far: a number for each node
*/
template <class E>
Status find_roots(const E &each, const Pattern &G, std::uint64_t *key, std::uint64_t *near, std::uint64_t *far, long long *open);
template <class E> Status open_all(const E &each, const Pattern &G, std::uint64_t *key);
/* to[m] <- from[m], for a node without an aggregate the aggregate of the strongest neighbor in G with an aggregate */
template <class E, class T> Status join(const E &each, const Tiles<T> &A, const Pattern &G, const Index *from, Index *to);
/*
   aggregate[m] <- the number of root m, -1 for any other node; *count, on the host, <- the number of roots. number: room for
   nodes + 1
*/
template <class E>
Status number_roots(const E &each, Index nodes, const std::uint64_t *key, Index *number, Index *aggregate, Index *count);
/*
   Orthonormal columns of the near null vectors B (rows x k, row by row) of each aggregate: R^T R = B^T B by Cholesky, T = B R^-1.
   R holds the next level's near null vectors (aggregates*k x k). A column that depends on earlier columns is zero in T and R.
   order, first: the nodes of aggregates, as by_groups()
*/
template <class E>
Status orthonormalize(const E &each, Index aggregates, int br, int k, const Index *order, const std::size_t *first,
                      const double *B, double *R, double *T);
/* Each node is an aggregate */
template <class E> Status keep_nodes(const E &each, Index nodes, Index *aggregate);
/* The nodes by aggregate; nodes without an aggregate come last */
template <class E>
Status order_nodes(const E &each, Index nodes, Index aggregates, const Index *aggregate, Index *group, Index *order,
                   std::size_t *first);
/* val[q] <- the value of slot from[q] of v, or of the ghost part's values, times *unit; 0 without a slot */
template <class E, class V, class T>
Status take_values(const E &each, std::size_t n, const long long *from, const V *v, const V *ghost, const double *unit, T *val);
/*
   *unit <- 1 / the first diagonal entry, unless the entry is 0 or not finite: brings values into float's range, and makes levels
   positive definite
*/
template <class E, class V>
Status take_unit(const E &each, const Pattern &A, int bs, const long long *from, const V *v, double *unit);
/*
   w <- 1 / D, sums <- the sums of |a_ij|, *rowsum <- max sum |a_ij| / a_ii. A row of zeros, from a zero column of P, has w = 0.
*/
template <class E, class T>
Status take_diagonal(const E &each, const Tiles<T> &A, std::size_t tiles, bool zeros, double *w, double *sums, long long *rowsum,
                     Found *found);
/*
   *skew <- sum |a_ij - a_ji|, *sum <- sum (|a_ij| + |a_ji|), both over i != j; see sum_of(). all: the rows of the ghosts after
   A's, with columns by ghost_columns(); start: the number of A's first node
*/
template <class E, class T>
Status find_skew(const E &each, const Tiles<T> &A, const Tiles<T> &all, Index start, double *skew, double *sum);
/*
   norm[m] <- the Frobenius norm of the diagonal tile, or 25 times the largest norm of the row's other tiles, if less, as in rows
   of many equal couplings
*/
template <class E, class T> Status take_norms(const E &each, const Tiles<T> &A, double *norm);
/* The tiles of P_0 from rows of orthonormal columns */
template <class E>
Status take_tentative(const E &each, Index nodes, int size, const Index *aggregate, const Index *first, const double *T,
                      double *val);
/*
   val <- the values of A B in the pattern C. The host goes row by row, with the place of each column in the row of C, and needs
   no list of products.
*/
template <class TA, class TB, class TC>
Status multiply(const HostEach &, const Tiles<TA> &A, const Tiles<TB> &B, const Pattern &C, const Products &p,
                std::size_t entries, TC *val);
template <class TA, class TB, class TC>
Status multiply(const DeviceEach &, const Tiles<TA> &A, const Tiles<TB> &B, const Pattern &C, const Products &p,
                std::size_t entries, TC *val);
/* val <- P_0 - 4/3 W product, with product = A P_0 in the pattern P; product null: val <- P_0 */
template <class E, class T>
Status smooth(const E &each, const Tiles<double> &P0, const double *w, const Pattern &P, std::size_t entries,
              const double *product, T *val);
/* to <- the tiles of P^T: tile t is tile at[t] of P, transposed */
template <class E, class T>
Status transpose_values(const E &each, std::size_t entries, int br, int bc, const Index *at, const T *from, T *to);
/*
   dense, N x N and zero before, <- the last level scaled to a unit diagonal, for eliminate() of gridmg; rows without a diagonal
   become rows of the identity. rounding, a bound of the rounding of the diagonal, is added to the diagonal.
*/
template <class E, class T>
Status fill_dense(const E &each, const Tiles<T> &A, const double *w, std::size_t N, double rounding, double *dense);
/* *energy <- b^T A b and *square <- b^T D b for a column b of near null vectors, B[0], B[k], ...; see sum_of() */
template <class E, class T>
Status find_energy(const E &each, const Tiles<T> &A, int k, const double *B, const double *w, double *energy, double *square);
/*
   dense <- dense + v v^T with v = sqrt(D) b / sqrt(square), if A b is zero to rounding: makes a matrix with null vector b regular
*/
template <class E>
Status add_null(const E &each, std::size_t n, std::size_t N, int k, const double *B, const double *w, const double *energy,
                const double *square, double rounding, double *dense);
/* inverse <- the inverse of the last level, of n rows, from the eliminated matrix, minus the scaled inverse */
template <class E, class T>
Status take_dense(const E &each, std::size_t n, std::size_t N, const double *w, const double *dense, T *inverse);
/* v <- random numbers from -1 to 1, for rows from `start` on; *square <- (v, v); see sum_of() */
template <class E>
Status begin_lanczos(const E &each, std::size_t n, std::size_t start, const double *w, double *v, double *square);
/* v <- v / sqrt(square), y <- sqrt(W) v */
template <class E> Status normalize(const E &each, std::size_t n, const double *w, const double *square, double *v, double *y);
/* u <- sqrt(W) A y - sqrt(square) before, where before is not null */
template <class E, class T>
Status multiply_scaled(const E &each, const Tiles<T> &A, std::size_t tiles, const double *w, const double *y,
                       const double *square, const double *before, double *u);
/* *product <- (u, v) */
template <class E> Status dot(const E &each, std::size_t n, const double *u, const double *v, double *product);
/* u <- u - *alpha v, *square <- (u, u) */
template <class E> Status subtract(const E &each, std::size_t n, const double *alpha, const double *v, double *u, double *square);
/* *rho <- a bound from the largest eigenvalue of the tridiagonal matrix, by bisection, and the residual norm of the Ritz pair */
template <class E> Status bound_of(const E &each, const double *sums, const long long *rowsum, double *rho);
/* *rho <- the largest row sum of |D^-1 A| */
template <class E> Status bound_by_rows(const E &each, const long long *rowsum, double *rho);
/*
   w <- w / bound; to <- w in the type of the cycle. bound = *rho; for new values (`again`) a row whose sum of |D^-1 A| exceeds
   ratio, the row sum of the first values, has bound = *rho times the growth, up to the row sum. First values: ratio <- the row
   sums
*/
template <class E, class T>
Status scale_diagonal(const E &each, std::size_t n, bool again, const double *rho, const double *sums, double *ratio, double *w,
                      T *to);
/* scale->largest, zero before, <- the largest |x_i| */
template <class E> Status find_largest(const E &each, std::size_t n, const Scalar *x, Scale *scale, const int *stop);
/* b <- x scaled, d[0] <- factor W b */
template <class E, class T>
Status take_input(const E &each, const Level<T> &L, const Scalar *x, const Scaling &scaling, T factor);
/* d[0] <- factor W b, for a gathered right-hand side b */
template <class E, class T> Status begin_level(const E &each, const Level<T> &L, T factor);
/* to[0] <- the largest of n numbers, as bits */
template <class E> Status largest_of(const E &each, int n, const long long *from, long long *to);
/* r <- b - A z */
template <class E, class T> Status find_residual(const E &each, const Level<T> &L);
/* See Step */
template <class E, class T> Status smooth_step(const E &each, const Level<T> &L, const Step<T> &s);
/* the next level's b <- P^T r, and the next level's d[0] <- factor W b unless d[0] is null */
template <class E, class T>
Status restrict_residual(const E &each, const Level<T> &L, const Tiles<T> &R, std::size_t tiles, const Level<T> &C, T factor);
/* z <- z + weight P x, r <- r - weight A P x, d[0] <- factor W r; x: the next level's z, tiles: of A P */
template <class E, class T>
Status correct(const E &each, const Level<T> &L, const Tiles<T> &P, const Tiles<T> &AP, std::size_t tiles, const Level<T> &C,
               T weight, T factor);
/* z <- inverse b on the last level; of a single level y <- inverse b with both scales */
template <class E, class T>
Status solve_dense(const E &each, const Level<T> &L, std::size_t n, const T *inverse, const Scaling &scaling, Scalar *y);

} // namespace hepta::aggmg

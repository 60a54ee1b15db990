/*
   Launchers of subdomain deflation. Z has one column for each subdomain e, one in its rows and zero elsewhere; it is never
   stored. A Z is stored by entries (row i, subdomain e), where e is the subdomain of some row that i is coupled with:

     (A Z)_ie = sum of a_ij over the columns j with label[j] = e

   in the order of e, then of the subdomain f = label[i] of the row, then of the row. A run with the same e and f is a
   segment, split into chunks of bounded length. Then, with the sums over a segment (f, e) and over all segments of e,

     E_fe = sum of (A Z)_ie,    ((A Z)^T w)_e = sum of (A Z)_ie w_i,    (Z^T r)_e = sum of r_i over the segment with f = e.
*/
#pragma once

#include <memory>

#include "../../mat/bdia/bdia_view.hxx"
#include "../../shared/each.hxx"

namespace hepta::subdeflation
{

/* The labels of the local rows and of the ghost columns */
struct Labels {
  const Index *local, *ghost;
};

/* A matrix by rows: block diagonals and the ghost part, border[m] being block row m's position there or -1 (border null: no ghost part) */
template <class V> struct DiagonalRows {
  bdia::View<V>         A;
  blocked::GhostView<V> G;
  const Index          *border;
};

/* A matrix as compressed rows and, in b (null: none), those of the ghost columns */
struct CompressedRows {
  const Index  *ai, *aj;
  const Scalar *a;
  const Index  *bi, *bj;
  const Scalar *b;
};

/* Parts of segments: chunk k has the entries first[k] ... first[k + 1] - 1; own[k]: is it of a segment with f = e? */
struct Chunks {
  std::size_t          n;
  const std::size_t   *first;
  const unsigned char *own;
};

/* Launchers over Each */
/* az[k] <- (A Z) at row[k], subdomain[k] */
template <class E, class R> Status az_values(const E &, std::size_t n, const R &rows, const Labels &labels, const Index *row, const Index *subdomain, Scalar *az);
/* out[at ? at[k] : k] <- alpha times the sum of partial[first[k]] ... partial[first[k + 1] - 1] */
template <class E> Status gather(const E &, std::size_t n, const std::size_t *first, const std::size_t *at, Scalar alpha, const Scalar *partial, Scalar *out);
/* z_i <- w_i + y[label[i]]; w may be null (zero) or z */
template <class E> Status prolong(const E &, std::size_t n, const Index *label, const Scalar *y, const Scalar *w, Scalar *z);
/* t_i <- r_i - (A Z y)_i; the entries of row i are entry[first[i]] ... entry[first[i + 1] - 1] */
template <class E> Status az_product(const E &, std::size_t n, const std::size_t *first, const Index *entry, const Index *subdomain, const Scalar *az, const Scalar *y, const Scalar *r, Scalar *t);
/* B <- B + alpha c c^T */
template <class E> Status add_rank_one(const E &, std::size_t d, Scalar alpha, const Scalar *c, Scalar *B);
/* b_i <- B_ii */
template <class E> Status dense_diagonal(const E &, std::size_t d, const Scalar *B, Scalar *b);

/* partial[k] <- the sum over chunk k of r_i (for own chunks and r not null) - az w_i (for w not null), i = row; the sum of az if both are null */
Status chunk_sums_host(const Chunks &c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial);
Status chunk_sums_cuda(const Chunks &c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial, Stream stream);
/* y <- B q, B of d x d by rows */
template <class V> Status dense_product_host(std::size_t d, const V *B, const Scalar *q, Scalar *y);
template <class V> Status dense_product_cuda(std::size_t d, const V *B, const Scalar *q, Scalar *y, Stream stream);

/*
   X, d x d, <- B^-1 through cuSOLVER; B is overwritten. Symmetric: by Cholesky's factor. *bad <- 0, or the first pivot
   (from 1) that is not positive, or is zero; waits for the result. The solver is made at the first call.
*/
Status invert_dense_cuda(std::shared_ptr<void> &solver, std::size_t d, bool symmetric, Scalar *B, Scalar *X, int *bad, Stream stream);

} // namespace hepta::subdeflation

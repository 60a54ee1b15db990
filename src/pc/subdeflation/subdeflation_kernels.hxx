/*
   Launchers of subdomain deflation. Z has a column for each subdomain e: 1 in the rows of e, 0 elsewhere. Z is never stored. A Z
   is stored by entries (row i, subdomain e), for the subdomains e of the rows coupled with row i:

     (A Z)_ie = sum of a_ij over the columns j with label[j] = e

   Entries are sorted by e, then by the subdomain f = label[i] of the row, then by row. A run of equal (e, f) is a segment.
   Segments are split into chunks of bounded length. Sums over a segment (f, e) and over all segments of e give

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

/*
   A matrix by rows: block diagonals and the ghost part. border[m]: block row m's position in the ghost part, or -1; null: no
   ghosts
*/
template <class V> struct DiagonalRows {
  bdia::View<V>         A;
  blocked::GhostView<V> G;
  const Index          *border;
};

/* A matrix as compressed rows; b: compressed rows of the ghost columns, null for none */
struct CompressedRows {
  const Index  *ai, *aj;
  const Scalar *a;
  const Index  *bi, *bj;
  const Scalar *b;
};

/* Parts of segments: chunk k has the entries first[k] ... first[k + 1] - 1; own[k]: is f = e in the segment of chunk k? */
struct Chunks {
  std::size_t          n;
  const std::size_t   *first;
  const unsigned char *own;
};

/* Launchers over Each */
/* az[k] <- (A Z) at row[k], subdomain[k] */
template <class E, class R>
Status az_values(const E &, std::size_t n, const R &rows, const Labels &labels, const Index *row, const Index *subdomain,
                 Scalar *az);
/* out[at ? at[k] : k] <- alpha times the sum of partial[first[k]] ... partial[first[k + 1] - 1] */
template <class E>
Status gather(const E &, std::size_t n, const std::size_t *first, const std::size_t *at, Scalar alpha, const Scalar *partial,
              Scalar *out);
/* z_i <- w_i + y[label[i]]; w may be null (zero) or z */
template <class E> Status prolong(const E &, std::size_t n, const Index *label, const Scalar *y, const Scalar *w, Scalar *z);
/* t_i <- r_i - (A Z y)_i; the entries of row i are entry[first[i]] ... entry[first[i + 1] - 1] */
template <class E>
Status az_product(const E &, std::size_t n, const std::size_t *first, const Index *entry, const Index *subdomain,
                  const Scalar *az, const Scalar *y, const Scalar *r, Scalar *t);
/* B <- B + alpha c c^T */
template <class E> Status add_rank_one(const E &, std::size_t d, Scalar alpha, const Scalar *c, Scalar *B);
/* b_i <- B_ii */
template <class E> Status dense_diagonal(const E &, std::size_t d, const Scalar *B, Scalar *b);

/*
   partial[k] <- sum over chunk k of r_i [if own and r is not null] - az w_i [if w is not null], i = row; with r and w null the
   sum of az
*/
Status chunk_sums_host(const Chunks &c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial);
Status chunk_sums_cuda(const Chunks &c, const Index *row, const Scalar *az, const Scalar *r, const Scalar *w, Scalar *partial,
                       Stream stream);
/* y <- B q, B of d x d by rows */
template <class V> Status dense_product_host(std::size_t d, const V *B, const Scalar *q, Scalar *y);
template <class V> Status dense_product_cuda(std::size_t d, const V *B, const Scalar *q, Scalar *y, Stream stream);

/*
   X <- B^-1, d x d, by cuSOLVER; B is overwritten. symmetric: by Cholesky, otherwise by LU. *bad <- 0, or the number, from 1, of
   the first pivot <= 0 (Cholesky) or = 0 (LU); waits for the result. The first call makes the solver.
*/
Status invert_dense_cuda(std::shared_ptr<void> &solver, std::size_t d, bool symmetric, Scalar *B, Scalar *X, int *bad,
                         Stream stream);

} // namespace hepta::subdeflation

/* Launchers over Each of the cycle over levels of any aggregates, in addition to those of subdeflation_kernels.hxx */
#pragma once

#include "../subdeflation_kernels.hxx"

namespace hepta::levels
{

/* sum[e] <- alpha times the sum of (v - w)[member[p]] for p = first[e] ... first[e + 1] - 1; w may be null (zero) */
template <class E> Status member_sums(const E &, std::size_t n, const std::size_t *first, const Index *member, Scalar alpha, const Scalar *v, const Scalar *w, Scalar *sum);

/* y <- alpha x + beta y; x may be null: zero; y may hold anything if beta is 0 */
template <class E> Status combine(const E &, std::size_t n, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y);

/* label[i] <- the number of unknown i's block row, times bs, plus its field */
template <class E> Status label_unknowns(const E &, std::size_t n, Index bs, const Index *number, Index *label);
/* *longer <- 1 if one of n aggregates has more than `most` unknowns */
template <class E> Status note_longer(const E &, std::size_t n, std::size_t most, const std::size_t *first, long long *longer);
/* row, column <- the labels of the rows and columns of entries plus start: those of row i are numbers first[i] ... first[i + 1] - 1, in columns j */
template <class E> Status coarse_indices(const E &, std::size_t n, const std::size_t *first, const Index *j, const Index *label, Index start, Index *row, Index *column);

/* e, of d x d, <- the entries of d rows, those of row i in columns j[p] and slots slot[p] of v for p = first[i] ... first[i + 1] - 1; if e is null nothing is written. *found <- 1 if an entry is not finite */
template <class E, class V> Status fill_dense(const E &, std::size_t d, const std::size_t *first, const Index *j, const std::size_t *slot, const V *v, Scalar *e, long long *found);

/* y <- B^T, B of d x d */
template <class E> Status transpose_dense(const E &, std::size_t d, const Scalar *B, Scalar *y);

} // namespace hepta::levels

/*
   Launchers of dpcg's deflation vectors. Row i of vector e is at ((e/4) n + i) 4 + e mod 4, so that a thread reads four vectors
   of a row in one load. Zeros fill the last group of four.
*/
#pragma once

#include "../../shared/each.hxx"
#include "../iteration.hxx"

namespace hepta::ksp
{

constexpr int recycle_group = 4;

/* Four vectors of a row */
struct alignas(16) Four {
  float of[recycle_group];
};

HEPTA_HD Index recycle_groups(Index k)
{
  return (k + recycle_group - 1) / recycle_group;
}

/* The number of parts in which the rows are summed */
HEPTA_HD std::size_t recycle_parts(std::size_t n)
{
  const std::size_t parts = (n + 1023) / 1024;

  return parts < 1024 ? parts : 1024;
}

/* kept[m*n + i] <- p_i / sqrt((r, z)) of iteration m = s->it, if m < most */
template <class E>
Status keep_direction(const E &, std::size_t n, const State *s, const Scalar *even, const Scalar *odd, Index most, float *kept);
/* w <- the sum of factor[m] times vector m of kept, m < count */
template <class E> Status combine(const E &, std::size_t n, Index count, const float *kept, const Scalar *factor, Scalar *w);
/* vector e of few <- w */
template <class E> Status narrow(const E &, std::size_t n, Index e, const Scalar *w, float *few);
/* z <- z + the sum of q[e] times vector e of w, e < 4 groups, unless s is not null and s->pause */
template <class E>
Status add_vectors(const E &, std::size_t n, Index groups, const State *s, const float *w, const Scalar *q, Scalar *z);
/* q[e] <- w_e . r - aw_e . z, e < 4 groups; partial: recycle_parts(n) times as many numbers of work space */
Status recycle_sums_host(std::size_t n, Index groups, const float *w, const float *aw, const Scalar *r, const Scalar *z,
                         Scalar *partial, Scalar *q);
Status recycle_sums_cuda(std::size_t n, Index groups, const float *w, const float *aw, const Scalar *r, const Scalar *z,
                         Scalar *partial, Scalar *q, Stream);

} // namespace hepta::ksp

/* The inverse of a small dense block, for host and device */
#pragma once

#include "hepta_hd.hxx"

namespace hepta
{

/*
   a <- a^-1 in place for one n x n block, a[r + s*ld], by Gauss-Jordan elimination with row exchanges kept in pivot[n], without
   row exchanges if pivot is null. good(k, p, a_pk) says whether the entry of row p may be the pivot of step k, and may change the
   entry. Returns the first step without a pivot (a then holds nothing useful), or -1 for success.
*/
template <class G> HEPTA_HD Index invert_block(Index n, Scalar *a, std::size_t ld, Index *pivot, const G &good)
{
  for (Index k = 0; k < n; k++) {
    Index p = k;

    for (Index r = k + 1; r < n && pivot; r++) {
      if (magnitude(a[r + k * ld]) > magnitude(a[p + k * ld])) p = r;
    }
    if (!good(k, p, a[p + k * ld])) return k;
    if (pivot) pivot[k] = p;
    const Scalar inverse = 1 / a[p + k * ld];
    for (Index s = 0; s < n; s++) { /* row exchange, then row k is divided by the pivot; column k becomes that of the identity */
      const Scalar t = a[p + s * ld];
      a[p + s * ld]  = a[k + s * ld];
      a[k + s * ld]  = (s == k ? Scalar(1) : t) * inverse;
    }
    for (Index r = 0; r < n; r++) {
      if (r == k) continue;
      const Scalar f = a[r + k * ld];
      a[r + k * ld]  = 0;
      for (Index s = 0; s < n; s++) a[r + s * ld] -= f * a[k + s * ld];
    }
  }
  for (Index k = n - 1; k >= 0 && pivot; k--) { /* row exchanges of a are column exchanges of its inverse */
    for (Index r = 0; r < n && pivot[k] != k; r++) {
      const Scalar t       = a[r + k * ld];
      a[r + k * ld]        = a[r + pivot[k] * ld];
      a[r + pivot[k] * ld] = t;
    }
  }
  return -1;
}

/* invert_block() with pivots larger than `least` */
HEPTA_HD Index invert_block(Index n, Scalar *a, std::size_t ld, Index *pivot, Scalar least = 0)
{
  return invert_block(n, a, ld, pivot, [least](Index, Index, Scalar a_pk) { return magnitude(a_pk) > least; });
}

} // namespace hepta

/* A row of the Incomplete Poisson preconditioner of single entries in blocked rows, for host and device */
#pragma once

#include "../../mat/brow/brow_row.hxx"
#include "ip_kernels.hxx"

namespace hepta::ip
{

/* a_mc, zero if not stored */
template <class V> HEPTA_HD Scalar entry(const brow::View<V> &A, Index m, Index c)
{
  const std::size_t at = brow::find_slot(A, m, c);
  return at == brow::no_slot ? Scalar(0) : Scalar(A.v[at]);
}

/* S_mc for a_mc off the diagonal */
HEPTA_HD Scalar scaled_entry(const Form &r, const Scalar *inverse, Index m, Index c, Scalar a)
{
  return a * inverse[r.left_lower && c < m ? c : m];
}

/* sum_k S_mk S_kc in ascending k, S_mk of the first factor, S_kc of the second factor */
template <class V> HEPTA_HD Scalar sum_of_pairs(const brow::View<V> &A, const Form &r, const Scalar *inverse, Index m, Index c)
{
  Scalar sum = 0;

  brow::for_row(A, m, [&](Index k, std::size_t at) {
    if (r.left_lower ? k >= m || k >= c : k <= m || k <= c) return;
    sum += scaled_entry(r, inverse, m, k, Scalar(A.v[at])) * scaled_entry(r, inverse, k, c, entry(A, k, c));
  });
  return sum;
}

/* Row m of M. Slots of M's tiles in a dropped triangle stay zero. */
template <class V, class W>
HEPTA_HD void build_row(const brow::View<V> &A, const brow::View<W> &M, const Form &r, const Scalar *inverse, Index m,
                        Found *found)
{
  brow::for_row(M, m, [&](Index c, std::size_t at) {
    const bool   kept = c < m ? r.keep_lower : r.keep_upper;
    const Scalar s    = c == m || !kept ? Scalar(0) : scaled_entry(r, inverse, m, c, entry(A, m, c));
    Scalar       sum  = c == m ? Scalar(1) : -s;
    if (r.pairs && (c == m || s != 0)) sum += sum_of_pairs(A, r, inverse, m, c);
    const W value = W(r.scale ? sum * inverse[c] : sum);
    if (!finite(value)) note_first(&found->infinite, (long long)m);
    M.v[at] = value;
  });
}

} // namespace hepta::ip

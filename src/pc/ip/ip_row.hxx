/* The arithmetic of the Incomplete Poisson preconditioner, once, for host and device */
#pragma once

#include "../../mat/bdia/bdia_row.hxx"
#include "../../shared/each.hxx"
#include "../../shared/invert_block.hxx"
#include "ip_kernels.hxx"

namespace hepta::ip
{

/* a_{m, m + o} of a scalar matrix in full or half storage, on diagonal d of offset |o| or o; inside the matrix */
template <class V> HEPTA_HD Scalar entry(const View<V> &A, int d, Index o, Index m)
{
  return A.v[std::size_t(d) * A.ld + (A.off[d] == o ? m : m + o)];
}

/* S_{m, m + o} of a scalar matrix; p and q: the inverses of the diagonal entries of rows m and m + o */
template <class V> HEPTA_HD Scalar scaled_entry(const View<V> &A, const Recipe &r, int d, Index o, Index m, Scalar p, Scalar q)
{
  if (o < 0 ? !r.keep_lower : !r.keep_upper) return 0;
  return entry(A, d, o, m) * (r.left_lower && o < 0 ? q : p);
}

/*
   Row m of M for a scalar matrix on one rank. `left` and `right` hold numbers of A's diagonals with a sign: d + 1 for the
   offset itself, -(d + 1) for its mirror image in half storage. Divisions are few, since they take most of the time.
*/
template <class V, class W>
HEPTA_HD void build_row(const View<V> &A, const View<W> &M, const Recipe &r, int d0, Index m, Found *found)
{
  const V     *diagonal = A.v + std::size_t(d0) * A.ld;
  const Scalar pm       = 1 / Scalar(diagonal[m]);

  for (int d = 0; d < M.nd; d++) {
    const Index o = M.off[d], c = m + o;
    if (c < 0 || c >= M.nbc) continue;
    const Scalar pc = o ? 1 / Scalar(diagonal[c]) : pm, s = o ? scaled_entry(A, r, r.from[d], o, m, pm, pc) : Scalar(0);
    Scalar       sum = o ? -s : Scalar(1);
    for (Index k = r.first[d]; k < r.first[d + 1] && (s != 0 || !o); k++) {
      const Index dl = (r.left[k] < 0 ? -r.left[k] : r.left[k]) - 1, dr = (r.right[k] < 0 ? -r.right[k] : r.right[k]) - 1;
      const Index ol = r.left[k] < 0 ? -A.off[dl] : A.off[dl], mid = m + ol;
      if (mid < 0 || mid >= A.nbr) continue;
      const Scalar p = 1 / Scalar(diagonal[mid]);
      sum += scaled_entry(A, r, dl, ol, m, pm, p) * scaled_entry(A, r, dr, o - ol, mid, p, pc);
    }
    const W value = W(r.scale ? sum * pc : sum);
    if (!finite(value)) note_first(&found->infinite, (long long)m);
    M.v[std::size_t(d) * M.ld + m] = value;
  }
}

/* A block with a pivot that is smaller than this fraction of its largest entry counts as singular up to rounding */
constexpr Scalar rounding = sizeof(Scalar) < 8 ? Scalar(1e-5) : Scalar(2e-14);

/* inverse[s*ld + i] of the diagonal block of block row m, if it has one */
template <class V> HEPTA_HD void invert_one(const View<V> &A, int d0, Index m, Scalar *inverse, Index *pivot, Found *found)
{
  const std::size_t at = std::size_t(m) * A.bs;

  Scalar largest = 0;
  for (Index s = 0; s < A.bs; s++) {
    for (Index r = 0; r < A.bs; r++) {
      const Scalar a = d0 < 0 ? Scalar(0) : Scalar(A.v[bdia::slot(A, d0, m, r, s)]), size = a < 0 ? -a : a;
      inverse[s * A.ld + at + r] = a;
      if (!finite(a)) note_first(&found->infinite, (long long)(at + r));
      if (size > largest) largest = size;
    }
  }
  const Index column = invert_block(A.bs, inverse + at, A.ld, pivot + at, A.bs > 1 ? largest * rounding : Scalar(0));
  if (column >= 0) note_first(&found->pivot, (long long)at + column);
}

/* Distance of the columns of the block at `at` */
HEPTA_HD std::size_t stride(const Work &S, std::size_t at)
{
  return at < S.local ? S.ld : at < S.local + S.ghost ? S.ghost_ld : std::size_t(S.bs);
}

/* (a b)_rs of two bs x bs blocks given by column */
template <class X, class Y>
HEPTA_HD Scalar block_product(int bs, Index r, Index s, const X *a, std::size_t lda, const Y *b, std::size_t ldb)
{
  Scalar sum = 0;

  for (int q = 0; q < bs; q++) sum += Scalar(a[q * lda + r]) * Scalar(b[s * ldb + q]);
  return sum;
}

HEPTA_HD bool is_zero_block(const Work &S, std::size_t at)
{
  const std::size_t ld = stride(S, at);

  for (int s = 0; s < S.bs; s++) {
    for (int r = 0; r < S.bs; r++) {
      if (S.v[at + s * ld + r] != 0) return false;
    }
  }
  return true;
}

/*
   [k0, k1) <- the pairs of M's diagonal d that add to the block of block row m; off the main diagonal empty for a block without
   entries of A
*/
template <class W> HEPTA_HD void pairs(const View<W> &M, const Recipe &r, const Work &S, int d, Index m, Index &k0, Index &k1)
{
  k0 = r.first[d];
  k1 = r.first[d + 1];
  if (k0 < k1 && M.off[d] != 0 && is_zero_block(S, std::size_t(d) * M.bs * M.ld + std::size_t(m) * M.bs)) k1 = k0;
}

/* W_rs on diagonal d of block row m, from this rank's block diagonals: pairs k0 ... k1 - 1 */
template <class W>
HEPTA_HD Scalar combine_one(const View<W> &M, const Recipe &r, const Work &S, int d, Index m, Index i, Index s, Index k0,
                            Index k1)
{
  const std::size_t block = std::size_t(M.bs) * M.ld, row = std::size_t(m) * M.bs, at = d * block + row;
  Scalar            sum = M.off[d] == 0 ? Scalar(i == s) : -S.v[at + s * M.ld + i];

  for (Index k = k0; k < k1; k++) {
    const Index mid = m + M.off[r.left[k] - 1];
    if (mid < 0 || mid >= M.nbr) continue;
    sum += block_product(M.bs, i, s, S.v + (r.left[k] - 1) * block + row, M.ld,
                         S.v + (r.right[k] - 1) * block + std::size_t(mid) * M.bs, M.ld);
  }
  return sum;
}

/* Does term k add to its target? Off the main diagonal only if A has entries in the target */
HEPTA_HD bool adds(const Terms &t, std::size_t main, const Work &S, std::size_t k)
{
  const std::size_t target = t.target[k];

  return (target >= main && target < main + S.bs * S.ld) || !is_zero_block(S, target);
}

/* The number that term k adds at (r, s) of its target */
HEPTA_HD Scalar term(const Terms &t, const Work &S, std::size_t k, Index r, Index s)
{
  Scalar sum = 0;

  for (std::size_t p = t.first[k]; p < t.first[k + 1]; p++)
    sum += block_product(S.bs, r, s, S.v + t.left[p], stride(S, t.left[p]), S.v + t.right[p], stride(S, t.right[p]));
  return sum;
}

} // namespace hepta::ip

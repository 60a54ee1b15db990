/*
   Host products with the block diagonals. Block rows are cut into segments in which the same run of diagonals lies inside
   the matrix, so the loops hold no test; a segment is walked in tiles of T block rows whose sums stay in registers.
*/
#include <algorithm>
#include <vector>

#include "../../shared/clones.hxx"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

namespace
{

/* Block rows per tile: enough rows for the widest registers at block size 1; a block row is its own tile otherwise */
template <int BS> constexpr int tile_rows = BS == 1 ? 32 : BS == 2 ? 4 : 1;

/* acc <- acc + rows m .. m+T-1 of sum over d in [d0, d1) */
template <int BS, int T, class V> HEPTA_HD void tile(const View<V> &A, Index m, int d0, int d1, const Scalar *x, Scalar *acc)
{
  for (int d = d0; d < d1; d++) {
    const V      *v  = A.v + std::size_t(d) * BS * A.ld + std::size_t(m) * BS;
    const Scalar *xb = x + std::size_t(m + A.off[d]) * BS;

    for (int s = 0; s < BS; s++, v += A.ld) {
      for (int t = 0; t < T; t++) {
        for (int r = 0; r < BS; r++) acc[t * BS + r] += Scalar(v[t * BS + r]) * xb[t * BS + s];
      }
    }
  }
}

/* The same for A^T: acc <- acc + columns c .. c+T-1 */
template <int BS, int T, class V> HEPTA_HD void tile_transpose(const View<V> &A, Index c, int d0, int d1, const Scalar *x, Scalar *acc)
{
  for (int d = d0; d < d1; d++) {
    const std::size_t at = std::size_t(c - A.off[d]) * BS;
    const V          *v  = A.v + std::size_t(d) * BS * A.ld + at;
    const Scalar     *xb = x + at;

    for (int s = 0; s < BS; s++, v += A.ld) {
      for (int t = 0; t < T; t++) {
        for (int r = 0; r < BS; r++) acc[t * BS + s] += Scalar(v[t * BS + r]) * xb[t * BS + r];
      }
    }
  }
}

/* A run of block rows [begin, end) for which the diagonals [d0, d1) lie inside, and with half storage [t0, t1) of the mirrored half */
struct Segment {
  Index begin, end;
  int   d0, d1, t0, t1;
};

template <int BS, int T, class V> HEPTA_HD void one_tile(const View<V> &A, const Segment &g, bool rows, Index m, const Scalar *x, const Scalar *z, Scalar *y)
{
  Scalar acc[T * BS];

  for (int i = 0; i < T * BS; i++) acc[i] = z ? z[std::size_t(m) * BS + i] : Scalar(0);
  if (rows) tile<BS, T>(A, m, g.d0, g.d1, x, acc);
  tile_transpose<BS, T>(A, m, g.t0, g.t1, x, acc);
  for (int i = 0; i < T * BS; i++) y[std::size_t(m) * BS + i] = acc[i];
}

template <int BS, class V> HEPTA_HD void segment(const View<V> &A, const Segment &g, bool rows, const Scalar *x, const Scalar *z, Scalar *y)
{
  constexpr int T = tile_rows<BS>;
  Index         m = g.begin;

  for (; m + T <= g.end; m += T) one_tile<BS, T>(A, g, rows, m, x, z, y);
  for (; m < g.end; m++) one_tile<BS, 1>(A, g, rows, m, x, z, y);
}

/* Any block size, in the row function's form */
template <class V> void segment_any(const View<V> &A, const Segment &g, const Scalar *x, const Scalar *z, Scalar *y)
{
  for (Index m = g.begin; m < g.end; m++) {
    for (int r = 0; r < A.bs; r++) {
      const std::size_t i = std::size_t(m) * A.bs + r;
      y[i] = (z ? z[i] : Scalar(0)) + row_sum<0>(A, m, r, g.d0, g.d1, x) + column_sum<0>(A, m, r, g.t0, g.t1, x);
    }
  }
}

#define HEPTA_SEGMENT(BS, V) \
  HEPTA_CLONES void segment_##BS(const View<const V> &A, const Segment &g, const Scalar *x, const Scalar *z, Scalar *y) { segment<BS>(A, g, g.d1 > g.d0, x, z, y); }
#define HEPTA_SEGMENTS(V) HEPTA_SEGMENT(1, V) HEPTA_SEGMENT(2, V) HEPTA_SEGMENT(3, V) HEPTA_SEGMENT(4, V) HEPTA_SEGMENT(5, V) HEPTA_SEGMENT(6, V) HEPTA_SEGMENT(7, V) HEPTA_SEGMENT(8, V)

HEPTA_SEGMENTS(double)
HEPTA_SEGMENTS(float)
#undef HEPTA_SEGMENT
#undef HEPTA_SEGMENTS

template <class V> void run_segment(const View<const V> &A, const Segment &g, const Scalar *x, const Scalar *z, Scalar *y)
{
  switch (A.bs) {
  case 1: return segment_1(A, g, x, z, y);
  case 2: return segment_2(A, g, x, z, y);
  case 3: return segment_3(A, g, x, z, y);
  case 4: return segment_4(A, g, x, z, y);
  case 5: return segment_5(A, g, x, z, y);
  case 6: return segment_6(A, g, x, z, y);
  case 7: return segment_7(A, g, x, z, y);
  case 8: return segment_8(A, g, x, z, y);
  default: return segment_any(A, g, x, z, y);
  }
}

/* Walks the rows of the result in segments; range(m, g) sets the diagonals that hold at block row m */
template <class V, class Range> void walk(const View<const V> &A, Index n, const std::vector<Index> &cuts, Range range, const Scalar *x, const Scalar *z, Scalar *y)
{
  for (std::size_t k = 0; k + 1 < cuts.size(); k++) {
    Segment g{std::max(cuts[k], Index(0)), std::min(cuts[k + 1], n), 0, 0, 0, 0};
    if (g.begin >= g.end) continue;
    range(g.begin, g);
    run_segment<V>(A, g, x, z, y);
  }
}

std::vector<Index> sorted_cuts(std::vector<Index> cuts, Index n)
{
  cuts.push_back(0);
  cuts.push_back(n);
  for (Index &c : cuts) c = std::min(std::max(c, Index(0)), n);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

} // namespace

template <class V> Status spmv_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y)
{
  using C = std::remove_const_t<V>;
  const View<const C> a{A.nbr, A.nbc, A.bs, A.nd, A.ld, A.off, A.v, A.half};
  std::vector<Index>  cuts;

  for (int d = 0; d < A.nd; d++) { /* the rows where a diagonal enters or leaves the matrix */
    cuts.push_back(-A.off[d]);
    cuts.push_back(A.nbc - A.off[d]);
    if (A.half) cuts.push_back(A.off[d]);
  }
  walk<C>(a, A.nbr, sorted_cuts(std::move(cuts), A.nbr), [&](Index m, Segment &g) {
    row_range(a, m, g.d0, g.d1);
    if (a.half) column_range(a, m, g.t0, g.t1);
    if (g.t0 == 0 && g.t1 > 0 && a.off[0] == 0) g.t0 = 1; /* offset 0 is stored whole */
  }, x, z, y);
  return nullptr;
}

template <class V> Status spmv_transpose_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y)
{
  using C = std::remove_const_t<V>;
  const View<const C> a{A.nbr, A.nbc, A.bs, A.nd, A.ld, A.off, A.v, false};
  std::vector<Index>  cuts;

  if (A.half) return spmv_host(A, x, z, y);
  for (int d = 0; d < A.nd; d++) { /* the columns where a diagonal enters or leaves the matrix */
    cuts.push_back(A.off[d]);
    cuts.push_back(A.nbr + A.off[d]);
  }
  walk<C>(a, A.nbc, sorted_cuts(std::move(cuts), A.nbc), [&](Index c, Segment &g) { column_range(a, c, g.t0, g.t1); }, x, z, y);
  return nullptr;
}

#define HEPTA_INSTANTIATE(V) \
  template Status spmv_host(const View<V> &, const Scalar *, const Scalar *, Scalar *); \
  template Status spmv_transpose_host(const View<V> &, const Scalar *, const Scalar *, Scalar *);
HEPTA_INSTANTIATE(double)
HEPTA_INSTANTIATE(float)

} // namespace hepta::bdia

/*
   Host products with the block diagonals. Block rows are cut into segments with the same run of diagonals inside the matrix, so
   the loops hold no test. A segment is walked in chunks whose x and y stay in the second-level cache, and a chunk one diagonal
   after the other (few at block size 1): the values then arrive as a few long streams, which the hardware fetches ahead and which
   do not displace each other from the cache when the grid is a power of two.
*/
#include <algorithm>
#include <vector>

#include "../../shared/clones.hxx"
#include "../../shared/tuning.hxx"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

namespace
{

#define HEPTA_UNROLL _Pragma("GCC unroll 64")

constexpr int tile_rows = 4; /* block rows whose sums stay in registers */

/* A run of block rows [begin, end) whose diagonals [d0, d1) lie inside, and with half storage or A^T the columns of [t0, t1) */
struct Segment {
  Index begin, end;
  int   d0, d1, t0, t1;
};

/* Calls f(segment) for the runs of the n block rows of the result between successive numbers of `cuts`; range(m, g) sets in g the
   diagonals of block row m */
template <class Range, class F> void for_segments(Index n, std::vector<Index> cuts, Range range, F f)
{
  cuts.push_back(0);
  cuts.push_back(n);
  for (Index &c : cuts) c = std::min(std::max(c, Index(0)), n);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (std::size_t k = 0; k + 1 < cuts.size(); k++) {
    Segment g{cuts[k], cuts[k + 1], 0, 0, 0, 0};
    range(g.begin, g);
    f(g);
  }
}

/* The segments of A x */
template <class V, class F> void for_row_segments(const View<V> &A, F f)
{
  std::vector<Index> cuts;

  for (int d = 0; d < A.nd; d++) { /* the rows where a diagonal enters or leaves the matrix */
    cuts.push_back(-A.off[d]);
    if (A.off[d] > A.nbc - A.nbr) cuts.push_back(A.nbc - A.off[d]); /* otherwise not below nbr, and may overflow */
    if (A.half) cuts.push_back(A.off[d]);
  }
  const auto range = [&](Index m, Segment &g) {
    row_range(A, m, g.d0, g.d1);
    if (A.half) column_range(A, m, g.t0, g.t1);
    if (g.t0 == 0 && g.t1 > 0 && A.off[0] == 0) g.t0 = 1; /* the diagonal blocks are stored completely */
  };
  for_segments(A.nbr, std::move(cuts), range, f);
}

/* The segments of A^T x, of a fully stored matrix */
template <class V, class F> void for_column_segments(const View<V> &A, F f)
{
  std::vector<Index> cuts;

  for (int d = 0; d < A.nd; d++) { /* the columns where a diagonal enters or leaves the matrix */
    cuts.push_back(A.off[d]);
    if (A.off[d] < A.nbc - A.nbr) cuts.push_back(A.nbr + A.off[d]); /* otherwise not below nbc, and may overflow */
  }
  for_segments(A.nbc, std::move(cuts), [&](Index c, Segment &g) { column_range(A, c, g.t0, g.t1); }, f);
}

/* y <- y + rows [m0, m1) of the G diagonals from d on */
template <int BS, int G, class V>
HEPTA_HD void add_rows(const View<V> &A, int d, Index m0, Index m1, const Scalar *__restrict x, Scalar *__restrict y)
{
  for (Index m = m0; m < m1; m++) {
    for (int r = 0; r < BS; r++) y[std::size_t(m) * BS + r] += row_sum<BS>(A, m, r, d, d + G, x);
  }
}

/* y <- y + columns [c0, c1), as rows of A^T, of the G diagonals from d on */
template <int BS, int G, class V>
HEPTA_HD void add_columns(const View<V> &A, int d, Index c0, Index c1, const Scalar *__restrict x, Scalar *__restrict y)
{
  const int bs = BS > 0 ? BS : A.bs;

  for (Index c = c0; c < c1; c++) {
    for (int s = 0; s < bs; s++) y[std::size_t(c) * bs + s] += column_sum<BS>(A, c, s, d, d + G, x);
  }
}

/*
   y <- y + T block rows from m on of diagonal d: unrolled whole, so that blocks of any size fill the vector registers, unlike
   add_rows()
*/
template <int BS, int T, class V>
HEPTA_HD void add_tile(const View<V> &A, int d, Index m, const Scalar *__restrict x, Scalar *__restrict y)
{
  const V      *v  = A.v + std::size_t(d) * BS * A.ld + std::size_t(m) * BS;
  const Scalar *xb = x + std::size_t(m + A.off[d]) * BS;
  Scalar        sum[T * BS];

  y += std::size_t(m) * BS;
  for (int i = 0; i < T * BS; i++) sum[i] = y[i];
  HEPTA_UNROLL
  for (int s = 0; s < BS; s++) {
    HEPTA_UNROLL
    for (int t = 0; t < T; t++) {
      HEPTA_UNROLL
      for (int r = 0; r < BS; r++) sum[t * BS + r] += Scalar(v[s * A.ld + t * BS + r]) * xb[t * BS + s];
    }
  }
  for (int i = 0; i < T * BS; i++) y[i] = sum[i];
}

template <int BS, class V>
HEPTA_HD void add_tiles(const View<V> &A, int d, Index m0, Index m1, const Scalar *__restrict x, Scalar *__restrict y)
{
  Index m = m0;

  for (; m + tile_rows <= m1; m += tile_rows) add_tile<BS, tile_rows>(A, d, m, x, y);
  if (m < m1) add_rows<BS, 1>(A, d, m, m1, x, y);
}

/*
   y <- y + block rows [m0, m1) of diagonal d for a block size known only at run time: block times vector, columns outermost
   because columns are contiguous, unlike row_sum()
*/
template <class V>
HEPTA_HD void add_any(const View<V> &A, int d, Index m0, Index m1, const Scalar *__restrict x, Scalar *__restrict y)
{
  for (Index m = m0; m < m1; m++) {
    const Scalar *xb = x + std::size_t(m + A.off[d]) * A.bs;
    Scalar       *ym = y + std::size_t(m) * A.bs;

    for (int s = 0; s < A.bs; s++) {
      const V *v = A.v + slot(A, d, m, 0, s);
      for (int r = 0; r < A.bs; r++) ym[r] += Scalar(v[r]) * xb[s];
    }
  }
}

/* y <- y + rows [m0, m1): at block size 1 four diagonals at a time, otherwise one, since its columns are streams enough */
template <int BS, class V>
HEPTA_HD void chunk_rows(const View<V> &A, const Segment &g, Index m0, Index m1, const Scalar *__restrict x, Scalar *__restrict y)
{
  int d = g.d0;

  if constexpr (BS == 1) {
    for (; d + 4 <= g.d1; d += 4) add_rows<1, 4>(A, d, m0, m1, x, y);
    if (d + 2 <= g.d1) add_rows<1, 2>(A, d, m0, m1, x, y), d += 2;
    if (d < g.d1) add_rows<1, 1>(A, d, m0, m1, x, y);
  } else {
    for (; d < g.d1; d++) {
      if constexpr (BS == 0) add_any(A, d, m0, m1, x, y);
      else add_tiles<BS>(A, d, m0, m1, x, y);
    }
  }
}

/* chunk_rows() for columns of A^T */
template <int BS, class V>
HEPTA_HD void chunk_columns(const View<V> &A, const Segment &g, Index c0, Index c1, const Scalar *__restrict x,
                            Scalar *__restrict y)
{
  constexpr int G = BS == 1 ? 2 : 1;
  int           d = g.t0;

  for (; d + G <= g.t1; d += G) add_columns<BS, G>(A, d, c0, c1, x, y);
  if (d < g.t1) add_columns<BS, 1>(A, d, c0, c1, x, y);
}

/* Rows of a chunk; with several columns of X so few that the values stay in the second-level cache from column to column */
template <class V> HEPTA_HD Index chunk_rows_of(const View<V> &A, const Segment &g, Index columns)
{
  const std::size_t row = (g.d1 - g.d0 + g.t1 - g.t0) * std::size_t(A.bs) * sizeof(V);

  return columns > 1 ? Index(std::min<std::size_t>(host_rows, host_values / std::max<std::size_t>(row, 1))) : host_rows;
}

/* Columns of x and y, ldx and ldy apart; z only with one column */
struct Vectors {
  const Scalar *x, *z;
  Scalar       *y;
  Index         n;
  std::size_t   ldx, ldy;
};

template <int BS, class V> HEPTA_HD void segment(const View<V> &A, const Segment &g, const Vectors &w)
{
  const int bs = BS > 0 ? BS : A.bs;
  /* chunks begin on a boundary of the widest registers */
  const Index step = std::max<Index>(chunk_rows_of(A, g, w.n) / bs / 8, 1) * 8;

  for (Index m0 = g.begin, m1; m0 < g.end; m0 = m1) {
    m1 = m0 + std::min(step - m0 % step, g.end - m0);
    for (Index c = 0; c < w.n; c++) {
      const Scalar *x = w.x + c * w.ldx;
      Scalar       *y = w.y + c * w.ldy;

      if (w.z != w.y || !w.z) {
        for (std::size_t i = std::size_t(m0) * bs; i < std::size_t(m1) * bs; i++) y[i] = w.z ? w.z[i] : Scalar(0);
      }
      chunk_rows<BS>(A, g, m0, m1, x, y);
      chunk_columns<BS>(A, g, m0, m1, x, y);
    }
  }
}

#define HEPTA_SEGMENT(BS, V) \
  HEPTA_CLONES void run_segment(std::integral_constant<int, BS>, const View<const V> &A, const Segment &g, const Vectors &w) \
  { \
    segment<BS>(A, g, w); \
  }
#define HEPTA_SEGMENTS(V) \
  HEPTA_SEGMENT(0, V) \
  HEPTA_SEGMENT(1, V) \
  HEPTA_SEGMENT(2, V) \
  HEPTA_SEGMENT(3, V) \
  HEPTA_SEGMENT(4, V) \
  HEPTA_SEGMENT(5, V) \
  HEPTA_SEGMENT(6, V) \
  HEPTA_SEGMENT(7, V) \
  HEPTA_SEGMENT(8, V)

HEPTA_SEGMENTS(double)
HEPTA_SEGMENTS(float)
#undef HEPTA_SEGMENT
#undef HEPTA_SEGMENTS
#undef HEPTA_UNROLL

template <class V> void run_segment(const View<const V> &A, const Segment &g, const Vectors &w)
{
  with_block_size(A.bs, [&](auto bs) { run_segment(bs, A, g, w); });
}

template <class V> Status multiply(const View<V> &A, const Vectors &w)
{
  const auto a = constant(A);

  for_row_segments(a, [&](const Segment &g) { run_segment(a, g, w); });
  return nullptr;
}

} // namespace

template <class V> Status spmv_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y)
{
  return multiply(A, {x, z, y, 1, 0, 0});
}

template <class V> Status spmm_host(const View<V> &A, Index n, const Scalar *x, std::size_t ldx, Scalar *y, std::size_t ldy)
{
  return multiply(A, {x, nullptr, y, n, ldx, ldy});
}

template <class V> Status spmv_transpose_host(const View<V> &A, const Scalar *x, const Scalar *z, Scalar *y)
{
  const auto a = constant(A);

  if (A.half) return spmv_host(A, x, z, y);
  for_column_segments(a, [&](const Segment &g) { run_segment(a, g, {x, z, y, 1, 0, 0}); });
  return nullptr;
}

HEPTA_INSTANCES(spmv_host)
HEPTA_INSTANCES(spmm_host)
HEPTA_INSTANCES(spmv_transpose_host)

} // namespace hepta::bdia

/* Runs of block rows (or columns) in which the same diagonals lie inside the matrix, for loops on the host without tests */
#pragma once

#include <algorithm>
#include <vector>

#include "bdia_row.hxx"

namespace hepta::bdia
{

/* A run of block rows [begin, end) for which the diagonals [d0, d1) lie inside, and with half storage or A^T the columns of [t0, t1) */
struct Segment {
  Index begin, end;
  int   d0, d1, t0, t1;
};

/* Calls f(segment) for the runs of the n block rows of the result between successive numbers of `cuts`; range(m, g) sets in g the diagonals of block row m */
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
    if (A.off[d] > A.nbc - A.nbr) cuts.push_back(A.nbc - A.off[d]); /* if it is below nbr; otherwise it may overflow */
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
    if (A.off[d] < A.nbc - A.nbr) cuts.push_back(A.nbr + A.off[d]); /* if it is below nbc; otherwise it may overflow */
  }
  for_segments(
    A.nbc, std::move(cuts), [&](Index c, Segment &g) { column_range(A, c, g.t0, g.t1); }, f);
}

} // namespace hepta::bdia

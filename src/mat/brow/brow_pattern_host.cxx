/* From the entries of a sparse matrix to its blocks */
#include <algorithm>

#include "brow_layout.hxx"

namespace hepta::brow
{

namespace
{

/* With more block columns than entries, marks for all block columns would take longer than sorting */
bool many_columns(std::size_t nbc, std::size_t entries)
{
  return nbc > entries;
}

/* Rows [k*step, k*step + rows) for k = 0 ... n - 1: all rows of a matrix, or a sample */
struct Windows {
  Index rows, n, step;
};

/* A sample has windows of rows that consist of whole blocks of every size: all counted tile sizes divide 840 */
constexpr Index window_rows = 840, sampled_windows = 32;

/* The number of blocks of size N with an entry; seen[c]: the last block row with an entry in block column c, plus one */
template <int N, class Offset>
std::size_t count(const Windows &w, Index cols, const Offset *i, const Index *j, std::vector<Index> &seen)
{
  const std::size_t nbc    = (std::size_t(cols) + N - 1) / N;
  std::size_t       blocks = 0;

  if (w.n == 1 && many_columns(nbc, w.rows ? i[w.rows] : 0)) return block_pattern(w.rows, cols, N, i, j).col.size();
  seen.assign(nbc, 0);
  for (Index k = 0; k < w.n; k++) {
    for (Index row = k * w.step; row < k * w.step + w.rows; row++) {
      const Index mark = row / N + 1;
      Index       last = -1;

      for (Offset p = i[row]; p < i[row + 1]; p++) {
        const Index c = j[p] / N;
        if (c == last) continue;
        last = c;
        blocks += seen[c] != mark;
        seen[c] = mark;
      }
    }
  }
  return blocks;
}

template <class Offset> BlockCounts count_windows(const Windows &w, Index cols, const Offset *i, const Index *j)
{
  BlockCounts        b;
  std::vector<Index> seen;

  b.rows = w.rows * w.n;
  for (int n = 1; n <= max_counted; n++)
    b.blocks[n] = with_block_size(n, [&](auto size) {
      constexpr int N = decltype(size)::value > 0 ? decltype(size)::value : 1;
      return count<N>(w, cols, i, j, seen);
    });
  return b;
}

/* Appends the block columns of one block row's entries to col, ascending; seen is as in count(), or empty for sorting instead */
void append_blocks(int bs, const Index *j, const Index *end, Index mark, std::vector<Index> &seen, std::vector<Index> &col)
{
  const std::size_t begin     = col.size();
  bool              ascending = true;
  Index             last      = -1;

  for (; j < end; j++) {
    const Index c = bs == 1 ? *j : *j / bs;
    if (c == last || (!seen.empty() && seen[c] == mark)) continue;
    if (!seen.empty()) seen[c] = mark;
    ascending = ascending && (col.size() == begin || c > col.back());
    last      = c;
    col.push_back(c);
  }
  if (ascending) return;
  std::sort(col.begin() + begin, col.end());
  col.erase(std::unique(col.begin() + begin, col.end()), col.end());
}

} // namespace

int BlockCounts::best(std::size_t value_bytes) const
{
  int choice = 1;

  for (int n = 2; n <= max_counted; n++) {
    if (bytes(n, value_bytes) <= bytes(choice, value_bytes)) choice = n;
  }
  return choice;
}

template <class Offset> BlockCounts count_blocks(Index rows, Index cols, const Offset *i, const Index *j)
{
  return count_windows({rows, 1, 0}, cols, i, j);
}

template <class Offset> BlockCounts sample_blocks(Index rows, Index cols, const Offset *i, const Index *j)
{
  const Index step = rows / sampled_windows / window_rows * window_rows;

  /* a sample of half the rows saves little */
  if (step < 2 * window_rows || many_columns(std::size_t(cols), i[rows])) return count_blocks(rows, cols, i, j);
  const BlockCounts b = count_windows({window_rows, sampled_windows, step}, cols, i, j);
  return b.blocks[1] ? b : count_blocks(rows, cols, i, j);
}

template <class Offset> Pattern block_pattern(Index rows, Index cols, int bs, const Offset *i, const Index *j)
{
  const Index        nbr = Index((std::size_t(rows) + bs - 1) / bs);
  const std::size_t  nbc = (std::size_t(cols) + bs - 1) / bs;
  Pattern            P;
  std::vector<Index> seen(many_columns(nbc, nbr ? i[rows] : 0) ? 0 : nbc, 0);

  P.rows = rows;
  P.cols = cols;
  P.bs   = bs;
  P.first.assign(std::size_t(nbr) + 1, 0);
  if (nbr) P.col.reserve((std::size_t(i[rows] - i[0]) + bs - 1) / bs);
  for (Index m = 0; m < nbr; m++) {
    const Index begin = m * bs, end = Index(std::min<std::size_t>(std::size_t(begin) + bs, rows));

    append_blocks(bs, j + i[begin], j + i[end], m + 1, seen, P.col);
    P.first[std::size_t(m) + 1] = P.col.size();
  }
  return P;
}

HEPTA_INSTANCE(count_blocks, Index)
HEPTA_INSTANCE(count_blocks, std::size_t)
HEPTA_INSTANCE(sample_blocks, Index)
HEPTA_INSTANCE(sample_blocks, std::size_t)
HEPTA_INSTANCE(block_pattern, Index)
HEPTA_INSTANCE(block_pattern, std::size_t)

} // namespace hepta::brow

/* From the entries of a sparse matrix to its blocks */
#include <algorithm>

#include "brow_layout.hxx"

namespace hepta::brow
{

namespace
{

/* If there are more block columns than entries, marks for all block columns would take longer than sorting */
bool many_columns(std::size_t nbc, std::size_t entries)
{
  return nbc > entries;
}

/* The number of blocks of size N with an entry; seen[c]: the last block row with an entry in block column c, plus one */
template <int N, class Offset> std::size_t count(Index rows, Index cols, const Offset *i, const Index *j, std::vector<Index> &seen)
{
  const std::size_t nbc    = (std::size_t(cols) + N - 1) / N;
  std::size_t       blocks = 0;

  if (many_columns(nbc, rows ? i[rows] : 0)) return block_pattern(rows, cols, N, i, j).col.size();
  seen.assign(nbc, 0);
  for (Index row = 0; row < rows; row++) {
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
  return blocks;
}

/* Appends the block columns of one block row's entries to col, ascending; seen is as in count(), or empty if they are sorted instead */
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
  BlockCounts        b;
  std::vector<Index> seen;

  b.rows = rows;
  for (int n = 1; n <= max_counted; n++)
    b.blocks[n] = with_block_size(n, [&](auto size) {
      constexpr int N = decltype(size)::value > 0 ? decltype(size)::value : 1;
      return count<N>(rows, cols, i, j, seen);
    });
  return b;
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
  if (nbr) P.col.reserve((std::size_t(i[rows]) + bs - 1) / bs);
  for (Index m = 0; m < nbr; m++) {
    const Index begin = m * bs, end = Index(std::min<std::size_t>(std::size_t(begin) + bs, rows));

    append_blocks(bs, j + i[begin], j + i[end], m + 1, seen, P.col);
    P.first[std::size_t(m) + 1] = P.col.size();
  }
  return P;
}

template BlockCounts count_blocks(Index, Index, const Index *, const Index *);
template BlockCounts count_blocks(Index, Index, const std::size_t *, const Index *);
template Pattern     block_pattern(Index, Index, int, const Index *, const Index *);
template Pattern     block_pattern(Index, Index, int, const std::size_t *, const Index *);

} // namespace hepta::brow

/* An order with similar rows next to each other, in groups of a tile's size */
#include <algorithm>
#include <numeric>

#include "brow_layout.hxx"
#include "brow_order.hxx"

namespace hepta::brow
{

namespace
{

constexpr Index longest   = 200;    /* a row with more entries is like no other row, joins no group and leads to no candidates */
constexpr Index sampled   = 8192;   /* the number of rows by which tile size and weight are chosen */
constexpr int   weights[] = {1, 3}; /* weights of a column that the group lacks, against 1 for a column of the group */

/* Compressed rows */
struct Graph {
  Index              n = 0;
  std::vector<Index> i{0}, j;
};

double best_bytes(const Graph &A)
{
  const BlockCounts counts = count_blocks(A.n, A.n, A.i.data(), A.j.data());
  return counts.bytes(counts.best(sizeof(Scalar)), sizeof(Scalar));
}

/* Rows and columns [begin, end) of compressed rows */
Graph part_of(const Index *i, const Index *j, Index begin, Index end)
{
  Graph A;

  A.n = end - begin;
  for (Index r = begin; r < end; r++) {
    for (Index p = i[r]; p < i[r + 1]; p++) {
      if (j[p] >= begin && j[p] < end) A.j.push_back(j[p] - begin);
    }
    A.i.push_back(Index(A.j.size()));
  }
  return A;
}

Graph permuted(const Graph &A, const std::vector<Index> &order)
{
  Graph B;

  B.n = A.n;
  permute_rows(order, A.i, A.j, B.i, B.j);
  return B;
}

/* The pattern of A + A^T + I */
Graph closure(const Graph &A)
{
  std::vector<Index> first(std::size_t(A.n) + 1, 0), rows(A.j.size()), seen(A.n, -1);
  Graph              S;

  for (Index c : A.j) first[c + 1]++;
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Index> next(first.begin(), first.end() - 1);
  for (Index r = 0; r < A.n; r++) {
    for (Index p = A.i[r]; p < A.i[r + 1]; p++) rows[next[A.j[p]]++] = r;
  }
  S.n = A.n;
  for (Index r = 0; r < A.n; r++) {
    const auto add = [&](Index c) {
      if (seen[c] == r) return;
      seen[c] = r;
      S.j.push_back(c);
    };
    add(r);
    for (Index p = A.i[r]; p < A.i[r + 1]; p++) add(A.j[p]);
    for (Index p = first[r]; p < first[r + 1]; p++) add(rows[p]);
    S.i.push_back(Index(S.j.size()));
  }
  return S;
}

class Grouping {
public:
  Grouping(const Graph &S, int bs, int weight)
    : S_(S), bs_(bs), weight_(weight), group_(S.n, -1), near_(S.n, -1), has_(2 * std::size_t(S.n), -1),
      counted_(2 * std::size_t(S.n), 0)
  {
  }

  std::vector<Index> Order()
  {
    Index first = 0;

    for (Index g = 0; Index(order_.size()) < S_.n; g++) {
      candidates_.clear();
      has_[std::size_t(S_.n) + g] = g;
      for (int k = 0; k < bs_ && Index(order_.size()) < S_.n; k++) {
        Index next = MostLike(g);
        while (first < S_.n && group_[first] >= 0) first++;
        Take(next < 0 ? first : next, g);
      }
    }
    return std::move(order_);
  }

private:
  Index Length(Index r) const { return S_.i[r + 1] - S_.i[r]; }
  /* the number that column c counts as: the number of its group, if c has a group */
  std::size_t Column(Index c) const { return group_[c] >= 0 ? std::size_t(S_.n) + group_[c] : std::size_t(c); }

  /* Adds row r to group g; its neighbors and their neighbors become candidates */
  void Take(Index r, Index g)
  {
    order_.push_back(r);
    group_[r] = g;
    for (Index p = S_.i[r]; p < S_.i[r + 1]; p++) has_[Column(S_.j[p])] = g;
    if (Length(r) > longest) return;
    for (Index p = S_.i[r]; p < S_.i[r + 1]; p++) {
      const Index c = S_.j[p];
      for (Index q = S_.i[c]; Length(c) <= longest && q < S_.i[c + 1]; q++) {
        const Index next = S_.j[q];
        if (near_[next] == g || group_[next] >= 0 || Length(next) > longest) continue;
        near_[next] = g;
        candidates_.push_back(next);
      }
    }
  }

  /*
     The candidate with the most columns of the group, less `weight` for each column that the group does not have; -1 without
     candidates
  */
  Index MostLike(Index g)
  {
    long  best = 0;
    Index like = -1;

    for (Index c : candidates_) {
      if (group_[c] >= 0) continue;
      long score = 0;
      stamp_++;
      for (Index p = S_.i[c]; p < S_.i[c + 1]; p++) {
        const std::size_t column = Column(S_.j[p]);
        if (counted_[column] != stamp_) score += has_[column] == g ? 1 : -weight_;
        counted_[column] = stamp_;
      }
      if (like >= 0 && (score < best || (score == best && c > like))) continue;
      best = score;
      like = c;
    }
    return like;
  }

  const Graph &S_;
  const int    bs_, weight_;
  std::size_t  stamp_ = 0;
  /* near_[r]: the group that row r is a candidate for; has_[c]: the group that has column c */
  std::vector<Index>       group_, near_, has_, order_, candidates_;
  std::vector<std::size_t> counted_;
};

} // namespace

void permute_rows(const std::vector<Index> &order, const std::vector<Index> &i, const std::vector<Index> &j,
                  std::vector<Index> &to_i, std::vector<Index> &to_j)
{
  std::vector<Index> position(order.size());

  for (std::size_t r = 0; r < order.size(); r++) position[order[r]] = Index(r);
  to_i.assign(1, 0);
  to_j.clear();
  for (Index old : order) {
    for (Index p = i[old]; p < i[old + 1]; p++) to_j.push_back(position[j[p]]);
    to_i.push_back(Index(to_j.size()));
  }
}

std::vector<Index> density_order(Index n, const Index *i, const Index *j)
{
  const Index begin = (n - std::min(n, sampled)) / 2;
  const Graph A = part_of(i, j, 0, n), part = part_of(i, j, begin, begin + std::min(n, sampled)), S = closure(part);
  double      least = worth_order * best_bytes(part);
  int         bs = 0, weight = 0;

  for (int size = 2; size <= max_counted; size++) {
    for (int w : weights) {
      const double bytes = best_bytes(permuted(part, Grouping(S, size, w).Order()));
      if (bytes > least) continue;
      least  = bytes;
      bs     = size;
      weight = w;
    }
  }
  if (!bs) return {};
  std::vector<Index> order = Grouping(closure(A), bs, weight).Order();
  if (best_bytes(permuted(A, order)) > worth_order * best_bytes(A)) return {};
  return order;
}

} // namespace hepta::brow

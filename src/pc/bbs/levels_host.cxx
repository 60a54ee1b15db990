#include "levels.hxx"

#include <algorithm>
#include <vector>

namespace hepta::bbs
{

/* U from the bottom, L from the top. A level block grows from its row `first` until a row depends on one of those that it has: of the rows walked so far they are those from `first` on. */
Parallelism find_levels(const Pattern &P, bool upper, Index *level)
{
  Parallelism found;
  Index       first = 0;

  for (Index k = 0; k < P.n; k++) {
    const Index i       = upper ? P.n - 1 - k : k;
    Index       deepest = 0, entries = 0;
    bool        new_block = k == 0;

    for (Index q = P.start[i]; q < P.start[i + 1]; q++) {
      const Index j = P.column[q];

      if (j == i) entries++;
      else if (upper ? j > i : j < i) {
        entries++;
        deepest   = std::max(deepest, level[j]);
        new_block = new_block || (upper ? j <= first : j >= first);
      }
    }
    level[i] = deepest + 1;
    if (new_block) {
      found.blocks++;
      first = i;
    }
    found.levels = std::max(found.levels, level[i]);
    found.ell    = std::max(found.ell, entries);
  }
  return found;
}

/* When the rows of m are reached, its level has been raised by every a_ij above it; what it depends on by entries of its own rows is final, too */
Index find_order_levels(const Pattern &A, Index bs, Index *level)
{
  const Index n      = A.n / bs;
  Index       levels = 0;

  std::fill_n(level, n, Index(1));
  for (Index m = 0; m < n; m++) {
    const Index *begin = A.column + A.start[m * bs], *end = A.column + A.start[(m + 1) * bs];

    for (const Index *j = begin; j < end; j++) {
      if (*j / bs < m) level[m] = std::max(level[m], level[*j / bs] + 1);
    }
    for (const Index *j = begin; j < end; j++) {
      if (*j / bs > m) level[*j / bs] = std::max(level[*j / bs], level[m] + 1);
    }
    levels = std::max(levels, level[m]);
  }
  return levels;
}

void sort_by_level(Index n, Index levels, const Index *level, Index *order)
{
  std::vector<Index> next(std::size_t(levels) + 1, 0); /* of each level */

  for (Index i = 0; i < n; i++) next[level[i]]++;
  for (Index l = 1; l <= levels; l++) next[l] += next[l - 1];
  for (Index i = 0; i < n; i++) order[next[level[i] - 1]++] = i;
}

} // namespace hepta::bbs

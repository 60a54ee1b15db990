/* The offsets of a factor of the Incomplete Poisson preconditioner in block diagonals, and the pairs that add to it */
#pragma once

#include "ip_by_hand.h"

namespace hepta::test
{

class PlacedRecipe {
public:
  /* the offsets of the factor */
  static std::vector<Index> offsets(const Shape &A, const ip::Form &f)
  {
    std::vector<Index> off;

    for (Index o : A.off) {
      for (Index c : {o, A.half ? -o : o}) {
        if ((c < 0 ? f.keep_lower : c == 0 || f.keep_upper) && std::count(off.begin(), off.end(), c) == 0) off.push_back(c);
      }
    }
    std::sort(off.begin(), off.end());
    return off;
  }
  PlacedRecipe(const Shape &A, const ip::Form &f)
    : form(f), lists(Find(A, f)), from(lists[0]), first(lists[1]), left(lists[2]), right(lists[3])
  {
  }
  ip::Recipe get() { return {form, from.get(), first.get(), left.get(), right.get()}; }

private:
  using Lists = std::vector<std::vector<Index>>;
  ip::Form      form;
  Lists         lists;
  Memory<Index> from, first, left, right;

  /* the factors of a pair are above and below the diagonal, in the order of the form; a mirror image of half storage has a
     negative number */
  static Lists Find(const Shape &A, const ip::Form &f)
  {
    Lists             l = {{}, {0}, {}, {}};
    const std::size_t n = A.off.size();

    for (Index o : offsets(A, f)) {
      for (std::size_t d = 0; d < n; d++) {
        if (A.off[d] == o || (A.half && A.off[d] == -o)) l[0].push_back(Index(d));
      }
      for (std::size_t d = 0; d < 2 * n; d++) {
        for (std::size_t e = 0; e < 2 * n; e++) {
          const Index a = (d < n ? 1 : -1) * A.off[d % n], b = (e < n ? 1 : -1) * A.off[e % n];
          if (!f.pairs || (!A.half && (d >= n || e >= n)) || a + b != o || (f.left_lower ? a >= 0 || b <= 0 : a <= 0 || b >= 0))
            continue;
          l[2].push_back((d < n ? 1 : -1) * Index(d % n + 1));
          l[3].push_back((e < n ? 1 : -1) * Index(e % n + 1));
        }
      }
      l[1].push_back(Index(l[2].size()));
    }
    return l;
  }
};

} // namespace hepta::test

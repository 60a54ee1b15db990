/* A matrix on two ranks, for the launchers of the Incomplete Poisson preconditioner that need the other rank's columns */
#pragma once

#include "ghost_part.h"
#include "ip_recipe.h"

namespace hepta::test
{

/* A matrix of 4 x 4 full blocks, of which this rank has two block rows, from `mine` on */
struct Split {
  int                bs;
  Index              mine, other;
  Shape              shape;
  Ghost<double>      B;
  Dense              A, own;
  std::vector<Index> index; /* block (m, c) of the ghost part is block index[2*m + c], from ghost block column c */

  Split(int bs_, bool first)
    : bs(bs_), mine(first ? 0 : 2), other(2 - mine), shape{2, 2, bs, {-1, 0, 1}}, B(2, 2, bs, {0, 1}, {{0, 1}, {1, 0}}),
      A(4 * bs, 4 * bs), own(dominant(dense_of(shape))), index(4)
  {
    for (Index q = 0; q < 4; q++) index[2 * B.line[q] + B.col[q]] = q;
    for (int r = 0; r < bs; r++) {
      /* two blocks that pairs could add to */
      for (int c = 0; c < bs; c++) own(bs + r, c) = B.D(r, bs + c) = B.v[c * B.ld + index[1] * bs + r] = 0;
    }
    for (Index i = 0; i < A.rows; i++) {
      for (Index j = 0; j < A.cols; j++) {
        const Index r = i - mine * bs, s = j - mine * bs;
        const bool  in = r >= 0 && r < 2 * bs;
        A(i, j)        = !in ? number(i * 97 + j) : s >= 0 && s < 2 * bs ? own(r, s) : B.D(r, j - other * bs);
        if (i == j && !in) A(i, j) = 64;
      }
    }
  }
  bool Mine(Index m) const { return m / 2 == mine / 2; }
  /* block (m, c) of M */
  Dense Block(const Dense &M, Index m, Index c) const
  {
    Dense b(bs, bs);

    for (int r = 0; r < bs; r++) {
      for (int s = 0; s < bs; s++) b(r, s) = M(m * bs + r, c * bs + s);
    }
    return b;
  }
};

/* The sums that need a ghost or a received block; the received blocks are those of the other rank's block rows, by rows */
struct Plan {
  std::vector<std::size_t> target, first = {0}, left, right;

  Plan(const Split &s, const ip::Form &f, std::size_t ld, std::size_t local, std::size_t ghost)
  {
    const auto at = [&](Index m, Index c) {
      if (!s.Mine(m)) return local + ghost + std::size_t((m - s.other) * 4 + c) * s.bs * s.bs;
      const Index row = m - s.mine;
      return s.Mine(c) ? std::size_t(c - m + 1) * s.bs * ld + std::size_t(row) * s.bs
                       : local + std::size_t(s.index[2 * row + c - s.other]) * s.bs;
    };
    for (Index m = s.mine; m < s.mine + 2; m++) {
      for (Index c = 0; c < 4; c++) {
        for (Index k = 0; k < 4; k++) {
          if (!f.pairs || (s.Mine(k) && s.Mine(c)) || (f.left_lower ? k >= m || k >= c : k <= m || k <= c)) continue;
          left.push_back(at(m, k));
          right.push_back(at(k, c));
        }
        if (left.size() == first.back()) continue;
        target.push_back(at(m, c));
        first.push_back(left.size());
      }
    }
  }
};

/* S by hand */
inline Dense scaled(const Split &s, const ip::Form &f)
{
  const Dense D = block_inverse(s.A, s.bs), L = blocks_of(s.A, s.bs, [](Index m, Index c) { return c < m; }),
              U = blocks_of(s.A, s.bs, [](Index m, Index c) { return c > m; });
  Dense       S = f.left_lower ? product(L, D) : product(D, L);
  const Dense R = product(D, U);

  for (std::size_t k = 0; k < S.a.size(); k++) S.a[k] += R.a[k];
  return S;
}

/* Blocks of A column by column, in the order of a list of their rows and columns */
inline Vector listed(const Split &s, const Dense &A, const std::vector<std::pair<Index, Index>> &blocks)
{
  Vector all;

  for (const auto &b : blocks) {
    const Dense columns = transpose(s.Block(A, b.first, b.second));
    all.insert(all.end(), columns.a.begin(), columns.a.end());
  }
  return all;
}

} // namespace hepta::test

/* Strict triangles and their transposes, and lists of their entries made by hand */
#pragma once

#include <algorithm>

#include "../../../src/pc/bbs/bbs_analysis.hxx"
#include "memory.h"

namespace hepta::test
{

using namespace bbs;

const ChunkLimits limits = {3000, 8, 2048};

/* Block rows with their diagonal blocks; half the entries are on either side */
struct BlockRows {
  int                bs;
  std::vector<Index> i = {0}, j, diag;

  explicit BlockRows(int b) : bs(b) {}
  Index n() const { return Index(diag.size()); }
  void  Add(std::vector<Index> columns)
  {
    columns.push_back(n());
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    diag.push_back(i.back() + Index(std::find(columns.begin(), columns.end(), n()) - columns.begin()));
    j.insert(j.end(), columns.begin(), columns.end());
    i.push_back(Index(j.size()));
  }
};

inline BlockRows grid(Index nx, Index ny, int bs)
{
  BlockRows A(bs);

  for (Index m = 0; m < nx * ny; m++) {
    std::vector<Index> columns;
    if (m >= nx) columns.push_back(m - nx);
    if (m % nx) columns.push_back(m - 1);
    if (m % nx < nx - 1) columns.push_back(m + 1);
    if (m + nx < nx * ny) columns.push_back(m + nx);
    A.Add(columns);
  }
  return A;
}

/* Levels of `rows` rows that depend on rows all over the levels beside them; every 97th row has many entries */
inline BlockRows wide(Index levels, Index rows, Index length)
{
  BlockRows A(1);

  for (Index m = 0; m < levels * rows; m++) {
    std::vector<Index> columns;
    const Index        count = m % 97 ? length : std::min(rows, 40 * length);
    for (Index k = 0; k < count; k++) {
      const Index at = (37 * m + k * std::max<Index>(1, rows / count)) % rows;
      if (m >= rows) columns.push_back((m / rows - 1) * rows + at);
      if (m + rows < levels * rows) columns.push_back((m / rows + 1) * rows + at);
    }
    A.Add(columns);
  }
  return A;
}

inline BlockRows arrow(Index n)
{
  BlockRows          A(1);
  std::vector<Index> all(n);

  for (Index m = 0; m < n; m++) all[m] = m;
  for (Index m = 0; m < n; m++) A.Add(m ? std::vector<Index>{0} : all);
  return A;
}

/* Every other row depends on the row before the one beside it, and on that one, which depends on none: the nearest dependency has
   the lowest level */
inline BlockRows uneven(Index n)
{
  BlockRows A(1);

  for (Index m = 0; m < n; m++) {
    std::vector<Index> columns;
    for (Index o : {-2, -1, 1, 2}) {
      if (m % 2 == 0 && m + o >= 0 && m + o < n) columns.push_back(m + o);
    }
    A.Add(columns);
  }
  return A;
}

/* The entries of each scalar row: its column, and where its value is among those of the blocks */
using List = std::vector<std::vector<std::pair<Index, Index>>>;

inline List list_of(const BlockRows &A, bool upper, bool transpose)
{
  List list(std::size_t(A.n()) * A.bs);

  for (Index m = 0; m < A.n(); m++) {
    for (Index p = A.i[m]; p < A.i[m + 1]; p++) {
      if (A.j[p] == m || (A.j[p] > m) != upper) continue;
      for (int s = 0; s < A.bs; s++) {
        for (int r = 0; r < A.bs; r++) {
          const Index row = m * A.bs + r, col = A.j[p] * A.bs + s, value = (p * A.bs + s) * A.bs + r;
          list[transpose ? col : row].push_back({transpose ? row : col, value});
        }
      }
    }
  }
  for (auto &row : list) std::sort(row.begin(), row.end());
  return list;
}

/* A strict triangle or its transpose, where the launchers of this run work */
struct TestTriangle {
  Memory<Index>  i, j, diag, rows, columns, block;
  StrictTriangle strict;

  TestTriangle(const BlockRows &A, bool upper, bool transpose)
    : i(A.i), j(A.j), diag(A.diag), rows(A.i), columns(A.j), block(A.j), strict{A.n(), A.bs, upper, i.get(), j.get(), diag.get()}
  {
    if (!transpose) return;
    if (on_device()) Transpose(A, upper);
    else TransposeByHand(A, upper);
    strict = transposed(strict, rows.get(), columns.get(), block.get());
  }
  void Transpose(const BlockRows &A, bool upper)
  {
    std::size_t entries = 0;

    for (const auto &row : list_of(A, upper, false)) entries += row.size();
#if defined(HEPTA_HAVE_CUDA)
    EXPECT_EQ(
      transpose_cuda(strict, Index(entries / (std::size_t(A.bs) * A.bs)), rows.get(), columns.get(), block.get(), nullptr),
      nullptr);
#endif
  }
  /* From the entries in the first column of each block */
  void TransposeByHand(const BlockRows &A, bool upper)
  {
    const List list  = list_of(A, upper, true);
    Index      count = 0;

    for (Index m = 0; m < A.n(); m++) {
      rows.get()[m] = count;
      for (std::size_t e = 0; e < list[m * A.bs].size(); e += A.bs, count++) {
        columns.get()[count] = list[m * A.bs][e].first / A.bs;
        block.get()[count]   = list[m * A.bs][e].second / (A.bs * A.bs);
      }
    }
    rows.get()[A.n()] = count;
  }
  /* The same in host memory */
  StrictTriangle host()
  {
    if (strict.block)
      return {strict.n, strict.bs, strict.upper, rows.values().data(), columns.values().data(), nullptr, block.values().data()};
    return {strict.n, strict.bs, strict.upper, i.values().data(), j.values().data(), diag.values().data()};
  }
};

/* Calls f(list, triangle) for both triangles and their transposes */
template <class F> void for_triangles(const BlockRows &A, const F &f)
{
  for (bool upper : {false, true}) {
    for (bool transpose : {false, true}) {
      TestTriangle T(A, upper, transpose);
      EXPECT_EQ(T.strict.upper, upper != transpose);
      f(list_of(A, upper, transpose), T);
    }
  }
}

inline std::vector<BlockRows> shapes()
{
  return {grid(31, 40, 1), grid(31, 40, 2), grid(31, 40, 3), wide(3, 1500, 9), arrow(5000),
          uneven(1200),    grid(1, 1, 1),   grid(2, 1, 1),   grid(33, 1, 1)};
}

} // namespace hepta::test

/* A matrix with subdomains, and A Z by entries in segments and chunks, for the launchers of deflation with two levels */
#pragma once

#include "ghost_part.h"

namespace hepta::test
{

typedef std::vector<std::size_t> Sizes;
typedef std::vector<Index>       Indices;

/* Rows of this rank with columns of its own and of another rank, which belong to d subdomains */
struct Problem {
  static constexpr Index d = 7;
  Shape                  shape{12, 12, 2, {-3, -1, 0, 1, 3}};
  Dense                  A = dense_of(shape);
  Ghost<float>           B{12, 3, 2, {0, 11, 4}, {{0, 1}, {2}, {0}}};
  Indices                own, ghost = {6, 2, 5, 5, 0, 6}; /* labels */
  Dense                  AZ{24, d};
  Indices                row, subdomain; /* of each entry of A Z */
  /* where chunks begin; where segments begin, in chunks, and their places in E; where subdomains begin, in chunks */
  Sizes                      chunk = {0}, segment = {0}, at, column = {0};
  std::vector<unsigned char> is_own;

  Problem()
  {
    for (Index i = 0; i < 24; i++) own.push_back(i * 7 % 5);
    for (Index i = 0; i < 24; i++) {
      for (Index j = 0; j < 24; j++) AZ(i, own[j]) += A(i, j);
      for (Index j = 0; j < 6; j++) AZ(i, ghost[j]) += B.D(i, j);
    }
    for (Index e = 0; e < d; e++) {
      for (Index f = 0; f < d; f++) AddSegment(e, f);
      column.push_back(is_own.size());
    }
  }
  bool Coupled(Index i, Index e) const
  {
    for (Index j = 0; j < 24; j++) {
      if (own[j] == e && A(i, j) != 0) return true;
    }
    for (Index j = 0; j < 6; j++) {
      if (ghost[j] == e && B.D(i, j) != 0) return true;
    }
    return false;
  }
  /* with chunks of at most three entries */
  void AddSegment(Index e, Index f)
  {
    const std::size_t begin = row.size();

    for (Index i = 0; i < 24; i++) {
      if (own[i] != f || !Coupled(i, e)) continue;
      row.push_back(i);
      subdomain.push_back(e);
    }
    if (row.size() == begin) return;
    while (chunk.back() < row.size()) {
      chunk.push_back(std::min(chunk.back() + 3, row.size()));
      is_own.push_back(e == f);
    }
    segment.push_back(is_own.size());
    at.push_back(f * d + e);
  }
  Vector Entries() const
  {
    Vector az;
    for (std::size_t k = 0; k < row.size(); k++) az.push_back(AZ(row[k], subdomain[k]));
    return az;
  }
};

} // namespace hepta::test

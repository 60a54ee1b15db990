/* Compressed rows of blocks from blocks in any order */
#pragma once

#include <algorithm>
#include <vector>

#include "brow_view.hxx"

namespace hepta::brow
{

/*
   i[m] ... i[m + 1] - 1 <- the places of row m's columns in j, ascending. First Append() for each block, which is all if
   IsDone(): blocks come row by row with ascending columns. Otherwise Count() for each block, Start(), Add() for each block in the
   same order, and End().
*/
class Filling {
public:
  /* room: blocks that are expected */
  Filling(Index rows, std::size_t room, std::vector<std::size_t> &i, std::vector<Index> &j) : rows_(rows), i_(i), j_(j)
  {
    i_.assign(std::size_t(rows) + 1, 0);
    j_.reserve(room);
  }

  void Append(Index m, Index c)
  {
    if (m == row_ ? c <= column_ : m < row_) done_ = false;
    if (!done_) return;
    if (m != row_) Close(m);
    column_ = c;
    j_.push_back(c);
  }
  bool IsDone()
  {
    if (done_) Close(rows_);
    else i_.assign(std::size_t(rows_) + 1, 0);
    row_ = -1;
    return done_;
  }
  void Count(Index m) { i_[m + 1]++; }
  void Start()
  {
    for (Index m = 0; m < rows_; m++) i_[m + 1] += i_[m];
    end_.assign(i_.begin(), i_.end() - 1);
    j_.resize(i_[rows_]);
  }
  /*
     Leaves out a repeated block at an expected place, which End() would have to sort: entries of a block follow each other, and
     rows of a block row have the same blocks in the same order
  */
  void Add(Index m, Index c)
  {
    const std::size_t first = i_[m], end = end_[m];

    if (m != row_) near_ = first;
    row_ = m;
    if (near_ < end && j_[near_] == c) near_++;
    else if (near_ > first && j_[near_ - 1] == c) return;
    else if (first < end && j_[first] == c) near_ = first + 1;
    else {
      j_[end] = c;
      end_[m] = near_ = end + 1;
    }
  }
  /* Sorts the columns of each row and drops repeated columns */
  void End()
  {
    std::size_t kept = 0;

    for (Index m = 0; m < rows_; m++) {
      Index *const begin = j_.data() + i_[m], *end = j_.data() + end_[m];
      if (std::adjacent_find(begin, end, [](Index a, Index b) { return a >= b; }) != end) {
        std::sort(begin, end);
        end = std::unique(begin, end);
      }
      i_[m] = kept;
      if (begin != j_.data() + kept) std::copy(begin, end, j_.data() + kept);
      kept += std::size_t(end - begin);
    }
    i_[rows_] = kept;
    j_.resize(kept);
  }

private:
  /* Rows before m are complete */
  void Close(Index m)
  {
    std::fill(i_.begin() + (row_ + 1), i_.begin() + (std::size_t(m) + 1), j_.size());
    row_ = m;
  }

  const Index               rows_;
  std::vector<std::size_t> &i_, end_; /* row m has columns j_[i_[m]] ... j_[end_[m] - 1] */
  std::vector<Index>       &j_;
  bool                      done_ = true;
  Index                     row_ = -1, column_ = -1; /* of the preceding block */
  std::size_t               near_ = 0;               /* the place after the preceding block */
};

} // namespace hepta::brow

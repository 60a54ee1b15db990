/* What the files of the analysis on the device share */
#pragma once

#include "../../shared/scratch.cuh"
#include "bbs_analysis.hxx"
#include "bbs_device.cuh"

namespace hepta::bbs
{

using Key = unsigned long long;

/* Tiles and their steps: of a level of a chunk, and the sums before it */
struct Extent {
  std::size_t steps;
  Index       tiles;

  __host__ __device__ Extent operator+(const Extent &b) const { return {steps + b.steps, Index(tiles + b.tiles)}; }
};

/* What the host is to know */
struct Totals {
  long long cost[thread_choices];
  Extent    all;
  Index     groups, outside, values, others;
  int       threads;
};

/* A key sorts rows by chunk in the order of dependencies, then level, then length, the longest first */
struct Keys {
  Half         half;
  const Index *level;
  Index        levels, longest, rows, chunks; /* scalar rows of a chunk */

  __device__ Index chunk_of(Index i) const { return half.upper ? chunks - 1 - i / rows : i / rows; }
  __device__ Index begin_of(Index chunk) const { return (half.upper ? chunks - 1 - chunk : chunk) * rows; }
  __device__ Key   of_row(Index i) const { return (Key(chunk_of(i)) * levels + Key(level[i / half.bs] - 1)) * Key(longest + 1) + Key(longest - half_length(half, i)); }
  __device__ Key   group_of(Key key) const { return key / Key(longest + 1); }
  __device__ Index length_of(Key key) const { return longest - Index(key % Key(longest + 1)); }
  /* rows of other chunks: by chunk, then by level, then in the order of dependencies */
  __device__ Key   outside(Index chunk, Index j) const { return (Key(chunk) * levels + Key(level[j / half.bs] - 1)) * Key(half.n * half.bs) + Key(half.upper ? half.n * half.bs - 1 - j : j); }
  __device__ Index row_outside(Key key) const
  {
    const Index at = Index(key % Key(half.n * half.bs));
    return half.upper ? half.n * half.bs - 1 - at : at;
  }
};

struct AnalysisWork {
  Scratch     scratch, temporary;
  Keys        keys;
  Key        *key, *unsorted;
  Index      *row, *order, *group; /* group: the first row of each level of a chunk, in the order */
  Extent     *extent;              /* of each group, then before it */
  Index      *outside;             /* entries outside the chunk, by block row, then before it */
  Key        *other = nullptr;     /* Keys::outside(), each once */
  Totals     *totals;
  void       *cub;
  std::size_t cub_bytes;

  cudaStream_t stream;

  explicit AnalysisWork(cudaStream_t s) : scratch(s), temporary(s), cub(nullptr), cub_bytes(0), stream(s) {}
  Index Rows() const { return keys.half.n * keys.half.bs; }
};

inline int bits_of(Key largest)
{
  int bits = 1;

  while (bits < 64 && largest >> bits) bits++;
  return bits;
}

/* Rows of group g of `groups`, n rows in all */
__device__ inline Index rows_of_group(const Index *group, Index g, Index groups, Index n)
{
  return (g + 1 < groups ? group[g + 1] : n) - group[g];
}

} // namespace hepta::bbs

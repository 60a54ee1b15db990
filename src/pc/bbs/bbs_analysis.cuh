/* Declarations shared by the files of the analysis on the device */
#pragma once

#include "../../shared/group.hxx"
#include "../../shared/scratch.cuh"
#include "bbs_analysis.hxx"
#include "bbs_device.cuh"

namespace hepta::bbs
{

using Key = std::uint64_t;

/* Numbers of tiles and of their steps */
struct TileCount {
  std::size_t steps;
  Index       tiles;

  __host__ __device__ TileCount operator+(const TileCount &b) const { return {steps + b.steps, Index(tiles + b.tiles)}; }
};

/* The totals that are copied to the host */
struct Totals {
  long long cost[thread_choices];
  long long fetched; /* blocks */
  TileCount all;
  Key       others;
  Index     groups, outside, values;
  int       threads;
};

/* A row's key sorts the rows by chunk, in the order of the chunks' dependencies, then by level, then by descending length */
struct RowKeys {
  StrictTriangle strict;
  const Index   *level;
  Index          levels, longest, rows, chunks; /* rows: of a chunk; longest: entries of the longest row */

  __device__ Index chunk_of(Index i) const { return strict.upper ? chunks - 1 - i / rows : i / rows; }
  __device__ Index begin_of(Index chunk) const { return (strict.upper ? chunks - 1 - chunk : chunk) * rows; }
  __device__ Key   of_row(Index i) const
  {
    return (Key(chunk_of(i)) * levels + Key(level[i / strict.bs] - 1)) * Key(longest + 1) +
           Key(longest - strict_length(strict, i));
  }
  __device__ Key   group_of(Key key) const { return key / Key(longest + 1); }
  __device__ Index length_of(Key key) const { return longest - Index(key % Key(longest + 1)); }
  /*
     a second key sorts the rows j of other chunks on which a chunk depends: by chunk, by level, then in the order of dependencies
  */
  __device__ Key outside(Index chunk, Index j) const
  {
    return (Key(chunk) * levels + Key(level[j / strict.bs] - 1)) * Key(strict.n * strict.bs) +
           Key(strict.upper ? strict.n * strict.bs - 1 - j : j);
  }
  __device__ Index row_outside(Key key) const
  {
    const Index at = Index(key % Key(strict.n * strict.bs));
    return strict.upper ? strict.n * strict.bs - 1 - at : at;
  }
};

/* The arrays of the analysis kernels */
struct AnalysisArrays {
  RowKeys    keys;
  TileLayout layout;
  Key       *key;
  Index     *order, *group;   /* the rows sorted by key; where each group, a level of a chunk, begins in order */
  TileCount *extent;          /* the tiles of each group; after the scan, of all groups before */
  Index     *outside;         /* the blocks of each block row in other chunks' columns; after the scan, of all rows before */
  Key       *other = nullptr; /* the distinct values of RowKeys::outside() */
  Totals    *totals;
  bool       single; /* are the values of entries floats? */

  __host__ __device__ Index Rows() const { return keys.strict.n * keys.strict.bs; }
  /* The number of rows of group g, and the length of row k of group g; lengths descend */
  __device__ Index rows_of(Index g) const { return (g + 1 < totals->groups ? group[g + 1] : Rows()) - group[g]; }
  __device__ Index length(Index g, Index k) const { return keys.length_of(key[group[g] + k]); }
};

struct AnalysisWork : AnalysisArrays {
  cudaStream_t stream;
  Scratch      scratch, of_other;

  explicit AnalysisWork(cudaStream_t s) : stream(s), scratch(s), of_other(s) {}
};

} // namespace hepta::bbs

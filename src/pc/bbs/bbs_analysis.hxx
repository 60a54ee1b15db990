/*
   From the pattern of a triangle to levels, chunks and tiles, and the choice of an engine. Row i of U depends on the rows j > i
   with an entry u_ij, row i of L on the rows j < i with an entry l_ij.
*/
#pragma once

#include <memory>
#include <vector>

#include "../../shared/tuning.hxx"
#include "bbs_kernels.hxx"

namespace hepta::bbs
{

/* Where a square matrix has entries, in compressed rows; the columns of a row in any order */
struct SparsityPattern {
  Index        n;     /* rows */
  const Index *start; /* n + 1: row i has column[start[i]] ... column[start[i + 1] - 1] */
  const Index *column;
};

/* How many rows of a triangle can be solved at once */
struct Parallelism {
  Index levels = 0; /* the steps that no order of the rows can avoid */
  Index blocks = 0; /* level blocks: runs of adjacent rows that do not depend on each other, each as long as possible */
  Index ell    = 0; /* the number of entries of the longest row, diagonal included: the row length in ELL format */
};

/*
   level[i] <- 1 + the largest level among the rows on which row i of the triangle depends, 1 without dependencies. Entries
   outside the triangle are ignored.
*/
Parallelism find_levels(const SparsityPattern &P, bool upper, Index *level);

/*
   level[m] <- the level of block row m, rows m*bs ... m*bs + bs - 1, in L of the pattern of A + A^T; returns the number of
   levels. For an entry a_ij or a_ji with i < j the level of i is below the level of j.
*/
Index find_order_levels(const SparsityPattern &A, Index bs, Index *level);

/*
   order[k] <- the k-th of n rows sorted by level; rows of one level keep their order. Returns the number of rows with levels up
   to l, for l = 0 ... levels.
*/
std::vector<Index> sort_by_level(Index n, Index levels, const Index *level, Index *order);

/* How the rows of a level are laid out in tiles */
struct TileLayout {
  Index level_threads  = 0; /* threads that a level is to have; 0: the rows are in chunks */
  int   tile_threads   = 0; /* threads of a tile; 0: chosen by the sizes of the levels */
  Index thread_entries = 0; /* the most entries of a row for each of its threads, as far as a warp suffices; 0: any number */
  Index piece          = 0; /* a level is split at multiples of `piece`, so that many threads arrange its tiles; 0: no split */
};

/*
   The code (a power of two or whole_block) of the number of threads that share each of `rows` rows, for a level with
   level_threads threads. No row is longer than `length`; entries: see TileLayout::thread_entries
*/
HEPTA_HD int share_of_row(Index rows, Index length, int threads, Index level_threads, Index entries = 0)
{
  int parts = 0;

  if (length > 512 && threads > 32) return whole_block;
  while (parts < 5 && rows <= level_threads / (Index(2) << parts) && (Index(2) << parts) < length) parts++;
  while (entries && parts < 5 && length > entries << parts) parts++;
  return parts;
}

/* Steps of a tile whose longest row has `length` entries, shared by `parts` threads; a thread takes two in each step */
HEPTA_HD Index steps_of_tile(Index length, int parts)
{
  return length < 1 ? 1 : (length + 2 * parts - 1) / (2 * parts);
}

/* A chunk is solved by 32, 64, 128, 256 or 512 threads */
constexpr int thread_choices = 5;
HEPTA_HD int  thread_choice(int k)
{
  return 32 << k;
}

/*
   Picoseconds of t threads for a level of a chunk: the steps, limited by the read rate of a multiprocessor, the sums over the
   threads that share a row, and the barrier at the end; at most 4 ms, so that a sum over any number of levels fits
*/
HEPTA_HD long long level_cost(const Tuning &m, Index rows, Index length, int t, std::size_t entry)
{
  const int code = share_of_row(rows, length, t, t), parts = threads_of_row(code, t);
  /* whole numbers for the library's constants: host and device round alike */
  const double ps = 1e6, step_ps = ps * m.chunk_step, share_ps = ps * m.chunk_share, barrier_ps = ps * m.chunk_barrier;
  const double steps = double((rows * parts + t - 1) / t) * double(steps_of_tile(length, parts)),
               step = step_ps * (1 + t / crowded_threads), read = ps * t * double(entry) / m.chunk_bandwidth;

  const double cost = steps * (step > read ? step : read) + share_ps * (code < 5 ? code : 5) +
                      (t > 32 ? barrier_ps * (1 + t / barrier_threads) : 0);

  return (long long)(cost < 4e9 ? cost : 4e9);
}

/* Calls f(first row, rows, code, steps) for each tile of `rows` rows; length(k) is the length of the k-th row, and lengths
   descend. code: see share_of_row() */
template <class L, class F>
HEPTA_HD void for_tiles(Index rows, int threads, const TileLayout &layout, const L &length, const F &f)
{
  const Index level_threads = layout.level_threads < threads ? threads : layout.level_threads;

  for (Index k = 0; k < rows;) {
    const Index longest = length(k);
    const int   code    = share_of_row(rows - k, longest, threads, level_threads, layout.thread_entries),
                parts   = threads_of_row(code, threads);
    const Index fits = threads / parts, count = fits < rows - k ? fits : rows - k;
    f(k, count, code, steps_of_tile(longest, parts));
    k += count;
  }
}

/* Threads of a tile for rows without chunks: few for narrow levels, since large tiles would be mostly empty */
HEPTA_HD int threads_of_levels(const TileLayout &layout, std::size_t rows, std::size_t levels)
{
  return layout.tile_threads ? layout.tile_threads : rows > 64 * levels ? 256 : 32;
}

/* Threads of a multiprocessor among which engine `levels` shares the rows of a level */
constexpr int threads_of_multiprocessor = 1024;

/* What a device has for chunks */
struct ChunkLimits {
  Index rows            = 0; /* whose solutions fit into a thread block's shared memory beside the ring of 32 threads */
  int   multiprocessors = 0;
  int   threads         = 0; /* that a multiprocessor holds */
  bool  single          = false;

  /* Values that fit beside the ring of `t` threads; not positive where the ring alone does not fit */
  Index Values(int t) const
  {
    const Index entries = Index(ring_steps(t)) * t - Index(ring_steps(32)) * 32;
    return rows - entries * Index(entry_bytes(single) / value_bytes(single));
  }

  /*
     Engine `levels` shares the rows of a level among all threads of the device, which hides the latency of memory. In engine
     `syncfree` a warp takes a whole tile and waits for all values of the tile at once: small tiles, and at most four entries of a
     row for each thread.
  */
  TileLayout Layout(Engine e) const
  {
    return e == Engine::levels ? TileLayout{Index(multiprocessors) * threads_of_multiprocessor, 0, 0, 0}
                               : TileLayout{32, 32, 4, 1024};
  }
};

/* The limits of the current device; single: the values are floats */
Status device_limits_cuda(bool single, ChunkLimits *limits);

/* How many rows a chunk is to have */
Index choose_rows(Index n, std::size_t entries, Index levels, const ChunkLimits &limits);

/* The load of the chunks that were arranged; chunks = 0: none could be arranged */
struct ChunkLoad {
  Index     chunks = 0, groups = 0; /* groups: the levels of each chunk, summed over the chunks */
  int       threads = 32;
  long long fetched = 0; /* an estimate of the rows that chunks take from other chunks, summed over the chunks */
  long long cost    = 0; /* sum of level_cost() */
};

/* Estimated microseconds of a solve for one right-hand side; chunks: for the arranged chunks, 0 without chunks */
struct EngineTimes {
  double chunks = 0, syncfree = 0, levels = 0;
};

/* longest: entries of the longest row */
EngineTimes engine_times(Index n, std::size_t entries, Index levels, Index longest, const ChunkLoad &, const ChunkLimits &);
/* The engine with the least time; a single chunk always gives engine `chunks` */
Engine choose_engine(const EngineTimes &, Index chunks);
/* Microseconds that the engine of T takes for each of many right-hand sides */
double vector_time(std::size_t entries, const ChunkLoad &, const TiledTriangle &, const ChunkLimits &);
/* The number of right-hand sides from which on engine `together` takes less than `each` microseconds for each; 0: never */
int multi_rhs_from(Index n, std::size_t entries, Index levels, Index longest, double each);

/*
   For a matrix in block rows: the numbers of blocks on the diagonal, of blocks below the diagonal, and of blocks out of column
   order
*/
struct Inspection {
  unsigned long long diagonal, below, unordered;
};

/* diag[m] <- the diagonal block of row m, if there is one. *result is on the host, complete on return. */
Status inspect_cuda(Index n, std::size_t blocks, const Index *i, const Index *j, Index *diag, Inspection *result, Stream stream);

/*
   The rows of the transpose of T, which has `blocks` blocks: i, j and block of transposed(). i has T.n + 1 numbers, j and block
   have one for each block. Columns ascend.
*/
Status transpose_cuda(const StrictTriangle &T, Index blocks, Index *i, Index *j, Index *block, Stream stream);

/*
   level[m] <- 1 + the largest level among the block rows on which block row m depends. On the host: *levels <- the number of
   levels, *longest <- the blocks of the longest row
*/
Status levels_cuda(const StrictTriangle &T, Index *level, Index *levels, Index *longest, Stream stream);

/*
   Arranges the rows of a triangle in chunks and tiles, on the device: Arrange() finds the sizes, Write() fills arrays of these
   sizes. The rows that a chunk takes from other chunks are listed by level. The members are on the host, complete when a function
   returns.
*/
struct AnalysisWork;

class Analysis : public ChunkLoad {
public:
  Index tiles = 0, values = 0; /* values: as in TiledTriangle; after Write() */
  /* rows that chunks take from other chunks, summed over the chunks; an upper bound until Write() */
  Index       others = 0;
  std::size_t steps  = 0;

  /*
     of_rows: the level of each block row, on the device; number: of levels; most: blocks of the longest row. T and of_rows must
     outlive the Analysis.
  */
  Analysis(const StrictTriangle &T, const Index *of_rows, Index number, Index most, bool floats, Stream s)
    : strict(T), level(of_rows), levels(number), longest(most), single(floats), stream(s)
  {
  }

  Index       Rows() const { return strict.n * strict.bs; }
  std::size_t Entries() const { return (steps + prefetched_steps) * threads; }
  /*
     Chunks of chunk_rows rows, a multiple of the block size; all rows in one chunk for another engine's layout; may be called
     again
  */
  Status Arrange(Index chunk_rows, const TileLayout &layout = TileLayout());
  /*
     Fills chunk[chunks], tile[tiles], an array of Entries() Entry without values, from[2 * Entries()], the sources of the values,
     and other[others]. order[Rows()] and position[Rows()] are null for engine `chunks`, and filled for all other engines.
  */
  Status Write(Chunk *chunk, Tile *tile, void *entry, Index *from, Index *other, Index *order, Index *position);

private:
  StrictTriangle                strict;
  const Index                  *level;
  Index                         levels, longest;
  bool                          single;
  Stream                        stream;
  std::shared_ptr<AnalysisWork> work; /* from Arrange() for Write() */
};

} // namespace hepta::bbs

/*
   From the pattern of a triangle to levels, chunks and tiles, and the choice of an engine. Row i of U depends on the rows j > i that it has entries in,
   row i of L on the rows j < i.
*/
#pragma once

#include <memory>

#include "bbs_kernels.hxx"

namespace hepta::bbs
{

/* Where a square matrix has entries, in compressed rows; the columns of a row in any order */
struct Pattern {
  Index        n;     /* rows */
  const Index *start; /* n + 1: row i has column[start[i]] ... column[start[i + 1] - 1] */
  const Index *column;
};

/* What a triangle leaves to rows that are solved at the same time */
struct Parallelism {
  Index levels = 0; /* the steps that no order of the rows can avoid */
  Index blocks = 0; /* level blocks: runs of adjacent rows that do not depend on each other, each as long as possible */
  Index ell    = 0; /* the most entries of a row, diagonal included: the row length in ELL format */
};

/* level[i] <- 1 + the largest level among the rows that row i of the triangle depends on, 1 where there are none. Entries outside the triangle are passed over. */
Parallelism find_levels(const Pattern &P, bool upper, Index *level);

/* level[m] <- the same for L of the pattern of A + A^T, with rows m*bs ... m*bs + bs - 1 as one; returns the number of levels. Where a_ij or a_ji is an entry, i < j, i's level is below j's. */
Index find_order_levels(const Pattern &A, Index bs, Index *level);

/* order[k] <- the k-th of n rows sorted by level; those of one level keep their order */
void sort_by_level(Index n, Index levels, const Index *level, Index *order);

/* How engines lay out all rows that do not cut them into chunks */
struct Whole {
  Index fill    = 0; /* threads that a level should have; 0: chunks */
  int   threads = 0; /* of a tile; 0: by the levels */
  Index entries = 0; /* the most for a thread, as far as a warp shares a row; 0: any number */
  Index piece   = 0; /* a level ends before each position that this divides, so that many arrange tiles at the same time; 0: it does not */
};

/* The power of two of the threads that each of `rows` rows gets, `fill` in all; the first, longest one decides whether more are of use */
HEPTA_HD int share_of_row(Index rows, Index length, int threads, Index fill, Index entries = 0)
{
  int parts = 0;

  if (length > 512 && threads > 32) return whole_block;
  while (parts < 5 && rows <= fill / (Index(2) << parts) && (Index(2) << parts) < length) parts++;
  while (entries && parts < 5 && length > entries << parts) parts++;
  return parts;
}

HEPTA_HD int threads_of_row(int code, int threads)
{
  return code == whole_block ? threads : 1 << code;
}

/* Steps of a tile whose longest row has so many entries, two to a thread and step */
HEPTA_HD Index steps_of_tile(Index length, int parts)
{
  return length < 1 ? 1 : (length + 2 * parts - 1) / (2 * parts);
}

/* Threads of a chunk's thread block that the schedule chooses from */
constexpr int thread_choices = 5;
HEPTA_HD int  thread_choice(int k)
{
  return 32 << k;
}

/* Picoseconds for a level of a chunk by t threads: its steps, sums of a row's threads and barriers, where a multiprocessor reads 0.1 TB/s at most */
HEPTA_HD long long level_cost(Index rows, Index length, int t)
{
  constexpr double step_ps = 0.12e6, share_ps = 0.02e6, barrier_ps = 0.03e6, bytes_per_ps = 0.1;
  const int        code = share_of_row(rows, length, t, t), parts = threads_of_row(code, t);
  const double     steps = double((rows * parts + t - 1) / t) * double(steps_of_tile(length, parts)), step = step_ps * (1 + t / 128.), read = t * sizeof(Entry) / bytes_per_ps;

  return (long long)(steps * (step > read ? step : read) + share_ps * (code < 5 ? code : 5) + (t > 32 ? barrier_ps * (1 + t / 256.) : 0));
}

/* Calls f(first row, rows, code, steps) for the tiles of `rows` rows, lengths descending; in a chunk the threads of one tile share them */
template <class L, class F> HEPTA_HD void for_tiles(Index rows, int threads, const Whole &whole, const L &length, const F &f)
{
  const Index fill = whole.fill < threads ? threads : whole.fill;

  for (Index k = 0; k < rows;) {
    const Index longest = length(k);
    const int   code = share_of_row(rows - k, longest, threads, fill, whole.entries), parts = threads_of_row(code, threads);
    const Index fits = threads / parts, count = fits < rows - k ? fits : rows - k;
    f(k, count, code, steps_of_tile(longest, parts));
    k += count;
  }
}

/* Threads of a tile of all rows, which are so many in so many levels: narrow ones must not be filled up with nothing */
HEPTA_HD int threads_of_levels(const Whole &whole, std::size_t rows, std::size_t levels)
{
  return whole.threads ? whole.threads : rows > 64 * levels ? 256 : 32;
}

/* What a device offers */
struct Limits {
  Index rows            = 0; /* whose solution fits in a thread block's shared memory; 0: no device */
  int   multiprocessors = 0;

  /* Engines whose tiles are worth a thread block each take fewer, larger ones; those of `levels` hide each other's waiting; a warp of `syncfree` waits for all at once */
  Whole All(Engine e) const
  {
    if (e == Engine::levels) return Whole{(multiprocessors > 0 ? Index(multiprocessors) : 1) * 1024, 0, 0, 0};
    return e == Engine::syncfree ? Whole{32, 32, 4, 1024} : Whole{256, 0, 0, 0};
  }
};

/* Rows of a chunk that suit so many levels */
Index choose_rows(Index n, std::size_t entries, Index levels, const Limits &limits);
/* Where levels of such chunks have more rows than that, smaller chunks share them better */
constexpr Index wide_level = 2048, narrow_chunk = 512;

/* Chunks that were arranged; none: nothing was */
struct ChunkLoad {
  Index       chunks = 0, groups = 0; /* groups: levels of each chunk, in all */
  int         threads = 0;
  std::size_t others  = 0; /* values that they take from each other */
  long long   cost    = 0; /* level_cost() of all */
};

/* The fastest engine for one right-hand side: `chunks` as they were arranged, `syncfree` or `levels`; longest: the most entries of a row */
Engine choose_engine(Index n, std::size_t entries, Index levels, Index longest, const ChunkLoad &);
/* Microseconds for each of many right-hand sides */
double vector_time(Index n, std::size_t entries, const ChunkLoad &, const Plan &, const Limits &);
/* Right-hand sides from which on engine `together` takes less than so many microseconds for each; longest: the most entries of a row. 0: never */
int together_from(Index n, std::size_t entries, Index levels, Index longest, double each);

/* What stands where in a matrix of block rows; rows in the code of note_first() */
struct Inspection {
  long long          missing;      /* the first without a diagonal block */
  long long          below, above; /* the first with a block below the diagonal, and above */
  long long          disorder;     /* the first whose columns do not ascend */
  unsigned long long blocks[2];    /* below and above the diagonal */
};

/* diag[m] <- the diagonal block of row m; *result, on the host, is there when this returns. Rows with columns in disorder have no more than that noted. */
Status inspect_cuda(Index n, const Index *i, const Index *j, Index *diag, Inspection *result, Stream stream);

/*
   The transpose of T, which has so many blocks: i, j and block of its Half, whose rows depend on each other in the other direction. i: T.n + 1; j and
   block: a number for each block. Columns ascend.
*/
Status transpose_host(const Half &T, Index blocks, Index *i, Index *j, Index *block);
Status transpose_cuda(const Half &T, Index blocks, Index *i, Index *j, Index *block, Stream stream);

/* level[m] <- 1 + the largest level among the rows that row m depends on; *levels, *widest, *longest, on the host: how many, the rows of the widest, the most blocks of a row */
Status levels_cuda(const Half &T, Index *level, Index *levels, Index *widest, Index *longest, Stream stream);

/* order <- the block rows, those of the first level first, in a level as they were */
Status level_order_cuda(Index n, Index levels, const Index *level, Index *order, Stream stream);

/*
   The same as Schedule makes: Arrange() finds the sizes, Write() fills arrays of these sizes. Rows of other chunks are listed by level. What is
   on the host is there when a function returns.
*/
struct AnalysisWork;

class Analysis {
public:
  Index       chunks = 0, groups = 0, tiles = 0; /* groups: levels of the chunks */
  Index       others  = 0;                       /* rows of other chunks, by chunk: an upper bound until Write() */
  Index       values  = 0;                       /* the most that a chunk keeps; after Write() */
  int         threads = 32;
  std::size_t steps   = 0;
  long long   cost    = 0; /* level_cost() of all chunks */

  /* level: on the device, as long as this lives */
  Analysis(const Half &T, const Index *level, Index levels, Index longest, Stream stream);
  ~Analysis();

  int         BlockSize() const { return half.bs; }
  Index       Rows() const { return half.n * half.bs; }
  std::size_t Entries() const { return (steps + ahead) * threads; }
  /* Chunks of so many rows, a multiple of the block size, or all rows for another engine; may be called again with others */
  Status Arrange(Index chunk_rows, const Whole &whole = Whole());
  /*
     chunk: `chunks`; entry: Entries(), whose values are left alone; from: twice as many; other: `others`. tile, order and place, which engine `chunks` does without and which are null
     for it: `tiles`, and a number for each row
  */
  Status Write(Chunk *chunk, Tile *tile, Entry *entry, Index *from, Index *other, Index *order, Index *place);

private:
  Half                          half;
  const Index                  *level;
  Index                         levels, longest;
  Whole                         whole;
  Stream                        stream;
  std::unique_ptr<AnalysisWork> work; /* from Arrange() for Write() */
};

} // namespace hepta::bbs

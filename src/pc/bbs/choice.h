/* Which engine, and chunks of how many rows: estimates from what an H200 takes */
#pragma once

#include "bbs_kernels.hxx"
#include "tiles.hxx"

namespace hepta::bbs
{

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

} // namespace hepta::bbs

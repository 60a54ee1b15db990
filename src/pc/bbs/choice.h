/* Which engine, and chunks of how many rows: estimates from what an H200 takes */
#pragma once

#include "bbs_kernels.hxx"

namespace hepta::bbs
{

/* What a device offers */
struct Limits {
  Index rows            = 0; /* whose solution fits in a thread block's shared memory; 0: no device */
  int   multiprocessors = 0;

  /* For a level, so that they hide each other's waiting; engines whose tiles are worth a thread block each take fewer, larger ones */
  Index Threads(Engine e) const { return e == Engine::levels ? Index(multiprocessors) * 1024 : 256; }
};

/* Rows of a chunk that suit so many levels */
Index choose_rows(Index n, std::size_t entries, Index levels, const Limits &limits);
/* Where levels of such chunks have more rows than that, smaller chunks share them better */
constexpr Index wide_level = 2048, narrow_chunk = 512;

/* Is a kernel for each level faster than chunks, which need so many values of others in all? How many is known when they are sorted, so late. */
bool levels_pay(Index n, std::size_t entries, Index levels, std::size_t others);

/* Chunks that were arranged */
struct ChunkLoad {
  Index       chunks;
  int         threads;
  std::size_t others; /* values that they take from each other */
  long long   cost;   /* level_cost() of all */
};

/* Microseconds for each of many right-hand sides, with chunks and with a kernel for each level */
double chunks_time(const ChunkLoad &, const Plan &, const Limits &);
double levels_time(std::size_t entries);
/* Right-hand sides from which on engine `together` takes less than so many microseconds for each; longest: the most entries of a row. 0: never */
int together_from(Index n, std::size_t entries, Index levels, Index longest, double each);

} // namespace hepta::bbs

/* Launchers of the triangular solver */
#pragma once

#include "../factor/pivots.hxx"
#include "bbs_view.hxx"

namespace hepta::bbs
{

enum class Engine {
  automatic,
  levels,   /* a kernel for each level */
  syncfree, /* one kernel without barriers: its warps take the rows level by level, and wait for each value that a row needs */
  chunks,   /* a thread block for each chunk, whose solution is in shared memory; it waits for values of other chunks */
  together  /* many right-hand sides: a warp solves a row for 32 of them, and waits for each value that it needs */
};

/* How a triangle is solved on the device */
struct Plan {
  Engine    engine = Engine::chunks;
  Index     rows   = 0;       /* of the largest chunk */
  Index     values = 0;       /* the largest number of values that a chunk keeps in shared memory: of its rows, of rows of other chunks, and a zero */
  int       blocks = 0;       /* syncfree: thread blocks, which are all resident */
  unsigned *ticket = nullptr; /* chunks: counts thread blocks as they begin; zero between launches */
  Scalar   *next   = nullptr; /* syncfree: the kernel fills this buffer with `unset` for the next solve; may be null */
  bool      ready  = false;   /* syncfree: was v.work filled with `unset` by the solve before? */
};

/* A chunk's thread block has `threads` threads that solve, further ones that fetch values of other chunks, */
inline int fetching_threads(const Plan &plan, bool one_chunk)
{
  return one_chunk ? 0 : plan.values - plan.rows > 128 ? 256 : 32;
}

/* and perhaps more that only help to load right-hand sides and to store solutions: so many threads in all */
inline int chunk_threads(const Plan &plan, int threads, bool one_chunk)
{
  const int helping = plan.rows <= 4096 ? 256 : one_chunk ? 1024 : 512, working = threads + fetching_threads(plan, one_chunk);

  return working < helping ? helping : working;
}

/* w[e] <- v[from[e]], or 0 where from[e] < 0; without `from` v[e] */
template <class V> Status gather_host(std::size_t n, const Index *from, const V *v, Scalar *w);
/* d_ii <- d_ii + amount for every row of the scalar matrix */
Status add_to_diagonal_host(const Blocks &B, Scalar amount);
/* The factors of B, on the device in B.order; L stays multiplied by D */
Status factor_host(const Blocks &B, const factor::PivotRule &rule, factor::Report *report);
/* Of a triangular matrix: the rows above (upper) or below the diagonal <- D^-1 times themselves */
Status scale_rows_host(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report);
/* val[e] <- solve_value() of from[e], for the entries of a triangle by rows; and the solve with these rows, one after the other */
Status fill_rows_host(std::size_t n, const Index *from, const Blocks &B, bool scale, Scalar *val);
Status solve_rows_host(const TriangleRows &R, const Vectors &v);

template <class V> Status gather_cuda(std::size_t n, const Index *from, const V *v, Scalar *w, Stream stream);
Status                    add_to_diagonal_cuda(const Blocks &B, Scalar amount, Stream stream);
Status                    factor_cuda(const Blocks &B, const factor::PivotRule &rule, factor::Report *report, Stream stream);
Status                    scale_rows_cuda(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report, Stream stream);
/* The e-th value of the entries <- solve_value() of from[e] */
Status fill_cuda(std::size_t n, const Index *from, const Blocks &B, bool scale, Entry *entry, Stream stream);
/* Solves the triangle for all vectors */
Status solve_cuda(const TiledTriangle &T, const Vectors &v, const Tile *host_tile, const Plan &plan, Stream stream);

/*
   Engine `together`. B: as it was factored or scaled, with the block rows by level in B.order; scale: see solve_value(); ticket: zero between launches.
   v.work: two values for each row and right-hand side, the number of these rounded up to a multiple of pack_size.
*/
Status solve_together_cuda(const Blocks &B, bool upper, bool scale, const Vectors &v, unsigned *ticket, Stream stream);

/* *blocks <- the thread blocks that engine `syncfree` is launched with on this device */
Status syncfree_blocks_cuda(int *blocks);
/* *rows <- the largest number of rows whose solution fits into a thread block's shared memory */
Status device_limits_cuda(Index *rows, int *multiprocessors);

} // namespace hepta::bbs

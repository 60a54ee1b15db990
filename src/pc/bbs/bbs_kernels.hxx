/* Launchers of the triangular solver */
#pragma once

#include "../blockic/blockic_pivots.hxx"
#include "bbs_view.hxx"

namespace hepta::bbs
{

enum class Engine {
  automatic,
  levels,   /* a kernel for each level */
  syncfree, /* one kernel without barriers, whose warps take the rows level by level: a value that is not there yet is waited for */
  chunks,   /* a thread block for each chunk, whose solution is in shared memory; values of other chunks are waited for */
  together  /* a warp for a row and 32 right-hand sides side by side; values that are not there yet are waited for */
};

/* How a triangle is solved on the device */
struct Plan {
  Engine    engine = Engine::chunks;
  Index     rows   = 0;       /* of the largest chunk */
  Index     values = 0;       /* the most that a chunk keeps: of its rows and of others, and a zero */
  unsigned *ticket = nullptr; /* chunks, together: zero between launches */
  Scalar   *next   = nullptr; /* syncfree: room that is to be as v.work must be before a solve, or null */
  bool      ready  = false;   /* syncfree: is v.work so already? */
};

/* Threads of a chunk's thread block that bring values of other chunks, and all, some of which only help before and after; threads: that solve */
inline int fetching_threads(const Plan &plan, bool alone)
{
  return alone ? 0 : plan.values - plan.rows > 128 ? 256 : 32;
}

inline int chunk_threads(const Plan &plan, int threads, bool alone)
{
  const int helping = plan.rows <= 4096 ? 256 : alone ? 1024 : 512, working = threads + fetching_threads(plan, alone);

  return working < helping ? helping : working;
}

/* w[e] <- v[from[e]], 0 where from[e] < 0; from null: v[e] */
template <class V> Status gather_host(std::size_t n, const Index *from, const V *v, Scalar *w);
/* d_ii <- d_ii + amount for every row of the scalar matrix */
Status add_to_diagonal_host(const Blocks &B, Scalar amount);
/* Elimination, on the device in the order given; L stays multiplied by D */
Status factor_host(const Blocks &B, const PivotRule &rule, FactorReport *report);
Status factor_host(const Blocks &B, const blockic::Pivots &rule, blockic::Report *report);
/* For a triangular matrix: D^-1 times the rows above (upper) or below the diagonal */
Status scale_rows_host(const Blocks &B, bool upper, const PivotRule &rule, FactorReport *report);
/* val[e] <- what from[e] gives (solve_value()), for the rows of a triangle; the solve with them, one row after the other */
Status fill_rows_host(std::size_t n, const Index *from, const Blocks &B, bool right, Scalar *val);
Status solve_rows_host(const Rows &R, const Vectors &v);

template <class V> Status gather_cuda(std::size_t n, const Index *from, const V *v, Scalar *w, Stream stream);
Status                    add_to_diagonal_cuda(const Blocks &B, Scalar amount, Stream stream);
Status                    factor_cuda(const Blocks &B, const PivotRule &rule, FactorReport *report, Stream stream);
Status                    factor_cuda(const Blocks &B, const blockic::Pivots &rule, blockic::Report *report, Stream stream);
Status                    scale_rows_cuda(const Blocks &B, bool upper, const PivotRule &rule, FactorReport *report, Stream stream);
/* The e-th value of the entries <- what from[e] gives */
Status fill_cuda(std::size_t n, const Index *from, const Blocks &B, bool right, Entry *entry, Stream stream);
/* Solves the triangle for all vectors */
Status solve_cuda(const Triangle &T, const Vectors &v, const Tile *host_tile, const Plan &plan, Stream stream);

/*
   Engine `together`: B as it was factored or scaled, with the block rows by level in B.order; right: see solve_value(); ticket: as in Plan. v.work: 2n values for each
   vector, their number rounded up to whole packs
*/
Status solve_together_cuda(const Blocks &B, bool upper, bool right, const Vectors &v, unsigned *ticket, Stream stream);

/* Rows of a chunk whose solution fits in a thread block's shared memory, and thread blocks that run at a time; 0 without a device */
Status device_limits_cuda(Index *rows, int *multiprocessors);

} // namespace hepta::bbs

/*
   The launchers of the triangular solver, and their views.

   A triangle is solved as a unit triangular matrix, I + N, whose rows were multiplied by the inverse of the diagonal (or of its blocks)
   beforehand: x_i = f_i - sum_j n_ij x_j. The device solves it by chunks, which are runs of neighboring rows, one thread block for each. The rows of
   a chunk are sorted by level. A tile holds rows of one level for the T threads of a thread block; one or more neighboring threads share a row. Tiles are
   in ELL format: step k has the k-th pair of entries of each thread. Steps follow each other in memory, so that a thread block reads
   its entries in their order, long before it needs them.
*/
#pragma once

#include "../../shared/device.hxx"
#include "../factor/pivots.hxx"

namespace hepta::bbs
{

/*
   A pair of entries, -n_ij, of a thread and a step. Let R be the number of rows of the chunk. A column below R is a row of the chunk, R stands for no
   entry, and R + 1 + k is the k-th of the rows that the chunk takes from other chunks. control: see below. own: the row that the thread completes
   with this step, counted from the chunk's first; R if the step completes no row, or if the thread is not the first of those that share the row.
*/
struct alignas(sizeof(Scalar) == 8 ? 16 : 8) Entry {
  Scalar        val[2];
  std::int32_t  col[2];
  std::uint32_t control, own;
};

/*
   A control word holds the thread's row, counted from the chunk's first (the number of rows for none); from bit row_bits on, how many threads share
   the row, as a power of two or whole_block; and whether the row's sum is complete with this step, and with it all sums of the level.
*/
constexpr std::uint32_t row_bits = 27, row_mask = (1u << row_bits) - 1, parts_mask = 7;
constexpr std::uint32_t ends_row = 1u << 30, ends_level = 1u << 31;
constexpr int           whole_block = 6; /* all threads share one row */

/* A number of threads that is given as such a code */
HEPTA_HD int threads_of_row(int code, int threads)
{
  return code == whole_block ? threads : 1 << code;
}

struct Tile {
  std::size_t first; /* step */
  Index       steps;
  int         parts;        /* threads that share a row: a power of two, or whole_block */
  int         last;         /* is it the last of its level in the chunk, or of a piece of the level (see TileLayout)? */
  Index       begin, count; /* its rows among those sorted by chunk and level */
};

struct Chunk {
  Index       begin, rows;         /* rows begin ... begin + rows - 1 */
  Index       first_other, others; /* they depend on the rows other[first_other] ... of other chunks, in the order in which they are needed */
  std::size_t first_step, steps;   /* at least one */
};

constexpr int prefetched_steps = 16; /* the largest number of steps that are read before they are needed; therefore the last chunk is followed by this number of steps without entries */

/* The same by rows, for the host: entries -n_ij of row i at first[i] ... first[i + 1] - 1 */
struct TriangleRows {
  Index         n;
  bool          upper;
  const Index  *first, *col;
  const Scalar *val;
};

enum class Scaling {
  none,
  before, /* f = D^-1 b */
  after   /* x = D^-1 times the solution */
};

/* Right-hand sides and solutions, vector v of them at b + v*ldb and x + v*ldx; b and x do not overlap */
struct Vectors {
  const Scalar *b;
  std::size_t   ldb;
  Scalar       *x;
  std::size_t   ldx;
  int           count;
  const Index  *in, *out; /* row i of the triangle is entry in[i] of b, out[i] of x; null: i */
  Scaling       scaling;
  const Scalar *inverse; /* the inverses of the diagonal blocks, bs*bs values each, by columns */
  int           bs;
  bool          transposed; /* use the transposed blocks, and on the host the transposed rows */
  Scalar       *work;       /* n values for each vector */
};

constexpr int pack_size = 32; /* right-hand sides that a warp of engine `together` solves for at once */

HEPTA_HD int packs_of(const Vectors &v)
{
  return (v.count + pack_size - 1) / pack_size;
}

/* Does a solve by rows need v.work? It does not if the solution of the unit triangular system is x itself. */
inline bool needs_work(const Vectors &v)
{
  return v.out || v.scaling == Scaling::after;
}

/*
   A matrix in block rows, to be factored in place: A ~ (I + L) D (I + U) in A's pattern, with L and U strictly triangular.
   Block p, of bs*bs values by columns, has block column j[p]; columns ascend; diag[m] is the diagonal block of row m.
*/
struct Blocks {
  Index        n; /* block rows */
  int          bs;
  const Index *i, *j, *diag;
  Scalar      *w;       /* the blocks: of A, then L, D, U */
  Scalar      *inverse; /* the inverses of the diagonal blocks */
  Scalar      *scratch; /* work space of the same size as `inverse` */
  Index       *pivot;   /* n*bs */
  const Index *order;   /* the order in which the device eliminates the rows, each after those that it depends on */
  unsigned    *done;    /* a flag for each row, and the number of rows taken; all zero at first */
};

/*
   The part of a matrix in block rows (see Blocks) above or below the diagonal, or its transpose. The transpose has rows i and j of its own, without a
   diagonal (see transpose_cuda()); its p-th block is the transpose of block block[p] of the matrix.
*/
struct StrictTriangle {
  Index        n; /* block rows */
  int          bs;
  bool         upper; /* rows depend on later ones */
  const Index *i, *j, *diag;
  const Index *block = nullptr; /* null unless transposed */
};

/* The transpose of T, with the rows of transpose_cuda() */
HEPTA_HD StrictTriangle transposed(const StrictTriangle &T, const Index *i, const Index *j, const Index *block)
{
  return {T.n, T.bs, !T.upper, i, j, nullptr, block};
}

/* The blocks of block row m are those from strict_begin() to strict_end() - 1 */
HEPTA_HD Index strict_begin(const StrictTriangle &T, Index m)
{
  return T.upper && !T.block ? T.diag[m] + 1 : T.i[m];
}

HEPTA_HD Index strict_end(const StrictTriangle &T, Index m)
{
  return T.upper || T.block ? T.i[m + 1] : T.diag[m];
}

/* Entries of scalar row i */
HEPTA_HD Index strict_length(const StrictTriangle &T, Index i)
{
  const Index m = i / T.bs;
  return (strict_end(T, m) - strict_begin(T, m)) * T.bs;
}

/* The column of entry k of scalar row i, and, strict_source(), the index of its value among those of the matrix's blocks, which are stored by columns */
HEPTA_HD Index strict_column(const StrictTriangle &T, Index i, Index k)
{
  return T.j[strict_begin(T, i / T.bs) + k / T.bs] * T.bs + k % T.bs;
}

HEPTA_HD Index strict_source(const StrictTriangle &T, Index i, Index k)
{
  const Index p = strict_begin(T, i / T.bs) + k / T.bs, r = i % T.bs, s = k % T.bs;
  return T.block ? (T.block[p] * T.bs + r) * T.bs + s : (p * T.bs + s) * T.bs + r;
}

enum class Engine {
  automatic,
  levels,   /* a kernel for each level */
  syncfree, /* one kernel without barriers: its warps take the rows level by level, and wait for each value that a row needs */
  chunks,   /* a thread block for each chunk, whose solution is in shared memory; it waits for values of other chunks */
  together  /* many right-hand sides: a warp solves a row for 32 of them, and waits for each value that it needs */
};

/* A triangle on the device, and how it is solved there */
struct TiledTriangle {
  Index        n = 0, nchunks = 0, ntiles = 0;
  bool         depends = false;   /* does any row depend on another? */
  int          threads = 32;      /* T */
  const Chunk *chunk   = nullptr; /* each after those that it depends on */
  const Tile  *tile    = nullptr;
  const Index *other   = nullptr;
  const Entry *entry   = nullptr;
  const Index *order = nullptr, *position = nullptr; /* null for engine `chunks`. For other engines entries have positions instead of rows: position p is that of row order[p], row i has position position[i] */
  Engine       engine    = Engine::chunks;
  Index        rows      = 0;       /* rows of the largest chunk */
  Index        values    = 0;       /* the largest number of values that a chunk keeps in shared memory: of its rows, of rows of other chunks, and a zero */
  const Tile  *host_tile = nullptr; /* levels: the tiles on the host */
  unsigned    *ticket    = nullptr; /* chunks: counts thread blocks as they begin; zero between launches */
  int          blocks    = 0;       /* syncfree: thread blocks, which are all resident */
  Scalar      *next      = nullptr; /* syncfree: the kernel fills this buffer with `unset` for the next solve; may be null */
  bool         ready     = false;   /* syncfree: did the previous solve fill v.work with `unset`? */
};

/* Threads of a chunk's thread block that fetch values of other chunks, beside those that solve */
inline int fetching_threads(const TiledTriangle &T)
{
  return T.nchunks == 1 ? 0 : T.values - T.rows > 128 ? 256 : 32;
}

/* All threads of a chunk's block: those that solve, those that fetch, and perhaps more that only help to load right-hand sides and to store solutions */
inline int chunk_threads(const TiledTriangle &T)
{
  const int helping = T.rows <= 4096 ? 256 : T.nchunks == 1 ? 1024 : 512, working = T.threads + fetching_threads(T);

  return working < helping ? helping : working;
}

/* d_ii <- d_ii + amount for every row of the scalar matrix */
template <class E> Status add_to_diagonal(const E &each, const Blocks &B, Scalar amount);
/* B <- its factors, on the device in the order B.order; L remains multiplied by D */
Status factor_host(const Blocks &B, const factor::PivotRule &rule, factor::Report *report);
/* For a triangular matrix: the part of each row above (upper) or below the diagonal <- D^-1 times it */
Status scale_rows_host(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report);
/* Value e of a triangle's entries <- solve_value() of from[e]; to: an array of values, or of entries, which have two each */
template <class E, class T> Status fill(const E &each, std::size_t n, const Index *from, const Blocks &B, bool scale, T *to);
/* Solves row by row, with v.transposed the transpose of R */
Status solve_rows_host(const TriangleRows &R, const Vectors &v);

Status factor_cuda(const Blocks &B, const factor::PivotRule &rule, factor::Report *report, Stream stream);
Status scale_rows_cuda(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report, Stream stream);
/* Solves the triangle for all vectors */
Status solve_cuda(const TiledTriangle &T, const Vectors &v, Stream stream);

/*
   Engine `together`. B: as it was factored or scaled, with the block rows by level in B.order; scale: see solve_value(); ticket: zero between launches.
   v.work: two values for each row and right-hand side, the number of these rounded up to a multiple of pack_size.
*/
Status solve_multi_rhs_cuda(const Blocks &B, bool upper, bool scale, const Vectors &v, unsigned *ticket, Stream stream);

/* *blocks <- the thread blocks that engine `syncfree` is launched with on this device */
Status syncfree_blocks_cuda(int *blocks);

} // namespace hepta::bbs

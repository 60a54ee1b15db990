/*
   The launchers of the triangular solver, and their views.

   A triangle is scaled by the inverse of its diagonal (or of its diagonal blocks) to a unit triangular matrix I + N, and solved
   by x_i = f_i - sum_j n_ij x_j. The device solves by chunks, runs of neighboring rows with a thread block each. The rows of a
   chunk are sorted by level. A tile holds rows of one level for the T threads of a thread block; one or more neighboring threads
   share a row. Tiles are in ELL format: step k has the k-th pair of entries of each thread. Steps follow each other in memory, so
   that a thread block reads entries in order, long before use.
*/
#pragma once

#include "../../shared/device.hxx"
#include "../factor/pivots.hxx"

namespace hepta::bbs
{

/*
   A pair of entries, -n_ij, of a thread and a step. Let R be the number of rows of the chunk. A column below R is a row of the
   chunk, R stands for no entry, R + 1 + k is row k of the list of rows from other chunks. control: see below. own: the row,
   counted from the chunk's first row, that the step completes, for the first of the threads that share the row; otherwise R.
   V: Scalar, or float for values in single precision
*/
template <class V> struct alignas(sizeof(V) == 8 ? 16 : 8) Entry {
  V             val[2];
  std::int32_t  col[2];
  std::uint32_t control, own;
};

HEPTA_HD std::size_t entry_bytes(bool single)
{
  return single ? sizeof(Entry<float>) : sizeof(Entry<Scalar>);
}

HEPTA_HD std::size_t value_bytes(bool single)
{
  return single ? sizeof(float) : sizeof(Scalar);
}

/* f(V()) for the type V of the values */
template <class F> auto with_values(bool single, const F &f)
{
  return single ? f(float()) : f(Scalar());
}

/*
   A control word holds the thread's row, counted from the chunk's first row (the number of rows for none); from bit row_bits on
   the code, a power of two or whole_block, of the number of threads that share the row; ends_row: the step completes the row's
   sum; ends_level: the step completes all sums of the level.
*/
constexpr std::uint32_t row_bits = 27, row_mask = (1u << row_bits) - 1, parts_mask = 7;
constexpr std::uint32_t ends_row = 1u << 30, ends_level = 1u << 31;
constexpr int           whole_block = 6; /* all threads share one row */

/* The number of threads of a code in a control word */
HEPTA_HD int threads_of_row(int code, int threads)
{
  return code == whole_block ? threads : 1 << code;
}

struct Tile {
  std::size_t first; /* step */
  Index       steps;
  int         parts;        /* threads that share a row: a power of two, or whole_block */
  int         last;         /* is the tile the last of its level in the chunk, or of a piece of the level (see TileLayout)? */
  Index       begin, count; /* the tile's rows in the order by chunk and level */
};

struct Chunk {
  Index       begin, rows;         /* rows begin ... begin + rows - 1 */
  Index       first_other, others; /* the rows of other chunks: other[first_other] ..., in the order of use */
  std::size_t first_step, steps;   /* at least one */
};

constexpr int prefetched_steps = 16; /* the most steps that are read ahead; so many steps without entries follow the last chunk */

/* A triangle by rows, for the host: entries -n_ij of row i at first[i] ... first[i + 1] - 1 */
template <class V> struct TriangleRows {
  Index        n;
  bool         upper;
  const Index *first, *col;
  const V     *val;
};

enum class Scaling {
  none,
  before, /* f = D^-1 b */
  after   /* x = D^-1 times the solution */
};

/* Right-hand sides and solutions: vector v at b + v*ldb and x + v*ldx; b and x do not overlap */
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
  void         *work;       /* n values for each vector, of the type in which the triangle is solved */
  /* for a solve in floats, on the device: magnitude_bits() of the largest finite |f_i| of each vector */
  unsigned long long *largest;
};

constexpr int pack_size = 32; /* right-hand sides that a warp of engine `together` solves for at once */

HEPTA_HD int packs_of(const Vectors &v)
{
  return (v.count + pack_size - 1) / pack_size;
}

/* Does a solve by rows need v.work? No, if the solution of the unit triangular system is x itself. */
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
  const Index *order;   /* the order of elimination on the device: each row after its dependencies */
  unsigned    *done;    /* a flag for each row, and the number of rows taken; all zero at first */
};

/*
   The part of a matrix in block rows (see Blocks) above or below the diagonal, or the transpose of the part. The transpose has
   its own i and j, without a diagonal (see transpose_cuda()); block p of the transpose is the transpose of the matrix's block
   block[p].
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

/*
   The column of entry k of scalar row i; strict_source(): the index of its value in the matrix's blocks, which are stored by
   columns
*/
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
  syncfree, /* one kernel without barriers: warps take the rows level by level, and wait for each value */
  chunks,   /* a thread block for each chunk, with the solution in shared memory; waits for values of other chunks */
  together  /* many right-hand sides: a warp solves a row for 32 vectors, and waits for each value */
};

/* A triangle on the device, with the data of its engine */
struct TiledTriangle {
  Index        n = 0, nchunks = 0, ntiles = 0;
  bool         depends = false;   /* does any row depend on another? */
  int          threads = 32;      /* T */
  const Chunk *chunk   = nullptr; /* each chunk after its dependencies */
  const Tile  *tile    = nullptr;
  const Index *other   = nullptr;
  bool         single  = false;   /* are entries and solutions floats? */
  const void  *entry   = nullptr; /* an array of Entry */
  /* null for engine `chunks`. Others number entries by position: row order[p] has position p, row i position position[i] */
  const Index *order = nullptr, *position = nullptr;
  Engine       engine = Engine::chunks;
  Index        rows   = 0; /* rows of the largest chunk */
  /* the largest number of values that a chunk keeps in shared memory: of its rows, of rows of other chunks, and a zero */
  Index       values    = 0;
  const Tile *host_tile = nullptr; /* levels: the tiles on the host */
  unsigned   *ticket    = nullptr; /* chunks: counts thread blocks as they begin; zero between launches */
  int         blocks    = 0;       /* syncfree: thread blocks, which are all resident */
  void       *next      = nullptr; /* syncfree: the kernel fills this buffer with `unset` for the next solve; may be null */
  bool        ready     = false;   /* syncfree: did the previous solve fill v.work with `unset`? */
};

/* Steps of a chunk whose entries are in shared memory at once, a ring that each thread goes round */
constexpr HEPTA_HD int ring_steps(int threads)
{
  return threads <= 64 ? 16 : threads == 128 ? 8 : 4;
}

/* Threads of a chunk's thread block that fetch values of other chunks */
inline int fetching_threads(const TiledTriangle &T)
{
  return T.nchunks == 1 ? 0 : T.values - T.rows > 128 ? 256 : 32;
}

/*
   All threads of a chunk's thread block: solving threads, fetching threads, and further threads that only load and store vectors
*/
inline int chunk_threads(const TiledTriangle &T)
{
  const int helping = T.rows <= 4096 ? 256 : T.nchunks == 1 ? 1024 : 512, working = T.threads + fetching_threads(T);

  return working < helping ? helping : working;
}

/* d_ii <- d_ii + amount for every row of the scalar matrix */
template <class E> Status add_to_diagonal(const E &each, const Blocks &B, Scalar amount);
/* B <- its factors, on the device in the order B.order; L remains multiplied by D */
Status factor_host(const Blocks &B, const factor::PivotRule &rule, factor::Report *report);
/* For a triangular matrix: N <- D^-1 N, N being the part above (upper) or below the diagonal */
Status scale_rows_host(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report);
/*
   Value e of a triangle's entries <- solve_value() of from[e]; to: an array of values, or of entries with two values each.
   *overflow <- note_first() of the scalar rows whose values are not finite in the type of `to`; null: not asked for
*/
template <class E, class T>
Status fill(const E &each, std::size_t n, const Index *from, const Blocks &B, bool scale, T *to, long long *overflow);
/* Solves row by row, with v.transposed the transpose of R; the arithmetic is that of Scalar */
template <class V> Status solve_rows_host(const TriangleRows<V> &R, const Vectors &v);

Status factor_cuda(const Blocks &B, const factor::PivotRule &rule, factor::Report *report, Stream stream);
Status scale_rows_cuda(const Blocks &B, bool upper, const factor::PivotRule &rule, factor::Report *report, Stream stream);
/* v.largest, which is zero before, <- magnitude_bits() of the largest finite |f_i| of each of the vectors with n rows */
Status largest_cuda(Index n, const Vectors &v, Stream stream);
/* Solves the triangle for all vectors */
Status solve_cuda(const TiledTriangle &T, const Vectors &v, Stream stream);

/*
   Engine `together`. B: factored or scaled, with the block rows by level in B.order; scale: see solve_value(); ticket: zero
   between launches. v.work: two values for each row and right-hand side, with the right-hand sides rounded up to a multiple of
   pack_size.
*/
Status solve_multi_rhs_cuda(const Blocks &B, bool upper, bool scale, const Vectors &v, unsigned *ticket, Stream stream);

/* *blocks <- the number of thread blocks of engine `syncfree` on this device, for a triangle in floats or not */
Status syncfree_blocks_cuda(bool single, int *blocks);

} // namespace hepta::bbs

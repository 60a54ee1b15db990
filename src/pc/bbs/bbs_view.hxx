/*
   What the kernels of the triangular solver see.

   A triangle is solved as a unit triangular matrix, I + N, whose rows were multiplied by the inverse diagonal (blocks)
   beforehand: x_i = f_i - sum_j n_ij x_j. Its rows are cut into chunks of neighboring rows, which thread blocks work on, and
   in a chunk sorted by level. A tile holds rows of one level for the T threads of a thread block, one or more neighboring
   threads for a row, in ELL format: step k has the k-th two entries of each thread, and steps follow each other in memory, so that
   a thread block reads what it needs in order, long before it needs it.
*/
#pragma once

#include "../../shared/device.hxx"

namespace hepta::bbs
{

/*
   Two entries, -n_ij, with what their thread is to do. Columns: a row of the chunk, its number of rows for none, and from there on the values that it takes from others.
   own: the row in the chunk, for the row's first thread where it ends the row, the chunk's number of rows otherwise
*/
struct alignas(sizeof(Scalar) == 8 ? 16 : 8) Entry {
  Scalar        val[2];
  std::int32_t  col[2];
  std::uint32_t control, own;
};

/* Control words: the row in the chunk, its number of rows for none; the power of two of the row's threads; what follows */
constexpr std::uint32_t row_bits = 27, row_mask = (1u << row_bits) - 1, parts_mask = 7;
constexpr std::uint32_t ends_row = 1u << 30, ends_level = 1u << 31; /* the sum is complete; so are all sums of the level */
constexpr int           whole_block = 6;                            /* in place of a power of two: all threads share one row */

struct Tile {
  std::size_t first; /* step */
  Index       steps;
  int         parts; /* the power of two, or whole_block */
  int         last;  /* of its level in the chunk, or of a piece of it (see Whole) */
};

struct Chunk {
  Index       begin, rows;         /* rows begin ... begin + rows - 1 */
  Index       first_other, others; /* rows of other chunks that they depend on: other[first_other] ..., in the order of need */
  Index       first_tile, tiles;
  std::size_t first_step, steps; /* at least one */
};

constexpr int ahead = 16; /* the most steps that are read before they are needed; as many more stand behind the last chunk */

struct Triangle {
  Index        n, nchunks, ntiles;
  bool         depends; /* does any row depend on another? */
  int          threads; /* T */
  const Chunk *chunk;   /* in the order in which they depend on each other */
  const Tile  *tile;
  const Index *other;
  const Entry *entry;
  const Index *order, *place; /* engines other than `chunks`: entries have positions in place of rows; position p is that of row order[p], and place[i] that of row i */
};

/* The same by rows, for the host: entries -n_ij of row i at first[i] ... first[i + 1] - 1 */
struct Rows {
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
  const Scalar *inverse; /* of the diagonal blocks, bs*bs values each, by columns */
  int           bs;
  bool          transposed; /* take the transposed blocks */
  Scalar       *work;       /* n values for each vector */
};

constexpr int vectors_together = 32; /* a pack of engine `together` */

HEPTA_HD int packs_of(const Vectors &v)
{
  return (v.count + vectors_together - 1) / vectors_together;
}

/* Is the solution of the unit triangular system not x itself? */
inline bool is_apart(const Vectors &v)
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
  Scalar      *inverse; /* of the diagonal blocks */
  Scalar      *scratch; /* as many values */
  Index       *pivot;   /* n*bs */
  const Index *order;   /* in which the rows are taken: none before those it depends on */
  unsigned    *done;    /* of each row, and the number of rows taken; zeros in the beginning */
};

/*
   The strict part of a matrix in block rows (see Blocks) on one side of the diagonal, by rows of the scalar matrix. The transpose of one has rows
   i and j of its own, without a diagonal (transpose_host()), and in block[p] where the block of place p stands in the matrix.
*/
struct Half {
  Index        n; /* block rows */
  int          bs;
  bool         upper; /* rows depend on later ones */
  const Index *i, *j, *diag;
  const Index *block = nullptr; /* null: not transposed */
};

HEPTA_HD Half transposed(const Half &T, const Index *i, const Index *j, const Index *block)
{
  return {T.n, T.bs, !T.upper, i, j, nullptr, block};
}

HEPTA_HD Index half_begin(const Half &T, Index m)
{
  return T.upper && !T.block ? T.diag[m] + 1 : T.i[m];
}

HEPTA_HD Index half_end(const Half &T, Index m)
{
  return T.upper || T.block ? T.i[m + 1] : T.diag[m];
}

/* Entries of scalar row i */
HEPTA_HD Index half_length(const Half &T, Index i)
{
  const Index m = i / T.bs;
  return (half_end(T, m) - half_begin(T, m)) * T.bs;
}

/* Where entry (r, s) of the block of place p is among the values of the blocks, which are stored by columns */
HEPTA_HD Index block_from(const Half &T, Index p, Index r, Index s)
{
  return T.block ? (T.block[p] * T.bs + r) * T.bs + s : (p * T.bs + s) * T.bs + r;
}

/* The column of entry k of scalar row i, and where its value is among those of the blocks */
HEPTA_HD Index half_column(const Half &T, Index i, Index k)
{
  return T.j[half_begin(T, i / T.bs) + k / T.bs] * T.bs + k % T.bs;
}

HEPTA_HD Index half_from(const Half &T, Index i, Index k)
{
  return block_from(T, half_begin(T, i / T.bs) + k / T.bs, i % T.bs, k % T.bs);
}

/* Which pivots are good, and what is done about others in place */
struct PivotRule {
  bool   symmetric, positive; /* IC(0): the row sum takes U alone; a pivot must be positive */
  bool   relative, replace;   /* compared with tolerance * sum |l_ik| + |u_ij|; a bad one grows by `amount` */
  Scalar tolerance, amount;
};

/* What a factorization met: rows of the scalar matrix in the code of note_first() */
struct FactorReport {
  long long bad, infinite;
  long long replaced; /* pivots */
};

} // namespace hepta::bbs

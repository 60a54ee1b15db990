/* How the rows of a level are laid out in tiles: the same on host and device */
#pragma once

#include "bbs_view.hxx"

namespace hepta::bbs
{

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

} // namespace hepta::bbs

/* Times of products and of triangles, by what hepta-tune has measured */
#include "model.h"

#include <hepta.h>

#include "advise_chain.hxx"

/* Fitted to the first half of the cases of bench/results/predictions-h200.json, but for cache_edge */
constexpr double x_reads       = 0.79;   /* reads of x from the second-level cache, for each column of a block or tile */
constexpr double column_time   = 0.0685; /* microseconds of a column of a chain whose matrix the cache keeps, */
constexpr double column_memory = 0.16;   /* or does not keep; */
constexpr double step_time     = 0.083;  /* of a step of a chain of sell; */
constexpr double alone_time    = 0.14;   /* of the kernel of rows that stand alone in brow */
constexpr double row_bytes     = 24;     /* aij: cuSPARSE divides rows and entries among its threads: a row is as so many bytes */
/* The part that a matrix exceeds the cache by when nothing of the matrix stays: each product reads it in the same order */
constexpr double cache_edge = 0.1;

/* Triangles of bbs, fitted to the first half of the cases of icc there */
constexpr double triangle_begin = 4.9;                   /* microseconds */
constexpr double level_alone = 0.61, level_row = 0.0034; /* one chunk: a level and an entry, in parts of syncfree_level */
constexpr double step_entries = 2;                       /* entries of a row that a thread takes in one step */
constexpr double level_steps  = 1.1;                     /* several chunks: of a level, in parts of chunk_step */
/* As in bbs: rows of a chunk on an H100 or H200, bytes of an entry and of a row */
constexpr double chunk_rows = 25000, bytes_of_entry = 16, bytes_of_row = 28;

namespace
{

/* The cube of hepta-tune with as many rows as a matrix, and what a product reads of its matrix, of x and of y */
struct Cube {
  double matrix, columns, vectors; /* columns: entries, or slots of bdia */

  Cube(const std::string &type, double rows)
    : matrix(HeptaModelGridBytes(type, rows)), columns(7 * rows - (type == MATBDIACUDA ? 0 : 6 * std::pow(rows, 2. / 3))),
      vectors(2 * 8 * rows)
  {
  }

  double Bytes() const { return matrix + vectors; } /* with which times are recorded */
};

/* The bytes of a cube whose product takes as long as another one, and that time */
struct Equal {
  double bytes, us;
};

/* The second-level cache hands over the matrix, y, and x for each column of a tile */
Equal FromCache(const HeptaThroughput &B, const HeptaModelMatrix &A)
{
  const Cube   cube(A.type, A.rows);
  const double y = cube.vectors / 2, x = 8 * x_reads * A.slots / A.bs;
  const double bytes = (A.bytes + y + x) * cube.Bytes() / (cube.matrix + y + 8 * x_reads * cube.columns);

  return {bytes, B.Time(bytes, cube.Bytes())};
}

/* The memory hands over the matrix alone, beyond the largest cube at the rate of long arrays */
Equal FromMemory(const HeptaModel &model, const HeptaThroughput &B, const HeptaModelMatrix &A)
{
  const Cube      cube(A.type, A.rows);
  const double    times = cube.Bytes() / cube.matrix, bytes = A.bytes * times;
  HeptaThroughput sum;

  if (B.measured.empty() || bytes <= B.measured.back().first || !model.Find("sum", &sum))
    return {bytes, B.Time(bytes, cube.Bytes())};
  return {bytes, B.measured.back().second + (bytes - B.measured.back().first) / times * sum.Slope()};
}

/* Of the 7-point rows of a cube: brow loads 8 columns at once, sell takes two steps */
double CubeChain(const HeptaModel &m, const std::string &type, double rows)
{
  if (type == MATBDIACUDA) return m.ChainOfDiagonals(rows, 1, 7);
  return type == MATBROWCUDA ? 8 : 2;
}

/*
   Microseconds with the chain of A in place of that of the cube. Each link takes `link` after the shortest product. Other threads
   keep the memory busy meanwhile: a product takes the larger of both times, or more.
*/
double WithChain(const HeptaModel &m, const HeptaThroughput &B, const HeptaModelMatrix &A, const Equal &e, double link)
{
  const double rows = 512, smallest = Cube(A.type, rows).Bytes(); /* of the smallest cube */
  const auto   chain = [&](double links) { return B.Time(smallest) + link * (links - CubeChain(m, A.type, rows)); };

  if (A.chain < 0) return e.us;
  const double cube = chain(CubeChain(m, A.type, e.bytes / smallest * rows)), own = chain(A.chain) + (A.alone ? alone_time : 0);
  return std::cbrt(std::max(0., std::pow(e.us, 3) - std::pow(cube, 3)) + std::pow(std::max(0., own), 3));
}

} // namespace

double HeptaModel::ChainOfDiagonals(double rows, double bs, double offsets) const
{
  return hepta::advise::chain_of_diagonals(rows, (int)bs, offsets, BusyThreads(), file.numbers.product_threads);
}

double HeptaModelProduct(const HeptaModel &model, const HeptaModelMatrix &A)
{
  const Cube      cube(A.type, A.rows);
  const double    all = A.bytes + cube.vectors, rows = row_bytes * A.rows;
  HeptaThroughput B;

  if (!model.Find("product_" + A.type, &B)) return 0;
  if (A.type == MATAIJCUSPARSE) return B.Time((all + rows) * cube.Bytes() / (cube.Bytes() + rows), cube.Bytes());
  if (A.type == MATSELLCUDA) return WithChain(model, B, A, {all, B.Time(all, cube.Bytes())}, step_time);
  const double outside = (all / model.Cache() - 1) / cache_edge;
  const double cached  = WithChain(model, B, A, FromCache(B, A), column_time);
  if (outside <= 0) return cached;
  return cached + std::min(1., outside) * (WithChain(model, B, A, FromMemory(model, B, A), column_memory) - cached);
}

double HeptaModelTriangle::Chunks(const hepta::TuningFile &f, double n)
{
  return n <= chunk_rows ? 1 : std::max((double)f.key.multiprocessors, std::ceil(n / chunk_rows));
}

/* One chunk, or the faster of several chunks, which hand over values from one to the next, and of engine `syncfree` */
double HeptaModelTriangle::Time(const hepta::TuningFile &f) const
{
  const hepta::Tuning &t      = f.numbers;
  const double         length = std::max(1., entries / rows), chunks = Chunks(f, rows);

  if (chunks <= 1)
    return triangle_begin + t.syncfree_level * (levels * level_alone + level_row * rows * std::max(0., length - step_entries));
  const double several = levels * (t.chunk_wait + level_steps * t.chunk_step) +
                         t.chunk_handover * (std::min(chunks, levels) - 1) + fetched / t.chunk_fetches;
  const double syncfree = t.syncfree_level * levels * (1 + 0.4 * std::log2(length)) +
                          (bytes_of_entry * entries + bytes_of_row * rows) / t.syncfree_bandwidth;

  return triangle_begin + std::min(several, syncfree);
}

#include "advise_chain.hxx"

#include <algorithm>
#include <cmath>

#include "mat/bdia/bdia_shape.hxx"
#include "mat/brow/brow_shape.hxx"

namespace hepta::advise
{

constexpr double sell_height = 16; /* rows of a slice of PETSc's */

static double rounded_up(double n, double unit)
{
  return unit * std::ceil(n / unit);
}

static double chain_of_slices(const brow::Layout &L, double enough)
{
  const std::size_t rows  = std::size_t(L.nslices) * L.height; /* of blocks */
  const int         batch = brow::batch(L.bs);
  const int         parts = brow::parts_of(rows * L.bs, L.sliced / rows, std::size_t(L.longest), batch, std::size_t(enough)),
            blocks        = L.bs == 1 && parts == 1 ? brow::row_batch : batch;
  const bool pairs        = L.bs % 2 == 0 && L.cols % L.bs == 0; /* a column loads a value and x, or half of a pair of x */

  return rounded_up(L.longest, double(parts) * blocks) / parts * L.bs * (pairs ? 0.75 : 1);
}

double chain_of(const brow::Layout &L, double enough)
{
  const int lanes = std::max(1, 32 / std::min(L.bs, 32)), warps = brow::alone_threads / 32; /* lanes: share a row of a tile */
  double    most  = L.nslices ? chain_of_slices(L, enough) : 0;

  for (Index h = 0; h < L.nlong; h++) {
    const double length = double(L.length[std::size_t(L.nslices) * L.height + h]) * L.bs;
    const double lines  = lanes * (h < L.nhuge ? double(L.part[h + 1] - L.part[h]) * warps : 1);
    most                = std::max(most, rounded_up(length / lines, brow::alone_batch));
  }
  return most;
}

double chain_of_diagonals(double rows, int bs, double offsets, double enough, double threads)
{
  const int side   = bdia::rows_of(bs, threads, true),
            parts  = bdia::parts_of(std::size_t(rows), int(offsets), side, 1, std::size_t(enough)),
            batch  = parts > 1 ? 1 : bdia::batch(bs, bdia::Mode::rows);
  const bool whole = bs == 1 && parts == 1 && (offsets == 5 || offsets == 7); /* see with_batch() */

  return (whole ? 1 : std::ceil(offsets / (parts * batch))) * (bs + 1);
}

double chain_of_sell(double rows, double slots, double longest)
{
  const double slice   = sell_height * std::floor(slots / std::max(1., rows));
  const double threads = slice <= 432 ? 4 : slice <= 2400 ? 16 : 32; /* of a row */

  return std::ceil(longest / threads);
}

} // namespace hepta::advise

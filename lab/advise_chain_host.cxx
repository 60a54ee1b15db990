#include "advise_chain.hxx"

#include <algorithm>

namespace hepta::advise
{

/* As in brow_load.cuh, brow_slices.cuh and brow_alone_cuda.cu, which a compiler of the host cannot read */
constexpr int most_parts = 8, entries_in_flight = 4, warps = 4, columns_in_flight = 8;

static int batch(int bs)
{
  return bs == 1 ? 8 : bs == 2 ? 4 : bs <= 4 ? 2 : 1;
}

static double rounded_up(double n, double unit)
{
  return unit * double(std::size_t((n + unit - 1) / unit));
}

/* As parts_of() of brow_slices.cuh */
static int threads_of_row(const brow::Layout &L, double enough)
{
  const double rows = double(L.nslices) * L.height * L.bs, blocks = double(L.sliced) / (double(L.nslices) * L.height);
  int          parts = 1;

  while (rows * parts < enough && 2 * parts <= most_parts && 2 * parts <= blocks &&
         parts * batch(L.bs) + batch(L.bs) / 2 <= L.longest)
    parts *= 2;
  return parts;
}

static double chain_of_slices(const brow::Layout &L, double enough)
{
  const int parts = threads_of_row(L, enough), blocks = L.bs == 1 && parts == 1 ? entries_in_flight : batch(L.bs);

  return rounded_up(L.longest, double(parts) * blocks) / parts * L.bs;
}

double chain_of(const brow::Layout &L, double enough)
{
  const int lanes = std::max(1, 32 / std::min(L.bs, 32)); /* of a warp, that share a row of a tile */
  double    most  = L.nslices ? chain_of_slices(L, enough) : 0;

  for (Index h = 0; h < L.nlong; h++) {
    const double length = double(L.length[std::size_t(L.nslices) * L.height + h]) * L.bs;
    const double lines  = lanes * (h < L.nhuge ? double(L.part[h + 1] - L.part[h]) * warps : 1);
    most                = std::max(most, rounded_up(length / lines, columns_in_flight));
  }
  return most;
}

} // namespace hepta::advise

#include "advise_chain.hxx"

#include <algorithm>

#include "mat/brow/brow_shape.hxx"

namespace hepta::advise
{

static double rounded_up(double n, double unit)
{
  return unit * double(std::size_t((n + unit - 1) / unit));
}

static double chain_of_slices(const brow::Layout &L, double enough)
{
  const std::size_t rows  = std::size_t(L.nslices) * L.height; /* of blocks */
  const int         batch = brow::batch(L.bs);
  const int         parts = brow::parts_of(rows * L.bs, L.sliced / rows, std::size_t(L.longest), batch, std::size_t(enough)),
            blocks        = L.bs == 1 && parts == 1 ? brow::row_batch : batch;

  return rounded_up(L.longest, double(parts) * blocks) / parts * L.bs;
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

} // namespace hepta::advise

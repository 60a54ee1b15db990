/* COO locations of block diagonals on the device */
#include "../blocked/coo.cuh"
#include "bdia_kernels.hxx"
#include "bdia_row.hxx"

namespace hepta::bdia
{

constexpr unsigned room = 1024; /* the most offsets */

struct CooFound {
  int      outside; /* not zero if an entry is beyond the last row or column */
  unsigned offsets; /* number of offsets */
  Index    list[room];
};

Status coo_offsets_cuda(Index nbr, Index nbc, Index bs, const blocked::CooEntries &e, std::vector<Index> &offsets, bool *good,
                        Stream stream)
{
  const cudaStream_t s     = (cudaStream_t)stream;
  const std::size_t  words = (std::size_t(nbr) + std::size_t(nbc) + 31) / 32;
  std::uint32_t     *bits; /* one for each offset from 1 - nbr to nbc - 1 */
  CooFound          *found, all;
  Scratch            scratch(s);

  Status bad = scratch.Take(words, &bits, 1, &found);
  if (!bad) bad = scratch.Zero();
  if (!bad)
    bad = each(e.n, s, [=] __device__(std::size_t k) {
      const Index i = e.i[k], j = e.j[k];
      if (i < 0 || j < 0) return;
      if (i / bs >= nbr || j / bs >= nbc) {
        found->outside = 1;
        return;
      }
      const std::size_t   at  = std::size_t(j / bs) + std::size_t(nbr - 1 - i / bs);
      const std::uint32_t bit = 1u << (at % 32);
      if (!(bits[at / 32] & bit)) atomicOr(&bits[at / 32], bit); /* most offsets were met before */
    });
  if (!bad)
    bad = each(words, s, [=] __device__(std::size_t w) {
      for (std::uint32_t left = bits[w]; left; left &= left - 1) {
        const unsigned at = atomicAdd(&found->offsets, 1u);
        if (at < room) found->list[at] = Index(w * 32 + (__ffs(int(left)) - 1)) - (nbr - 1);
      }
    });
  if (!bad) bad = copy_to_host(&all, found, sizeof(all), stream);
  *good = !bad && !all.outside && all.offsets <= room;
  if (*good) offsets.assign(all.list, all.list + all.offsets);
  return bad;
}

} // namespace hepta::bdia

namespace hepta::blocked
{

HEPTA_INSTANCE(coo_first_cuda, bdia::View<Scalar>)
HEPTA_INSTANCE(coo_duplicates_cuda, bdia::View<Scalar>)

} // namespace hepta::blocked

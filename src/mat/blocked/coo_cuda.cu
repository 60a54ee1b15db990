/* The part of COO assembly on the device that needs no storage */
#include "coo.cuh"

namespace hepta::blocked
{

namespace
{

struct IsOther {
  CooPart    part;
  CooEntries e;

  __device__ static bool In(const Index range[2], Index k) { return k >= range[0] && k < range[1]; }
  __device__ bool        operator()(std::uint64_t k) const
  {
    return e.i[k] >= 0 && e.j[k] >= 0 && !(In(part.rows, e.i[k]) && In(part.cols, e.j[k]));
  }
};

} // namespace

Status coo_count_others_cuda(const CooPart &part, const CooEntries &e, unsigned long long *count, bool *good, Stream stream)
{
  const IsOther       other{part, e};
  unsigned long long *found, result[2] = {0, 0}; /* entries of other ranks; of these, entries outside the matrix */
  Scratch             scratch((cudaStream_t)stream);

  Status bad = scratch.Take(2, &found);
  if (!bad) bad = scratch.Zero();
  if (!bad)
    bad = each(e.n, (cudaStream_t)stream, [=] __device__(std::size_t k) {
      count_if(other(k), &found[0]);
      count_if(other(k) && (e.i[k] >= part.all_rows || e.j[k] >= part.all_cols), &found[1]);
    });
  if (!bad) bad = copy_to_host(result, found, sizeof(result), stream);
  *count = result[0];
  *good  = !result[1];
  return bad;
}

Status coo_others_cuda(const CooPart &part, const CooEntries &e, std::size_t count, std::uint64_t *number, Index *i, Index *j,
                       Stream stream)
{
  const cudaStream_t s = (cudaStream_t)stream;
  std::uint64_t     *selected;
  Scratch            scratch(s);

  Status bad = scratch.Take(1, &selected);
  if (!bad)
    bad = with_work(s, [=](void *work, std::size_t &bytes) {
      return cub::DeviceSelect::If(work, bytes, thrust::counting_iterator<std::uint64_t>(0), number, selected, (long long)e.n,
                                   IsOther{part, e}, s);
    });
  if (!bad)
    bad = each(count, s, [=] __device__(std::size_t k) {
      i[k] = e.i[number[k]];
      j[k] = e.j[number[k]];
    });
  return bad;
}

Status coo_own_cuda(const CooPart &part, const CooEntries &e, Index *i, Index *j, Stream stream)
{
  const IsOther other{part, e};

  return each(e.n, (cudaStream_t)stream, [=] __device__(std::size_t k) {
    const bool own = e.i[k] >= 0 && e.j[k] >= 0 && !other(k);
    i[k]           = own ? e.i[k] - part.rows[0] : -1;
    j[k]           = own ? e.j[k] - part.cols[0] : -1;
  });
}

/* All lanes of a warp take part in the ballot, because the number of slots is a multiple of 32 */
Status coo_sources_cuda(std::size_t given, std::size_t slots, std::uint32_t *first, std::uint32_t *set, Stream stream)
{
  return each(slots, (cudaStream_t)stream, [=] __device__(std::size_t k) {
    const bool          there = first[k] != 0xffffffffu;
    const std::uint32_t bits  = __ballot_sync(0xffffffffu, there);
    first[k]                  = first[k] < given ? first[k] + 1 : 0;
    if (set && k % 32 == 0) set[k / 32] = bits;
  });
}

struct BeginsRun {
  const std::size_t *slot;

  __device__ bool operator()(std::uint64_t k) const { return !k || slot[k] != slot[k - 1]; }
};

Status coo_begins_cuda(std::size_t n, const std::size_t *slot, std::size_t *begin, std::size_t *count, Stream stream)
{
  const cudaStream_t s = (cudaStream_t)stream;
  std::size_t       *selected;
  Scratch            scratch(s);

  Status bad = scratch.Take(1, &selected);
  if (!bad)
    bad = with_work(s, [=](void *work, std::size_t &bytes) {
      return cub::DeviceSelect::If(work, bytes, thrust::counting_iterator<std::uint64_t>(0), begin, selected, (long long)n,
                                   BeginsRun{slot}, s);
    });
  return bad ? bad : copy_to_host(count, selected, sizeof(*count), stream);
}

} // namespace hepta::blocked

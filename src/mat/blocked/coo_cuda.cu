/* The part of COO assembly on the device that needs no storage */
#include "coo.cuh"

namespace hepta::blocked
{

/* All warps are complete, because slots are a multiple of 32 */
Status coo_sources_cuda(std::size_t slots, std::uint32_t *first, std::uint32_t *set, Stream stream)
{
  return each(slots, (cudaStream_t)stream, [=] __device__(std::size_t k) {
    const bool          there = first[k] != 0xffffffffu;
    const std::uint32_t bits  = __ballot_sync(0xffffffffu, there);
    first[k]                  = there ? first[k] + 1 : 0;
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
  if (!bad) bad = with_work(s, [=](void *work, std::size_t &bytes) { return cub::DeviceSelect::If(work, bytes, thrust::counting_iterator<std::uint64_t>(0), begin, selected, (long long)n, BeginsRun{slot}, s); });
  return bad ? bad : copy_to_host(count, selected, sizeof(*count), stream);
}

} // namespace hepta::blocked

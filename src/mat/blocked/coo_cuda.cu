/* The part of COO assembly on the device that needs no storage */
#include "coo.cuh"

namespace hepta::blocked
{

/* Warps are whole, because slots are a multiple of 32 */
Status coo_sources_cuda(std::size_t slots, std::uint32_t *first, std::uint32_t *set, Stream stream)
{
  return each(slots, (cudaStream_t)stream, [=] __device__(std::size_t k) {
    const bool          there = first[k] != 0xffffffffu;
    const std::uint32_t bits  = __ballot_sync(0xffffffffu, there);
    first[k]                  = there ? first[k] + 1 : 0;
    if (set && k % 32 == 0) set[k / 32] = bits;
  });
}

} // namespace hepta::blocked

/* The limits of the current device that bound resident thread blocks */
#include "resident.hxx"
#include "shared/cuda_check.cuh"

namespace hepta
{

/*
   Limits that no attribute of CUDA tells; they hold for every compute capability from 8.0 on: registers of a thread, units of
   registers, of warps (a quarter of the registers belongs to each of four schedulers) and of shared memory, as in CUDA's
   cuda_occupancy.h
*/
constexpr Index max_registers = 255, register_unit = 256, warp_unit = 4, shared_unit = 128;

Status device_limits(DeviceLimits *d)
{
  int device, threads = 0;

  if (Status bad = cuda_status(cudaGetDevice(&device))) return bad;
  const auto ask = [&](cudaDeviceAttr which, auto *field) {
    int          value = 0;
    const Status bad   = cuda_status(cudaDeviceGetAttribute(&value, which, device));
    *field             = value;
    return bad;
  };
  *d         = {};
  Status bad = ask(cudaDevAttrMultiProcessorCount, &d->multiprocessors);
  if (!bad) bad = ask(cudaDevAttrWarpSize, &d->warp_size);
  if (!bad) bad = ask(cudaDevAttrMaxThreadsPerBlock, &d->max_threads);
  if (!bad) bad = ask(cudaDevAttrMaxThreadsPerMultiProcessor, &threads);
  if (!bad) bad = ask(cudaDevAttrMaxBlocksPerMultiprocessor, &d->max_blocks);
  if (!bad) bad = ask(cudaDevAttrMaxRegistersPerMultiprocessor, &d->registers);
  if (!bad) bad = ask(cudaDevAttrMaxRegistersPerBlock, &d->max_block_registers);
  if (!bad) bad = ask(cudaDevAttrMaxSharedMemoryPerMultiprocessor, &d->shared_memory);
  if (!bad) bad = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin, &d->max_block_shared);
  if (!bad) bad = ask(cudaDevAttrReservedSharedMemoryPerBlock, &d->reserved_block_shared);
  if (bad) return bad;
  d->max_warps     = threads / d->warp_size;
  d->max_registers = max_registers;
  d->register_unit = register_unit;
  d->warp_unit     = warp_unit;
  d->shared_unit   = shared_unit;
  return nullptr;
}

} // namespace hepta

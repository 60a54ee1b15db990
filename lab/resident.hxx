/*
   How many thread blocks a device holds at a time, from a kernel's threads, registers and shared memory: arithmetic for the host,
   without CUDA. L. A. Firdaus, M.Sc. thesis, KFUPM, 2017, section 5.5.1, whose symbols stand in brackets.
*/
#pragma once

#include <limits>

#include "shared/hepta_hd.hxx"

namespace hepta
{

/* What a device has: HeptaDeviceLimits, whose manual page explains the fields */
struct DeviceLimits {
  Index multiprocessors;
  Index warp_size;             /* [W_s, T_w] */
  Index max_threads;           /* of a block */
  Index max_warps;             /* of a multiprocessor [W_x] */
  Index max_blocks;            /* of a multiprocessor [B_a] */
  Index registers;             /* of a multiprocessor [R_m] */
  Index max_registers;         /* of a thread */
  Index max_block_registers;   /* of a block */
  Index register_unit;         /* a warp's registers are rounded up to it [R_a] */
  Index warp_unit;             /* the warps that registers hold are rounded down to it [W_a] */
  Index shared_memory;         /* of a multiprocessor, bytes [ShM_x] */
  Index max_block_shared;      /* of a block, bytes that the program may ask for */
  Index reserved_block_shared; /* bytes that CUDA adds to each block's */
  Index shared_unit;           /* a block's shared memory is rounded up to it, bytes [ShM_a] */
};

/* A kernel's launch: threads of a block, registers of a thread, bytes of shared memory of a block */
struct Launch {
  Index threads, registers, shared;
};

/* What bounds the blocks of a multiprocessor: HeptaResidentLimit */
enum ResidentLimit {
  HEPTA_RESIDENT_REGISTERS,
  HEPTA_RESIDENT_SHARED,
  HEPTA_RESIDENT_WARPS,
  HEPTA_RESIDENT_BLOCKS
};
constexpr int resident_limits = 4;

using Wide = std::int64_t; /* products of two fields of at most 2^30 */

constexpr Index unbounded = std::numeric_limits<Index>::max();

HEPTA_HD Wide ceil_div(Wide a, Wide b)
{
  return (a + b - 1) / b;
}

/* Warps of a block: W_b = ceil(B_l / W_s), equations 5.11, 5.18, 5.25 */
HEPTA_HD Wide warps_of_block(const DeviceLimits &d, const Launch &k)
{
  return ceil_div(k.threads, d.warp_size);
}

/*
   B_r = floor(W_r / W_b), W_r = floor(R_m / (ceil(R T_w / R_a) R_a) / W_a) W_a, equations 5.13 and 5.14 (equation 5.28 divides by
   one warp where W_b is two). A block that needs more registers than a block may have, its warps rounded up to a multiple of W_a,
   cannot be launched at all.
*/
HEPTA_HD Wide blocks_by_registers(const DeviceLimits &d, const Launch &k)
{
  const Wide warps = warps_of_block(d, k), of_warp = ceil_div(Wide(k.registers) * d.warp_size, d.register_unit) * d.register_unit;

  if (d.max_block_registers / of_warp < ceil_div(warps, d.warp_unit) * d.warp_unit) return 0;
  return d.registers / of_warp / d.warp_unit * d.warp_unit / warps;
}

/* B_s = floor(ShM_x / ShM_b), ShM_b = ceil(ShM_u / ShM_a) ShM_a, equations 5.9 and 5.10, where ShM_u has what CUDA reserves;
   unbounded for a block without any */
HEPTA_HD Wide blocks_by_shared(const DeviceLimits &d, const Launch &k)
{
  const Wide of_block = ceil_div(Wide(k.shared) + d.reserved_block_shared, d.shared_unit) * d.shared_unit;

  return of_block ? d.shared_memory / of_block : Wide(unbounded);
}

/* B_w = floor(W_x / W_b), equations 5.12, 5.19, 5.26 */
HEPTA_HD Wide blocks_by_warps(const DeviceLimits &d, const Launch &k)
{
  return d.max_warps / warps_of_block(d, k);
}

/* by[] <- the blocks of a multiprocessor that each limit allows; the first of the least ones, equation 5.15. All numbers are
   positive, but for shared memory, and at most 2^30. */
HEPTA_HD ResidentLimit blocks_by_limit(const DeviceLimits &d, const Launch &k, Index by[resident_limits])
{
  int least = 0;

  by[HEPTA_RESIDENT_REGISTERS] = Index(blocks_by_registers(d, k));
  by[HEPTA_RESIDENT_SHARED]    = Index(blocks_by_shared(d, k));
  by[HEPTA_RESIDENT_WARPS]     = Index(blocks_by_warps(d, k));
  by[HEPTA_RESIDENT_BLOCKS]    = d.max_blocks;
  for (int l = 1; l < resident_limits; l++) {
    if (by[l] < by[least]) least = l;
  }
  return ResidentLimit(least);
}

/* *d <- the limits of the current CUDA device */
Status device_limits(DeviceLimits *d);

} // namespace hepta

/* Resident thread blocks: rows by hand, the table of the thesis, and CUDA's own arithmetic on the host */
#include <gtest/gtest.h>

#include "resident.hxx"

#if defined(HEPTA_HAVE_CUDA)
  #include <cuda_occupancy.h>
#endif

using namespace hepta;

namespace
{

/* In the order of the fields */
const DeviceLimits k20xm = {14, 32, 1024, 64, 16, 65536, 255, 65536, 256, 4, 49152, 49152, 0, 256};
const DeviceLimits a100  = {108, 32, 1024, 64, 32, 65536, 255, 65536, 256, 4, 167936, 166912, 1024, 128};
const DeviceLimits ada   = {128, 32, 1024, 48, 24, 65536, 255, 65536, 256, 4, 102400, 101376, 1024, 128};
const DeviceLimits h200  = {132, 32, 1024, 64, 32, 65536, 255, 65536, 256, 4, 233472, 232448, 1024, 128};

/* What each limit allows, and which is the least */
void expect(const DeviceLimits &d, const Launch &k, Index registers, Index shared, Index warps, Index blocks, ResidentLimit least)
{
  const std::string what =
    std::to_string(k.threads) + " threads, " + std::to_string(k.registers) + " registers, " + std::to_string(k.shared) + " bytes";
  Index by[resident_limits];

  EXPECT_EQ(blocks_by_limit(d, k, by), least) << what;
  EXPECT_EQ(by[HEPTA_RESIDENT_REGISTERS], registers) << what;
  EXPECT_EQ(by[HEPTA_RESIDENT_SHARED], shared) << what;
  EXPECT_EQ(by[HEPTA_RESIDENT_WARPS], warps) << what;
  EXPECT_EQ(by[HEPTA_RESIDENT_BLOCKS], blocks) << what;
}

} // namespace

/* Section 5.5.1: equations 5.9 to 5.29, with KB of 1024 bytes, and two warps in place of one in 5.28 */
TEST(Resident, TableOfTheThesis)
{
  expect(k20xm, {16, 38, 1088}, 48, 38, 64, 16, HEPTA_RESIDENT_BLOCKS);
  expect(k20xm, {32, 38, 4224}, 48, 11, 64, 16, HEPTA_RESIDENT_SHARED);
  expect(k20xm, {48, 43, 9408}, 20, 5, 32, 16, HEPTA_RESIDENT_SHARED);
}

/* 8160 registers of a warp are 8192: 8 warps */
TEST(Resident, Registers)
{
  expect(h200, {1, 255, 0}, 8, 228, 64, 32, HEPTA_RESIDENT_REGISTERS);
  expect(h200, {128, 255, 0}, 2, 228, 16, 32, HEPTA_RESIDENT_REGISTERS);
  expect(h200, {160, 255, 0}, 1, 228, 12, 32, HEPTA_RESIDENT_REGISTERS);
  expect(h200, {256, 255, 0}, 1, 228, 8, 32, HEPTA_RESIDENT_REGISTERS);
  expect(h200, {1024, 64, 0}, 1, 228, 2, 32, HEPTA_RESIDENT_REGISTERS);
  /* 40 * 32 = 1280 registers: 51 warps, of which 48 are used */
  expect(h200, {256, 40, 0}, 6, 228, 8, 32, HEPTA_RESIDENT_REGISTERS);
  /* 41 * 32 = 1312 are rounded up to 1536: 42 warps, of which 40 are used */
  expect(h200, {256, 41, 0}, 5, 228, 8, 32, HEPTA_RESIDENT_REGISTERS);
}

/* More registers than a block may have */
TEST(Resident, NoBlock)
{
  expect(h200, {257, 255, 0}, 0, 228, 7, 32, HEPTA_RESIDENT_REGISTERS); /* 9 warps count as 12 */
  expect(h200, {1024, 65, 0}, 0, 228, 2, 32, HEPTA_RESIDENT_REGISTERS);
  expect(h200, {800, 80, 0}, 0, 228, 2, 32, HEPTA_RESIDENT_REGISTERS); /* 25 warps have 64000 registers, but count as 28 */
  expect(h200, {768, 80, 0}, 1, 228, 2, 32, HEPTA_RESIDENT_REGISTERS);
  DeviceLimits d        = k20xm;
  d.max_block_registers = 32768; /* half of what a multiprocessor has */
  expect(d, {640, 48, 0}, 2, unbounded, 3, 16, HEPTA_RESIDENT_REGISTERS);
  expect(d, {672, 48, 0}, 0, unbounded, 3, 16, HEPTA_RESIDENT_REGISTERS); /* 21 warps have 32256 registers, but count as 24 */
}

/* Two blocks have 233472 / 2 = 116736 bytes each with CUDA's 1024, and one byte more takes another 128 */
TEST(Resident, SharedMemory)
{
  expect(h200, {128, 32, 115712}, 16, 2, 16, 32, HEPTA_RESIDENT_SHARED);
  expect(h200, {128, 32, 115713}, 16, 1, 16, 32, HEPTA_RESIDENT_SHARED);
  expect(h200, {128, 32, 232448}, 16, 1, 16, 32, HEPTA_RESIDENT_SHARED);
  expect(a100, {128, 32, 166912}, 16, 1, 16, 32, HEPTA_RESIDENT_SHARED);
  expect(k20xm, {128, 32, 0}, 16, unbounded, 16, 16, HEPTA_RESIDENT_REGISTERS);
}

TEST(Resident, WarpsAndBlocks)
{
  expect(h200, {1024, 16, 0}, 4, 228, 2, 32, HEPTA_RESIDENT_WARPS);
  expect(h200, {993, 32, 0}, 2, 228, 2, 32, HEPTA_RESIDENT_REGISTERS); /* the first of the least ones */
  expect(h200, {32, 16, 0}, 128, 228, 64, 32, HEPTA_RESIDENT_BLOCKS);
  expect(h200, {33, 16, 0}, 64, 228, 32, 32, HEPTA_RESIDENT_WARPS);
  expect(ada, {1024, 32, 0}, 2, 100, 1, 24, HEPTA_RESIDENT_WARPS);
  expect(ada, {32, 32, 0}, 64, 100, 48, 24, HEPTA_RESIDENT_BLOCKS);
}

/* The largest allowed limits overflow nothing: 2^30 registers of 2^30 threads in a warp are more than a multiprocessor has */
TEST(Resident, LargeNumbers)
{
  const Index        most = Index(1) << 30;
  const DeviceLimits d    = {most, most, most, most, most, most, most, most, most, most, most, most, most, most};

  expect(d, {most, most, most}, 0, 0, most, most, HEPTA_RESIDENT_REGISTERS);
  expect(d, {1, 1, 0}, 0, 1, most, most, HEPTA_RESIDENT_REGISTERS); /* one warp counts as 2^30 */
}

#if defined(HEPTA_HAVE_CUDA)
/* CUDA's arithmetic for a device of compute capability major.minor with these limits */
static int cuda_blocks(const DeviceLimits &d, int major, int minor, const Launch &k)
{
  cudaOccDeviceProp     p;
  cudaOccFuncAttributes f;
  cudaOccDeviceState    state;
  cudaOccResult         result;

  p.computeMajor                = major;
  p.computeMinor                = minor;
  p.maxThreadsPerBlock          = int(d.max_threads);
  p.maxThreadsPerMultiprocessor = int(d.max_warps * d.warp_size);
  p.regsPerBlock                = int(d.max_block_registers);
  p.regsPerMultiprocessor       = int(d.registers);
  p.warpSize                    = int(d.warp_size);
  p.sharedMemPerBlock           = 49152;
  p.sharedMemPerMultiprocessor  = std::size_t(d.shared_memory);
  p.numSms                      = int(d.multiprocessors);
  p.sharedMemPerBlockOptin      = std::size_t(d.max_block_shared);
  p.reservedSharedMemPerBlock   = std::size_t(d.reserved_block_shared);
  f.maxThreadsPerBlock          = int(d.max_threads);
  f.numRegs                     = int(k.registers);
  f.sharedSizeBytes             = 0;
  f.partitionedGCConfig         = PARTITIONED_GC_OFF;
  f.shmemLimitConfig            = FUNC_SHMEM_LIMIT_OPTIN;
  f.maxDynamicSharedSizeBytes   = std::size_t(d.max_block_shared);
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &p, &f, &state, int(k.threads), std::size_t(k.shared)) != CUDA_OCC_SUCCESS)
    return -1;
  return result.activeBlocksPerMultiprocessor;
}

/* Every number of registers, and numbers of threads and bytes beside the units' multiples */
TEST(Resident, AsCudaSays)
{
  const struct {
    const DeviceLimits &limits;
    int                 major, minor;
  } devices[] = {
    {k20xm, 3, 5},
    {a100, 8, 0},
    {ada, 8, 9},
    {h200, 9, 0},
  };

  for (const auto &device : devices) {
    const DeviceLimits &d = device.limits;
    for (Index shared : {Index(0), Index(1), Index(127), Index(1088), Index(9408), Index(23000), Index(49152),
                         d.max_block_shared - 1, d.max_block_shared}) {
      if (shared > d.max_block_shared) continue;
      for (Index threads = 1; threads <= d.max_threads; threads += threads % 32 < 2 ? 1 : 30) {
        for (Index registers = 1; registers <= d.max_registers; registers++) {
          const Launch        k = {threads, registers, shared};
          Index               by[resident_limits];
          const ResidentLimit least = blocks_by_limit(d, k, by);
          ASSERT_EQ(by[least], cuda_blocks(d, device.major, device.minor, k))
            << device.major << "." << device.minor << ": " << threads << " threads, " << registers << " registers, " << shared
            << " bytes";
        }
      }
    }
  }
}
#endif

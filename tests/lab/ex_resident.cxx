static char help[] = "HeptaMaxResidentBlocks() for devices by hand and for the one that is there, and what it refuses.\n";

#include "device.h"
#include "failure.h"
#include "hepta_lab.h"

static const HeptaDeviceLimits k20xm = {14, 32, 1024, 64, 16, 65536, 255, 65536, 256, 4, 49152, 49152, 0, 256};
static const HeptaDeviceLimits h200  = {132, 32, 1024, 64, 32, 65536, 255, 65536, 256, 4, 233472, 232448, 1024, 128};

struct Row {
  PetscInt           threads, registers, shared, by[4];
  HeptaResidentLimit least;
  PetscInt           blocks;
};

static PetscErrorCode CheckRow(const HeptaDeviceLimits &d, const Row &r)
{
  PetscInt           by[4], blocks, alone;
  HeptaResidentLimit least;

  PetscFunctionBegin;
  PetscCall(HeptaMaxResidentBlocks(&d, r.threads, r.registers, r.shared, by, &least, &blocks));
  PetscCall(HeptaMaxResidentBlocks(&d, r.threads, r.registers, r.shared, nullptr, nullptr, &alone));
  for (int l = 0; l < 4; l++) {
    PetscCheck(by[l] == r.by[l], PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "%d threads, %d registers, %d bytes: %s allow %d blocks instead of %d", (int)r.threads, (int)r.registers,
               (int)r.shared, HeptaResidentLimits[l], (int)by[l], (int)r.by[l]);
  }
  PetscCheck(least == r.least, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d threads, %d registers, %d bytes: bounded by %s instead of %s",
             (int)r.threads, (int)r.registers, (int)r.shared, HeptaResidentLimits[least], HeptaResidentLimits[r.least]);
  PetscCheck(blocks == r.blocks && alone == r.blocks, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%d threads, %d registers, %d bytes: %d and %d blocks instead of %d", (int)r.threads, (int)r.registers,
             (int)r.shared, (int)blocks, (int)alone, (int)r.blocks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first three are table 5.3 of the thesis */
static PetscErrorCode ByHand()
{
  PetscFunctionBegin;
  PetscCall(CheckRow(k20xm, {16, 38, 1088, {48, 38, 64, 16}, HEPTA_RESIDENT_BLOCKS, 224}));
  PetscCall(CheckRow(k20xm, {32, 38, 4224, {48, 11, 64, 16}, HEPTA_RESIDENT_SHARED, 154}));
  PetscCall(CheckRow(k20xm, {48, 43, 9408, {20, 5, 32, 16}, HEPTA_RESIDENT_SHARED, 70}));
  PetscCall(CheckRow(k20xm, {128, 32, 0, {16, PETSC_INT_MAX, 16, 16}, HEPTA_RESIDENT_REGISTERS, 224}));
  PetscCall(CheckRow(h200, {256, 40, 0, {6, 228, 8, 32}, HEPTA_RESIDENT_REGISTERS, 792}));
  PetscCall(CheckRow(h200, {1024, 16, 4096, {4, 45, 2, 32}, HEPTA_RESIDENT_WARPS, 264}));
  PetscCall(CheckRow(h200, {1024, 128, 232448, {0, 1, 2, 32}, HEPTA_RESIDENT_REGISTERS, 0}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refuses(const HeptaDeviceLimits &d, PetscInt threads, PetscInt registers, PetscInt shared,
                              const std::string &words)
{
  PetscInt blocks;

  PetscFunctionBegin;
  PetscCall(ExpectError(PETSC_ERR_ARG_OUTOFRANGE, words,
                        [&] { return HeptaMaxResidentBlocks(&d, threads, registers, shared, nullptr, nullptr, &blocks); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BadInput()
{
  HeptaDeviceLimits d = h200;

  PetscFunctionBegin;
  PetscCall(Refuses(h200, 0, 32, 0, "A block of 0 threads: this device takes from 1 to 1024"));
  PetscCall(Refuses(h200, -32, 32, 0, "A block of -32 threads: this device takes from 1 to 1024"));
  PetscCall(Refuses(h200, 1025, 32, 0, "A block of 1025 threads: this device takes from 1 to 1024"));
  PetscCall(Refuses(h200, 256, 0, 0, "A thread of 0 registers: this device gives from 1 to 255"));
  PetscCall(Refuses(h200, 256, 256, 0, "A thread of 256 registers: this device gives from 1 to 255"));
  PetscCall(Refuses(h200, 256, 32, -1, "A block of -1 bytes of shared memory: this device gives from 0 to 232448"));
  PetscCall(Refuses(h200, 256, 32, 232449, "A block of 232449 bytes of shared memory: this device gives from 0 to 232448"));
  PetscCall(Refuses(k20xm, 256, 32, 49153, "A block of 49153 bytes of shared memory: this device gives from 0 to 49152"));
  d.warp_unit = 0;
  PetscCall(Refuses(d, 256, 32, 0, "HeptaDeviceLimits: warp_unit is 0, which must be from 1 to 2^30"));
  d                       = h200;
  d.reserved_block_shared = -1;
  PetscCall(Refuses(d, 256, 32, 0, "HeptaDeviceLimits: reserved_block_shared is -1, which must be from 0 to 2^30"));
  PetscCall(Refuses({}, 256, 32, 0, "HeptaDeviceLimits: multiprocessors is 0"));
  d           = h200;
  d.registers = (1 << 30) + 1;
  PetscCall(Refuses(d, 256, 32, 0, "HeptaDeviceLimits: registers is 1073741825"));
#if !defined(PETSC_USE_64BIT_INDICES)
  d                 = h200;
  d.multiprocessors = 1 << 30;
  PetscCall(Refuses(d, 256, 32, 0, "8589934592 is too big for PetscInt"));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
/* Against what CUDA says in another way, all at a time */
static PetscErrorCode CheckDevice()
{
  HeptaDeviceLimits d;
  cudaDeviceProp    p;
  int               device;

  PetscFunctionBegin;
  PetscCall(HeptaGetDeviceLimits(&d));
  PetscCheck(cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&p, device) == cudaSuccess, PETSC_COMM_SELF,
             PETSC_ERR_GPU, "CUDA does not know its device");
  const PetscInt ours[] = {
    d.multiprocessors, d.warp_size,           d.max_threads,   d.max_warps * d.warp_size, d.max_blocks,
    d.registers,       d.max_block_registers, d.shared_memory, d.max_block_shared,        d.reserved_block_shared};
  const size_t theirs[] = {(size_t)p.multiProcessorCount,
                           (size_t)p.warpSize,
                           (size_t)p.maxThreadsPerBlock,
                           (size_t)p.maxThreadsPerMultiProcessor,
                           (size_t)p.maxBlocksPerMultiProcessor,
                           (size_t)p.regsPerMultiprocessor,
                           (size_t)p.regsPerBlock,
                           p.sharedMemPerMultiprocessor,
                           p.sharedMemPerBlockOptin,
                           p.reservedSharedMemPerBlock};

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(theirs); k++)
    PetscCheck((size_t)ours[k] == theirs[k], PETSC_COMM_SELF, PETSC_ERR_PLIB, "Limit %d of the device is %d instead of %d",
               (int)k, (int)ours[k], (int)theirs[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

static PetscErrorCode Device()
{
  HeptaDeviceLimits d;

  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (TestHasDevice()) PetscCall(CheckDevice());
  else
    PetscCall(
      ExpectError(PETSC_ERR_GPU, "need an NVIDIA GPU and its driver, and CUDA says: ", [&] { return HeptaGetDeviceLimits(&d); }));
#else
  PetscCall(ExpectError(PETSC_ERR_SUP, "This program was built without CUDA", [&] { return HeptaGetDeviceLimits(&d); }));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(TestInitialize(&argc, &argv, help));
  PetscCall(ByHand());
  PetscCall(BadInput());
  PetscCall(Device());
  PetscCall(PetscFinalize());
  return 0;
}

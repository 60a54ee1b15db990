/* How many thread blocks a device holds at a time: the manual pages, and the checks of arguments */
#include "hepta_lab.h"

#include <petsc/private/petscimpl.h>

const char *const HeptaResidentLimits[] = {"registers",          "shared memory",   "warps", "blocks",
                                           "HeptaResidentLimit", "HEPTA_RESIDENT_", nullptr};

/* Each field must be positive, reserved_block_shared not negative, and all so small that no product of two overflows */
static PetscErrorCode CheckLimits(const HeptaDeviceLimits &d)
{
  constexpr PetscInt most = 1 << 30;
  const struct {
    const char *name;
    PetscInt    value, least;
  } fields[] = {
    {"multiprocessors", d.multiprocessors, 1},
    {"warp_size", d.warp_size, 1},
    {"max_threads", d.max_threads, 1},
    {"max_warps", d.max_warps, 1},
    {"max_blocks", d.max_blocks, 1},
    {"registers", d.registers, 1},
    {"max_registers", d.max_registers, 1},
    {"max_block_registers", d.max_block_registers, 1},
    {"register_unit", d.register_unit, 1},
    {"warp_unit", d.warp_unit, 1},
    {"shared_memory", d.shared_memory, 0},
    {"max_block_shared", d.max_block_shared, 0},
    {"reserved_block_shared", d.reserved_block_shared, 0},
    {"shared_unit", d.shared_unit, 1},
  };

  PetscFunctionBegin;
  for (const auto &f : fields) {
    PetscCheck(f.value >= f.least && f.value <= most, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "HeptaDeviceLimits: %s is %" PetscInt_FMT ", which must be from %" PetscInt_FMT
               " to 2^30; HeptaGetDeviceLimits() fills in those of a GPU",
               f.name, f.value, f.least);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*E
   HeptaResidentLimit - what bounds the thread blocks that a multiprocessor holds at a time

   Values:
+  `HEPTA_RESIDENT_REGISTERS` - its registers
.  `HEPTA_RESIDENT_SHARED`    - its shared memory
.  `HEPTA_RESIDENT_WARPS`     - its warps
-  `HEPTA_RESIDENT_BLOCKS`    - the blocks that it takes, however small

   Level: advanced

.seealso: `HeptaMaxResidentBlocks()`, `HeptaDeviceLimits`
E*/

/*S
   HeptaDeviceLimits - what an NVIDIA GPU has for thread blocks

   Fields:
+  multiprocessors       - of the device
.  warp_size             - threads of a warp
.  max_threads           - of a block
.  max_warps             - of a multiprocessor
.  max_blocks            - of a multiprocessor
.  registers             - of a multiprocessor
.  max_registers         - of a thread
.  max_block_registers   - of a block
.  register_unit         - the registers of a warp are rounded up to a multiple of register_unit
.  warp_unit             - the warps that registers have room for are rounded down to a multiple of warp_unit
.  shared_memory         - of a multiprocessor, in bytes
.  max_block_shared      - bytes of shared memory that a block may ask for, with `cudaFuncAttributeMaxDynamicSharedMemorySize`
.  reserved_block_shared - bytes that CUDA adds to the shared memory of a block
-  shared_unit           - the bytes of a block, reserved bytes included, are rounded up to a multiple of shared_unit

   Level: advanced

   Notes:
   Two devices, the fields in this order:

.vb
     NVIDIA H200         132, 32, 1024, 64, 32, 65536, 255, 65536, 256, 4, 233472, 232448, 1024, 128
     Tesla K20Xm          14, 32, 1024, 64, 16, 65536, 255, 65536, 256, 4,  49152,  49152,    0, 256
.ve

   The second is that of the thesis whose section `HeptaMaxResidentBlocks()` follows.

.seealso: `HeptaGetDeviceLimits()`, `HeptaMaxResidentBlocks()`
S*/

/*@
  HeptaGetDeviceLimits - Gets what the current CUDA device has for thread blocks

  Not Collective

  Output Parameter:
. limits - the limits of the current CUDA device, which is PETSc's one once PETSc uses it

  Level: advanced

  Errors:
  `PETSC_ERR_GPU` where CUDA finds no GPU, with CUDA's reason; `PETSC_ERR_SUP` in a build without CUDA.

.seealso: `HeptaDeviceLimits`, `HeptaMaxResidentBlocks()`
@*/
#if defined(HEPTA_HAVE_CUDA)
PetscErrorCode HeptaGetDeviceLimits(HeptaDeviceLimits *limits)
{
  HeptaDeviceLimits d;

  PetscFunctionBegin;
  PetscAssertPointer(limits, 1);
  const hepta::Status bad = hepta::device_limits(&d);
  PetscCheck(
    !bad, PETSC_COMM_SELF, PETSC_ERR_GPU,
    "The limits of a device need an NVIDIA GPU and its driver, and CUDA says: %s; elsewhere fill in a HeptaDeviceLimits by hand",
    bad);
  *limits = d;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode HeptaGetDeviceLimits(HeptaDeviceLimits *)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "This program was built without CUDA, so it has no limits of a device: fill in a HeptaDeviceLimits by hand");
}
#endif

/*@
  HeptaMaxResidentBlocks - The largest grid whose thread blocks a GPU holds all at a time, so that they may wait for each other

  Not Collective

  Input Parameters:
+ limits    - the device, from `HeptaGetDeviceLimits()` or filled in by hand
. threads   - of a block, from 1 to max_threads (1024)
. registers - of a thread, from 1 to max_registers (255): numRegs of `cudaFuncGetAttributes()`
- shared    - bytes of shared memory of a block, static and dynamic together, from 0 to max_block_shared

  Output Parameters:
+ by     - array of four, or `NULL`: the blocks of a multiprocessor that registers, shared memory, warps and the limit of blocks
           allow, in the order of `HeptaResidentLimit`
. least  - which of these is the least, the first of them where several are; or `NULL`
- blocks - the least one times the multiprocessors; 0 where not even one block has the registers it needs

  Level: advanced

  Notes:
  With W = ceil(threads / warp_size) warps of a block, and up() and down() for rounding to a multiple of the unit,

.vb
     by registers       down(floor(registers of a multiprocessor / up(registers * warp_size, register_unit)), warp_unit) / W,
                        rounded down
     by shared memory   shared memory of a multiprocessor / up(shared + reserved_block_shared, shared_unit), rounded down
     by warps           max_warps / W, rounded down
     by blocks          max_blocks
.ve

  Blocks of a larger grid start when others have ended: a barrier of the grid would wait for them forever.
  `cudaLaunchCooperativeKernel()` refuses such a grid with `cudaErrorCooperativeLaunchTooLarge`; an ordinary launch hangs.

  The function is arithmetic on the host without calls of CUDA, for absent devices too. For a compiled kernel on the present
  device CUDA's `cudaOccupancyMaxActiveBlocksPerMultiprocessor()` gives equal numbers. Both functions assume the whole shared
  memory of a multiprocessor (`cudaSharedmemCarveoutDefault`), and an idle device. For a block without shared memory the bound by
  shared memory is `PETSC_INT_MAX`.

  Errors:
  `PETSC_ERR_ARG_OUTOFRANGE` for threads, registers, shared memory and fields of the limits that are not in their range, naming
  the number and the range.

  References:
  L. A. Firdaus, CUDA Optimization of a Class of Iterative Linear Algebra Solver, M.Sc. thesis, King Fahd University of Petroleum
  and Minerals, 2017, section 5.5.1 (equations 5.9 to 5.29) and table 5.3. The thesis divides by one warp a block where a block
  has two (5.28); shared memory bounds that row, so the table stands.

.seealso: `HeptaDeviceLimits`, `HeptaGetDeviceLimits()`, `HeptaResidentLimit`
@*/
PetscErrorCode HeptaMaxResidentBlocks(const HeptaDeviceLimits *limits, PetscInt threads, PetscInt registers, PetscInt shared,
                                      PetscInt by[], HeptaResidentLimit *least, PetscInt *blocks)
{
  hepta::Index of_multiprocessor[hepta::resident_limits];

  PetscFunctionBegin;
  PetscAssertPointer(limits, 1);
  if (by) PetscAssertPointer(by, 5);
  if (least) PetscAssertPointer(least, 6);
  PetscAssertPointer(blocks, 7);
  const HeptaDeviceLimits &d = *limits;
  PetscCall(CheckLimits(d));
  PetscCheck(threads >= 1 && threads <= d.max_threads, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A block of %" PetscInt_FMT " threads: this device takes from 1 to %" PetscInt_FMT, threads, d.max_threads);
  PetscCheck(registers >= 1 && registers <= d.max_registers, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A thread of %" PetscInt_FMT " registers: this device gives from 1 to %" PetscInt_FMT, registers, d.max_registers);
  PetscCheck(shared >= 0 && shared <= d.max_block_shared, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A block of %" PetscInt_FMT " bytes of shared memory: this device gives from 0 to %" PetscInt_FMT, shared,
             d.max_block_shared);
  const HeptaResidentLimit which = hepta::blocks_by_limit(d, {threads, registers, shared}, of_multiprocessor);
  PetscCall(PetscIntCast((PetscCount)of_multiprocessor[which] * d.multiprocessors, blocks));
  if (by) PetscCall(PetscArraycpy(by, of_multiprocessor, hepta::resident_limits));
  if (least) *least = which;
  PetscFunctionReturn(PETSC_SUCCESS);
}

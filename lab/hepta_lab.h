/* What measures and predicts, beside the library: a static library that the examples, benchmarks and tests link */
#pragma once

#include <petscmat.h>

PetscErrorCode HeptaMatAdvise(Mat, PetscViewer);

/* What bounds the thread blocks that a multiprocessor of a GPU holds at a time */
typedef enum {
  HEPTA_RESIDENT_REGISTERS,
  HEPTA_RESIDENT_SHARED,
  HEPTA_RESIDENT_WARPS,
  HEPTA_RESIDENT_BLOCKS
} HeptaResidentLimit;
extern const char *const HeptaResidentLimits[]; /* "registers", "shared memory", "warps", "blocks" */

/* What a GPU has for thread blocks: of a multiprocessor, unless a name says otherwise; shared memory in bytes */
typedef struct {
  PetscInt multiprocessors;
  PetscInt warp_size, max_threads, max_warps, max_blocks;
  PetscInt registers, max_registers, max_block_registers, register_unit, warp_unit;
  PetscInt shared_memory, max_block_shared, reserved_block_shared, shared_unit;
} HeptaDeviceLimits;

PetscErrorCode HeptaGetDeviceLimits(HeptaDeviceLimits *);
PetscErrorCode HeptaMaxResidentBlocks(const HeptaDeviceLimits *, PetscInt, PetscInt, PetscInt, PetscInt[], HeptaResidentLimit *, PetscInt *);

/* The arrays of the vectors that a launcher works on */
#pragma once

#include "space.h"

struct HeptaArrays {
  HeptaSpace         space;
  const PetscScalar *x = nullptr, *z = nullptr;
  PetscScalar       *y       = nullptr;
  bool               fetched = false; /* from the device, for vectors of different memories */
};

/*
   HeptaArraysGet - the arrays of x and z, to read, and of y, to write; if z is y, y is read and written; any vector may be null

   All arrays are in one memory: the device if all vectors live on the device, otherwise the host. HeptaArraysRestore() takes the
   same vectors.
*/
PETSC_INTERN PetscErrorCode HeptaArraysGet(Vec x, Vec z, Vec y, HeptaArrays *);
PETSC_INTERN PetscErrorCode HeptaArraysRestore(Vec x, Vec z, Vec y, HeptaArrays *);

/* HeptaVecSpace - the memory that a vector is in */
PETSC_INTERN PetscErrorCode HeptaVecSpace(Vec, HeptaSpace *);
/* HeptaVecMake - *v <- a vector of n numbers of this process, on the device or the host; keeps *v if it is one */
PETSC_INTERN PetscErrorCode HeptaVecMake(PetscInt n, bool device, Vec *v);
/* HeptaVecFree - destroys a vector of HeptaVecMake(), or none; no recording with its address is launched again */
PETSC_INTERN PetscErrorCode HeptaVecFree(Vec *v);

/* Logs n flops, as flops of the GPU if the space is a device, unless a HeptaRecording counts the flops */
static inline PetscErrorCode HeptaLogFlops(const HeptaSpace &space, PetscLogDouble n)
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  if (HeptaRecording::Stop()) {
    HeptaRecording::AddFlops(n);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(space.device ? PetscLogGpuFlops(n) : PetscLogFlops(n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

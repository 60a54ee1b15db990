/* What measures and predicts, beside the library: a static library that the examples, benchmarks and tests link */
#pragma once

#include <petscmat.h>

#include "resident.hxx"

PetscErrorCode HeptaMatAdvise(Mat, PetscViewer);
PetscErrorCode HeptaMatCreateGeneralHepta(MPI_Comm, PetscInt, PetscInt, PetscInt, PetscInt, PetscInt, MatType, Mat *);
PetscErrorCode HeptaMatCreateStar(MPI_Comm, const PetscInt[3], Mat *);
PetscErrorCode HeptaTune(MPI_Comm, PetscViewer, PetscBool, PetscBool, char **);
PetscErrorCode HeptaTuneRegrets(MPI_Comm, PetscViewer, PetscInt n, const char *const files[]);

using HeptaDeviceLimits  = hepta::DeviceLimits;
using HeptaResidentLimit = hepta::ResidentLimit;
using hepta::HEPTA_RESIDENT_BLOCKS, hepta::HEPTA_RESIDENT_REGISTERS, hepta::HEPTA_RESIDENT_SHARED, hepta::HEPTA_RESIDENT_WARPS;
extern const char *const HeptaResidentLimits[]; /* "registers", "shared memory", "warps", "blocks" */

PetscErrorCode HeptaGetDeviceLimits(HeptaDeviceLimits *);
PetscErrorCode HeptaMaxResidentBlocks(const HeptaDeviceLimits *, PetscInt, PetscInt, PetscInt, PetscInt[], HeptaResidentLimit *,
                                      PetscInt *);

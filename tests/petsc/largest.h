/* Maxima that keep NaN: PetscMax() and MPI's maximum may drop it, and a wrong number then counts as right */
#pragma once

#include <petscsys.h>

static inline PetscReal TestMax(PetscReal a, PetscReal b)
{
  return a >= b || PetscIsNanReal(a) ? a : b;
}

/* The largest of every rank's numbers; NaN becomes infinity */
static inline PetscErrorCode TestMaxOverRanks(MPI_Comm comm, PetscMPIInt n, PetscReal x[])
{
  PetscFunctionBegin;
  for (PetscMPIInt k = 0; k < n; k++) {
    if (PetscIsNanReal(x[k])) x[k] = PETSC_INFINITY;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, x, n, MPIU_REAL, MPIU_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

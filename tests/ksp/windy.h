/* An unsymmetric matrix */
#pragma once

#include "phases.h"

/* Upwind convection on top of PhaseMat() with n x n cells. wind 0 leaves its values, and it is not known to be symmetric. */
static inline PetscErrorCode Windy(MPI_Comm comm, PetscInt n, PetscScalar wind, Mat *A)
{
  PetscInt start, end;

  PetscFunctionBeginUser;
  PetscCall(PhaseMat(comm, n, TestType(), true, A));
  PetscCall(MatSetOption(*A, MAT_SYMMETRY_ETERNAL, PETSC_FALSE));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*A, &start, &end));
  for (PetscInt i = start; i < end; i++) {
    if (i % n) PetscCall(MatSetValue(*A, i, i - 1, -wind, ADD_VALUES));
    PetscCall(MatSetValue(*A, i, i, wind, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

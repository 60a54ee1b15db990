/*
   Matrix Market files in PETSc programs: a small static library of the examples, tests and benchmarks (target hepta_mm), not part
   of libhepta
*/
#pragma once

#include <petscmat.h>

PETSC_EXTERN PetscErrorCode HeptaMatReadMatrixMarket(MPI_Comm, const char[], PetscInt, Mat *);
PETSC_EXTERN PetscErrorCode HeptaVecReadMatrixMarket(const char[], Vec);
PETSC_EXTERN PetscErrorCode HeptaMatWriteMatrixMarket(Mat, const char[]);

/* Rows of matrices of any type */
#pragma once

#include <functional>

#include "heptaimpl.h"

/*
   HeptaForRows - calls f(row, number of entries, columns, values) for rows first, ..., last - 1 of A, columns ascending

   For a MATMPIAIJ this is not MatGetRow(): PETSc sizes its buffers for the longest row once, keeps them when MatShift(),
   MatDiagonalSet() or MatSetPreallocationCOO() make a row longer, and writes past their end.
*/
PETSC_INTERN PetscErrorCode HeptaForRows(Mat A, PetscInt first, PetscInt last, const std::function<PetscErrorCode(PetscInt, PetscInt, const PetscInt *, const PetscScalar *)> &f);

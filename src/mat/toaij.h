/* MatConvert() to MATAIJ of all types that can be one */
#pragma once

#include "../shared/heptaimpl.h"

/*
   B <- A as MATAIJ, a new matrix or, with MAT_REUSE_MATRIX, the one that this function made from A when A had the same nonzero
   locations. A may be a MATIS with local matrices of any type, also of those that PETSc does not assemble. Collective.
*/
PETSC_INTERN PetscErrorCode HeptaConvertToAIJ(Mat A, MatReuse reuse, Mat *B);

/* The scalar 7-point problem on n x n x n cells, set row by row as an application would */
#pragma once

#include <hepta.h>

/* Preallocated: exactly for aij, by the grid for bdia when `grid` is set; nothing is set yet */
PetscErrorCode BenchCreate(MatType type, PetscInt n, PetscBool grid, Mat *A);
/* Sets all rows, 7 entries each inside, and assembles; shift moves the diagonal so that values change */
PetscErrorCode BenchAssemble(Mat A, PetscInt n, PetscScalar shift);

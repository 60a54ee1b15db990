/* The bdia matrix on the PETSc side: the kind of blocked matrix that keeps block diagonals */
#pragma once

#include "../blocked/blocked.h"

/* The block diagonals of a bdia matrix; null for matrices of other types */
PETSC_INTERN hepta::bdia::Diagonals *MatBDIADiagonals(Mat);
/* Some rank has a reason against block diagonals: an error on all, or with `lenient` a mark; collective */
PETSC_INTERN PetscErrorCode MatBDIARefuse(Mat, bool refuse, const std::string &why);
/* bdia_fit.cxx: sets up a bdia matrix for the entries of another matrix: block size, grid or offsets */
PETSC_INTERN PetscErrorCode MatBDIAFit(Mat from, bool values, Mat, bool *whole);
/* bdia_grid.cxx: the offsets of the grid, if there is one */
PETSC_INTERN PetscErrorCode HeptaMatBDIASetGrid_BDIA(Mat, PetscInt, PetscInt, PetscInt);
PETSC_INTERN PetscErrorCode MatBDIAPresetGrid(Mat);
/* bdia_half.cxx: as HeptaMatKind has them */
PETSC_INTERN PetscErrorCode MatBDIAHalfOpen(Mat);
PETSC_INTERN PetscErrorCode MatBDIAHalfClose(Mat);
PETSC_INTERN PetscErrorCode MatBDIAHalfBlocks(Mat);
/* bdia_part.cxx: a zero matrix of A's type and structure, or of that of its lower or upper part with the main diagonal; its ghost part is always A's */
PETSC_INTERN PetscErrorCode MatBDIACreatePart(Mat A, HeptaMatStorage, bool lower, bool upper, Mat *B);

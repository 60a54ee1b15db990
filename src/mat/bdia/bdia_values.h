/* What the files with operations on values share */
#pragma once

#include "bdia.h"

using HeptaFlags = std::vector<unsigned char>; /* one per local row, or per local or ghost column */

/* bdia_values.cxx */
PETSC_INTERN PetscErrorCode MatZeroEntries_BDIA(Mat);
/* bdia_maindiagonal.cxx */
PETSC_INTERN PetscErrorCode MatGetDiagonal_BDIA(Mat, Vec);
PETSC_INTERN PetscErrorCode MatShift_BDIA(Mat, PetscScalar);
PETSC_INTERN PetscErrorCode MatDiagonalSet_BDIA(Mat, Vec, InsertMode);
PETSC_INTERN PetscErrorCode MatInvertBlockDiagonal_BDIA(Mat, const PetscScalar **);
/* a_ii <- alpha for the flagged rows; a main-diagonal entry that was never set is added, or is an error if `keep`; collective */
PETSC_INTERN PetscErrorCode MatBDIASetDiagonalRows(Mat A, const HeptaFlags &row, PetscScalar alpha, bool keep);
/* bdia_pair.cxx: operations with two matrices */
PETSC_INTERN PetscErrorCode MatAXPY_BDIA(Mat, PetscScalar, Mat, MatStructure);
PETSC_INTERN PetscErrorCode MatAXPYGetPreallocation_BDIA(Mat, Mat, Mat *);
PETSC_INTERN PetscErrorCode MatCopy_BDIA(Mat, Mat, MatStructure);
PETSC_INTERN PetscErrorCode MatEqual_BDIA(Mat, Mat, PetscBool *);
PETSC_INTERN PetscErrorCode MatTranspose_BDIA(Mat, MatReuse, Mat *);

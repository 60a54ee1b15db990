/* Declarations shared by the files with operations on values */
#pragma once

#include "blocked.h"

using HeptaFlags = std::vector<unsigned char>; /* one per local row, or per local or ghost column */

/* blocked_values.cxx */
PETSC_INTERN PetscErrorCode MatZeroEntries_Blocked(Mat);
/* blocked_scale.cxx: fills in its part of the table of operations */
PETSC_INTERN PetscErrorCode MatBlockedSetOps_Scale(Mat);
/* blocked_maindiagonal.cxx */
PETSC_INTERN PetscErrorCode MatGetDiagonal_Blocked(Mat, Vec);
PETSC_INTERN PetscErrorCode MatShift_Blocked(Mat, PetscScalar);
PETSC_INTERN PetscErrorCode MatDiagonalSet_Blocked(Mat, Vec, InsertMode);
PETSC_INTERN PetscErrorCode MatInvertBlockDiagonal_Blocked(Mat, const PetscScalar **);
/* a_ii <- alpha for the flagged rows; a main-diagonal entry that was never set is added, or is an error if `keep`; collective */
PETSC_INTERN PetscErrorCode MatBlockedSetDiagonalRows(Mat A, const HeptaFlags &row, PetscScalar alpha, bool keep);
/* blocked_pair.cxx: operations with two matrices */
PETSC_INTERN PetscErrorCode MatAXPY_Blocked(Mat, PetscScalar, Mat, MatStructure);
PETSC_INTERN PetscErrorCode MatAXPYGetPreallocation_Blocked(Mat, Mat, Mat *);
PETSC_INTERN PetscErrorCode MatCopy_Blocked(Mat, Mat, MatStructure);
PETSC_INTERN PetscErrorCode MatEqual_Blocked(Mat, Mat, PetscBool *);
PETSC_INTERN PetscErrorCode MatTranspose_Blocked(Mat, MatReuse, Mat *);

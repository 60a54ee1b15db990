/* The bdia matrix on the PETSc side: the blocked matrix that keeps block diagonals */
#pragma once

#include "diagonals.h"

extern HeptaBlockedFormat    HEPTA_BDIA;
extern const HeptaSeqAIJKind HEPTA_SeqAIJBDIA; /* seqaijbdia.cxx */

/* The block diagonals of a bdia matrix; null for matrices of other types */
PETSC_INTERN hepta::bdia::Diagonals *MatBDIADiagonals(Mat);
/* If some rank refuses, all ranks raise an error, or with `lenient` mark the matrix as refused; collective */
PETSC_INTERN PetscErrorCode MatBDIARefuse(Mat, bool refuse, const std::string &why);
/* Sets the fill of -mat_bdia_max_fill */
PETSC_INTERN void MatBDIASetMaxFill(Mat, PetscReal);
/* bdia_structure.cxx */
PETSC_INTERN PetscErrorCode MatBDIASetGrid_BDIA(Mat, PetscInt, PetscInt, PetscInt);
/* a zero matrix of A's type with the structure of A, or of its lower or upper triangle with the main diagonal; the ghost part
   always has A's structure */
PETSC_INTERN PetscErrorCode MatBDIACreatePart(Mat A, HeptaMatStorage, bool lower, bool upper, Mat *B);

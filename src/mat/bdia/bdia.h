/* The bdia matrix on the PETSc side: the blocked matrix that keeps block diagonals */
#pragma once

#include "diagonals.h"

extern HeptaBlockedFormat    HEPTA_BDIA;
extern const HeptaSeqAIJKind HEPTA_SeqAIJBDIA; /* seqaijbdia.cxx */

/* The block diagonals of a bdia matrix; null for matrices of other types */
PETSC_INTERN hepta::bdia::Diagonals *MatBDIADiagonals(Mat);
/* Some rank has a reason against block diagonals: an error on all, or with `lenient` a mark; collective */
PETSC_INTERN PetscErrorCode MatBDIARefuse(Mat, bool refuse, const std::string &why);
/* Sets what -mat_bdia_max_fill sets */
PETSC_INTERN void MatBDIASetMaxFill(Mat, PetscReal);
/* bdia_grid.cxx */
PETSC_INTERN PetscErrorCode HeptaMatBDIASetGrid_BDIA(Mat, PetscInt, PetscInt, PetscInt);
/* bdia_part.cxx: a zero matrix of A's type and structure, or of that of its lower or upper part with the main diagonal; its ghost part is always A's */
PETSC_INTERN PetscErrorCode MatBDIACreatePart(Mat A, HeptaMatStorage, bool lower, bool upper, Mat *B);

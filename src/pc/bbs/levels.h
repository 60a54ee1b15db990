/* Levels on the PETSc side: HeptaMatGetLevels() and the ordering "level" */
#pragma once

#include "../../shared/heptaimpl.h"

/* What levels and orderings need; `what` begins the messages */
PETSC_INTERN PetscErrorCode HeptaCheckSequentialSquare(Mat A, const char what[]);
/*
   For orderings that separate the rows of MATSEQAIJ's i-nodes, whose factorizations by i-nodes then read and write beyond their arrays: A does
   without i-nodes from now on
*/
PETSC_INTERN PetscErrorCode HeptaLeaveInodes(Mat A);
/* What MatGetOrdering() calls for MATORDERINGLEVEL */
PETSC_INTERN PetscErrorCode MatGetOrdering_Level(Mat A, MatOrderingType type, IS *row, IS *col);

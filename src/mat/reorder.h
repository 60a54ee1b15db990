/* What orderings and levels ask of a matrix, and the ordering "blockdensity" */
#pragma once

#include "../shared/heptaimpl.h"

/* An error unless A is assembled, square, on one MPI process and no factor; `what` begins the messages */
PETSC_INTERN PetscErrorCode HeptaCheckSequentialSquare(Mat A, const char what[]);
/*
   For orderings that separate the rows of MATSEQAIJ's i-nodes, whose factorizations by i-nodes then read and write beyond their arrays: A does
   without i-nodes from now on
*/
PETSC_INTERN PetscErrorCode HeptaLeaveInodes(Mat A);
/* What MatGetOrdering() calls for MATORDERINGBLOCKDENSITY */
PETSC_INTERN PetscErrorCode MatGetOrdering_BlockDensity(Mat A, MatOrderingType type, IS *row, IS *col);

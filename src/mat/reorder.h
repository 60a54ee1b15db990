/* Requirements that orderings and levels have of a matrix, and the ordering "blockdensity" */
#pragma once

#include "../shared/heptaimpl.h"

/* An error unless A is assembled, square, on one MPI process and not a factor; the messages begin with `what` */
PETSC_INTERN PetscErrorCode HeptaCheckSequentialSquare(Mat A, const char what[]);
/*
   Switches off A's i-nodes, for orderings that separate the rows of MATSEQAIJ's i-nodes: factorizations by i-nodes would then
   read and write beyond their arrays
*/
PETSC_INTERN PetscErrorCode HeptaLeaveInodes(Mat A);
/* The function of MATORDERINGBLOCKDENSITY, called by MatGetOrdering() */
PETSC_INTERN PetscErrorCode MatGetOrdering_BlockDensity(Mat A, MatOrderingType type, IS *row, IS *col);

/* The ordering "blockdensity" */
#pragma once

#include "../../shared/heptaimpl.h"

/* What MatGetOrdering() calls for MATORDERINGBLOCKDENSITY */
PETSC_INTERN PetscErrorCode MatGetOrdering_BlockDensity(Mat A, MatOrderingType type, IS *row, IS *col);

/* The ordering "level" on the PETSc side */
#pragma once

#include "../../mat/reorder.h"

/* What MatGetOrdering() calls for MATORDERINGLEVEL */
PETSC_INTERN PetscErrorCode MatGetOrdering_Level(Mat A, MatOrderingType type, IS *row, IS *col);

/* The brow matrix on the PETSc side: the kind of blocked matrix that keeps block rows */
#pragma once

#include "../blocked/blocked.h"

/* The block rows of a brow matrix; null for matrices of other types */
PETSC_INTERN hepta::brow::BlockRows *MatBROWBlockRows(Mat);
/* Refuses tile sizes out of range; 0, for one to be chosen, passes */
PETSC_INTERN PetscErrorCode MatBROWCheckTileSize(Mat, PetscInt);
/* The options -mat_brow_bs, -mat_brow_storage, -mat_brow_mapping and -mat_brow_bx */
PETSC_INTERN PetscErrorCode MatBROWReadSettings(Mat, PetscOptionItems, hepta::blocked::Settings &);
#if defined(HEPTA_HAVE_CUDA)
/* brow_cusparse.cxx: as in HeptaMatKind, for a brow that is set up and empty */
PETSC_INTERN PetscErrorCode MatBROWFitCUSPARSE(Mat from, Mat, bool *done);
PETSC_INTERN PetscErrorCode MatBROWTakeCUSPARSE(Mat from, Mat);
#endif

/* The brow matrix on the PETSc side: the blocked matrix that keeps block rows */
#pragma once

#include "block_rows.h"

extern HeptaBlockedFormat    HEPTA_BROW;
extern const HeptaSeqAIJKind HEPTA_SeqAIJBROW; /* seqaijbrow.cxx */

/* The block rows of a brow matrix; null for matrices of other types */
PETSC_INTERN hepta::brow::BlockRows *MatBROWBlockRows(Mat);
/* Refuses tile sizes out of range; 0 is allowed and lets a size be chosen */
PETSC_INTERN PetscErrorCode MatBROWCheckTileSize(Mat, PetscInt);
/* The options -mat_brow_bs, -mat_brow_mapping and -mat_brow_bx */
PETSC_INTERN PetscErrorCode MatBROWReadSettings(Mat, PetscOptionItems, hepta::blocked::Settings &);
/*
   i, j <- `empty` empty rows and then a rank's rows of a matrix, read by MatGetRow(), as compressed rows of the columns cstart
   ... cend - 1, counted from zero
*/
PETSC_INTERN PetscErrorCode MatBROWReadRows(Mat, PetscInt empty, PetscInt cstart, PetscInt cend, std::vector<size_t> &i,
                                            std::vector<hepta::Index> &j);

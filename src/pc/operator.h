/* The operator of a preconditioner that works on block diagonals */
#pragma once

#include <petsc/private/pcimpl.h>

#include "../mat/bdia/bdia.h"

/* pc->pmat itself when it is a MATBDIA, otherwise a converted copy that is kept and follows the values */
struct HeptaOperator {
  Mat              A     = nullptr; /* a reference; a MATBDIA */
  bool             owned = false;   /* converted */
  PetscObjectId    id    = 0;       /* of the pmat that A shows, and its states */
  PetscObjectState state = -1, structure = -1;

  /*
     Brings A up to date; *same_structure tells whether A is the same object with the same entries as after the last call. With
     `full` a matrix in half storage is copied to one in full. Collective. A matrix that is not square, or without room on block diagonals,
     is an error.
  */
  PetscErrorCode Update(PC pc, bool full, bool *same_structure);
  PetscErrorCode Reset();
};

/* Raises an error on all ranks unless P is square, with rows and columns split over the ranks alike */
PETSC_INTERN PetscErrorCode HeptaCheckSquare(PC, Mat P);
/* Is A known to be symmetric? */
PETSC_INTERN PetscErrorCode HeptaKnownSymmetric(Mat A, bool *symmetric);
/* Is A of one of the MATBDIA types? */
PETSC_INTERN PetscErrorCode HeptaIsBDIA(Mat A, bool *is);
/* Where a preconditioner of A, a MATBDIA, is set up: the device if its vectors or its values are there; the second for all ranks alike, collective */
PETSC_INTERN PetscErrorCode HeptaOperatorSpace(Mat A, HeptaSpace *);
PETSC_INTERN PetscErrorCode HeptaOperatorSpaceOfAll(Mat A, HeptaSpace *);

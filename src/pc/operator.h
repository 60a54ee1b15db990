/* The operator of a preconditioner that works on block diagonals, or on rows */
#pragma once

#include <petsc/private/pcimpl.h>

#include "../mat/bdia/bdia.h"
#include "../mat/structure.h"

/* What a preconditioner works on */
enum class HeptaForm {
  diagonals,      /* MATBDIA */
  full_diagonals, /* MATBDIA, not in half storage */
  rows,           /* MATBDIA or any MATAIJ */
  aij,            /* any MATAIJ */
  block_rows      /* MATBROW */
};

/* pc->pmat itself when it has the form wanted, otherwise a converted copy that is kept and follows the values */
struct HeptaOperator {
  Mat              A = nullptr;                  /* a reference */
  HeptaStructure   structure;                    /* of the pmat that A shows, */
  PetscObjectState state = -1;                   /* and of its values */
  HeptaForm        form  = HeptaForm::diagonals; /* of A */

  /*
     Brings A up to date; *same_structure tells whether A is the same object with the same entries as after the last call. A matrix that
     does not fit block diagonals gets the form `otherwise`. Collective. A matrix that is not square, or that cannot be converted, is an error.
  */
  PetscErrorCode Update(PC pc, HeptaForm wanted, HeptaForm otherwise, bool *same_structure);
  PetscErrorCode Update(PC pc, HeptaForm wanted, bool *same_structure) { return Update(pc, wanted, wanted, same_structure); }
  PetscErrorCode Reset();
  bool           ByRows() const { return form == HeptaForm::aij || form == HeptaForm::block_rows; }
  /* What became of P, if A is not P in block diagonals */
  PetscErrorCode View(Mat P, PetscViewer) const;
};

/* How far a preconditioner's last set-up came. PETSc takes a later set-up that ended in an error for done, and tries again for other values only. */
enum class HeptaPCStage {
  none,  /* no set-up yet */
  begun, /* not completed: it ended in an error */
  ready
};

/* What the data of all our preconditioners begin with: pc->data points to it */
struct HeptaPCData {
  HeptaPCStage stage = HeptaPCStage::none;
};

/* Runs `steps`, from scratch after a set-up that ended in an error, and logs them */
PETSC_INTERN PetscErrorCode HeptaPCSetUpBy(PC, PetscLogEvent, PetscErrorCode (*steps)(PC));
/* That for PETSc's table: the set-up of all our preconditioners */
template <PetscLogEvent HeptaEvents::*event, PetscErrorCode (*steps)(PC)> PetscErrorCode HeptaPCSetUp(PC pc)
{
  PetscFunctionBegin;
  PetscCall(HeptaPCSetUpBy(pc, HEPTA_Event.*event, steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}
/* What every application begins with: nothing is computed with what a set-up that ended in an error has left; it is tried again, so the error comes until its cause is gone; collective */
PETSC_INTERN PetscErrorCode HeptaPCCheckReady(PC);
/* The next set-up of the preconditioner starts anew, with the operators and options that it has */
PETSC_INTERN PetscErrorCode HeptaPCStartAnew(PC);
/* Raises an error on all ranks unless P is square, with rows and columns split over the ranks alike */
PETSC_INTERN PetscErrorCode HeptaCheckSquare(PC, Mat P);
/* *row <- the first row with an entry that is Inf or NaN, -1 if there is none; collective */
PETSC_INTERN PetscErrorCode HeptaFirstRowNotFinite(Mat A, PetscInt *row);
/* Is A known to be symmetric? */
PETSC_INTERN PetscErrorCode HeptaKnownSymmetric(Mat A, bool *symmetric);
/* Do A's vectors live on the device? */
PETSC_INTERN PetscErrorCode HeptaHasDeviceVecs(Mat A, bool *has);
/* Where a preconditioner of A, a MATBDIA or MATBROW, is set up: the device if its vectors or its values are there; the second for all ranks alike, collective */
PETSC_INTERN PetscErrorCode HeptaOperatorSpace(Mat A, HeptaSpace *);
PETSC_INTERN PetscErrorCode HeptaOperatorSpaceOfAll(Mat A, HeptaSpace *);

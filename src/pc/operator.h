/* The operator of a preconditioner that works on block diagonals, or on rows */
#pragma once

#include <petsc/private/pcimpl.h>

#include "../mat/bdia/bdia.h"
#include "../mat/structure.h"
#include "recorded.h"

/* The forms of matrices that preconditioners work on */
enum class HeptaForm {
  diagonals,      /* MATBDIA */
  full_diagonals, /* MATBDIA in full storage */
  rows,           /* MATBDIA or any MATAIJ */
  aij,            /* any MATAIJ */
  block_rows      /* MATBROW */
};

/* The operator: pc->pmat itself in the wanted form, otherwise a converted copy, kept and updated when values change */
struct HeptaOperator {
  Mat              A = nullptr;                  /* a reference */
  HeptaStructure   structure;                    /* of the pmat behind A */
  PetscObjectState state = -1;                   /* the object state of the pmat, which shows changes of values */
  HeptaForm        form  = HeptaForm::diagonals; /* of A */
  bool             unfit = false;                /* block diagonals were wanted, and the matrix does not fit */
  /* a copy in blocked rows has tiles of the matrix's block size: the search for a better one would take as long as the copy */
  bool plain = false;

  /*
     Brings A up to date; *same_structure <- are the object A and its locations of entries unchanged since the last call? A matrix
     that does not fit block diagonals gets the form `otherwise`. Collective. A matrix that is not square, or that cannot be
     converted, is an error.
  */
  PetscErrorCode Update(PC pc, HeptaForm wanted, HeptaForm otherwise, bool *same_structure);
  PetscErrorCode Update(PC pc, HeptaForm wanted, bool *same_structure) { return Update(pc, wanted, wanted, same_structure); }
  PetscErrorCode Reset();
  bool           ByRows() const { return form == HeptaForm::aij || form == HeptaForm::block_rows; }
  /* Views how P was converted, unless A is P in block diagonals */
  PetscErrorCode View(Mat P, PetscViewer) const;
};

/*
   The stage of a preconditioner's last set-up. PETSc takes a repeated set-up that ended in an error for done until values change.
*/
enum class HeptaPCStage {
  none,  /* no set-up yet */
  begun, /* begun but not completed, because of an error */
  ready
};

/* The base of the data of all Hepta preconditioners: pc->data points to HeptaPCData */
struct HeptaPCData {
  HeptaPCStage              stage = HeptaPCStage::none;
  std::vector<const char *> composed; /* names of functions that HeptaPCDestroy() removes */

  virtual ~HeptaPCData() = default;
};

/* Composes a function with a preconditioner, which loses the function when it gets another type; `name` is a literal */
template <class F> PetscErrorCode HeptaPCComposeFunction(PC pc, const char name[], F f)
{
  PetscFunctionBegin;
  ((HeptaPCData *)pc->data)->composed.push_back(name);
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, name, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs and logs the set-up `steps`, from scratch if the last set-up ended in an error */
PETSC_INTERN PetscErrorCode HeptaPCSetUpBy(PC, PetscLogEvent, PetscErrorCode (*steps)(PC));
/* HeptaPCSetUpBy() as an operation of PETSc's table, for all our preconditioners */
template <PetscLogEvent HeptaEvents::*event, PetscErrorCode (*steps)(PC)> PetscErrorCode HeptaPCSetUp(PC pc)
{
  PetscFunctionBegin;
  PetscCall(HeptaPCSetUpBy(pc, HEPTA_Event.*event, steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}
/* An operation of PETSc's table that runs `steps` for ASCII viewers */
template <PetscErrorCode (*steps)(PC, PetscViewer)> PetscErrorCode HeptaPCView(PC pc, PetscViewer viewer)
{
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (ascii) PetscCall(steps(pc, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
/* An operation of PETSc's table: frees all data and removes the functions of HeptaPCComposeFunction() */
PETSC_INTERN PetscErrorCode HeptaPCDestroy(PC);
/*
   The first call of every application: repeats a set-up that ended in an error, so that no application uses incomplete data, and
   the error rises until its cause is removed; collective
*/
PETSC_INTERN PetscErrorCode HeptaPCCheckReady(PC);
/* Makes the next set-up start from scratch, with the present operators and options */
PETSC_INTERN PetscErrorCode HeptaPCStartAnew(PC);
/* Raises an error on all ranks unless P is square, with equal distributions of rows and columns over the ranks */
PETSC_INTERN PetscErrorCode HeptaCheckSquare(PC, Mat P);
/* *row <- the first row with Inf or NaN, or -1; collective */
PETSC_INTERN PetscErrorCode HeptaFirstRowNotFinite(Mat A, PetscInt *row);
/* Raises an error of the preconditioner `type` that names the first row with Inf or NaN; collective */
PETSC_INTERN PetscErrorCode HeptaCheckFinite(Mat A, PCType type);
/* An error that names the option `key` if its value n is negative */
PETSC_INTERN PetscErrorCode HeptaCheckNotNegative(PC, const char key[], PetscInt n);
/* Is A known to be symmetric? */
PETSC_INTERN PetscErrorCode HeptaKnownSymmetric(Mat A, bool *symmetric);
/* Do A's vectors live on the device? */
PETSC_INTERN PetscErrorCode HeptaHasDeviceVecs(Mat A, bool *has);
/*
   The space of the set-up of a preconditioner of A, a MATBDIA or MATBROW: the device if A's vectors or values are on the device.
   HeptaOperatorSpaceOfAll(): one space for all ranks, collective
*/
PETSC_INTERN PetscErrorCode HeptaOperatorSpace(Mat A, HeptaSpace *);
PETSC_INTERN PetscErrorCode HeptaOperatorSpaceOfAll(Mat A, HeptaSpace *);

/*
   A matrix whose null spaces have passed the check: the object numbers of its null space and of its transpose's null space; 0:
   none
*/
struct HeptaCheckedNull {
  PetscObjectId    matrix = 0, space[2] = {0, 0};
  PetscObjectState state = -1;

  bool operator==(const HeptaCheckedNull &o) const
  {
    return matrix == o.matrix && space[0] == o.space[0] && space[1] == o.space[1] && state == o.state;
  }
};

/*
   subdeflation/null_check.cxx: an error if a vector that MatSetNullSpace() or MatSetTransposeNullSpace() gave the
   preconditioner's matrix, or the operator, is not null; collective
*/
PETSC_INTERN PetscErrorCode HeptaCheckNullSpaces(PC, HeptaCheckedNull checked[2]);

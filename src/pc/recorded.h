/* Products and applications of preconditioners in the recordings of Krylov methods: what each type tells about itself */
#pragma once

#include <string>
#include <petsc/private/pcimpl.h>

#include "../shared/space.h"

struct HeptaRecorded {
  bool        can     = false;   /* can an application be recorded? Hepta's launches only */
  bool        stops   = false;   /* do the launches return at once when the passes pause? */
  Mat         product = nullptr; /* the matrix, if an application is one product; otherwise null */
  std::string key;               /* a key of all data on which the launches depend */
  /* where the application finds the address of (x, y) of the application before, for its scale; null: no scale */
  const PetscScalar **scale = nullptr;
};

/*
   The name under which types compose PetscErrorCode (*)(PC, HeptaRecorded *) with a preconditioner; key has the matrix and the
   type before the call
*/
#define HEPTA_RECORDED "HeptaPCGetRecorded_C"
/* The composed function of a type whose applications are always Hepta's launches only */
PETSC_INTERN PetscErrorCode HeptaPCRecordsAlways(PC, HeptaRecorded *);

/* recorded.cxx: for a preconditioner that has been applied once; collective. Of PETSc's, ICC and ILU by bbs can be recorded. */
PETSC_INTERN PetscErrorCode HeptaPCGetRecorded(PC, HeptaRecorded *);
/* Can exchanges among the MPI processes of the communicator, or products with A, be recorded? Collective */
PETSC_INTERN PetscErrorCode HeptaCommCanRecord(MPI_Comm, bool *can);
PETSC_INTERN PetscErrorCode HeptaMatCanRecord(Mat A, bool *can);
/* Brings all that products with A read and write to the space: a recording cannot copy to the device; collective */
PETSC_INTERN PetscErrorCode HeptaMatPrepareToRecord(Mat A, const HeptaSpace &);
/* Appends a key of all data on which products with A depend */
PETSC_INTERN PetscErrorCode HeptaMatAppendKey(Mat A, std::string *key);

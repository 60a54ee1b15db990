/* How products and applications of preconditioners stand in the recordings of Krylov methods: what each type says of itself */
#pragma once

#include <string>
#include <petsc/private/pcimpl.h>

struct HeptaRecorded {
  bool                can     = false;   /* can an application be recorded, since it consists only of launches of ours? */
  bool                stops   = false;   /* do these return at once when the passes pause? */
  Mat                 product = nullptr; /* the matrix, if an application is one product; otherwise null */
  std::string         key;               /* of all that the launches depend on */
  const PetscScalar **scale = nullptr;   /* where the application looks for the address of (x, y) of the one before, by which it scales; null: it does not */
};

/* The name under which types compose PetscErrorCode (*)(PC, HeptaRecorded *) with their preconditioners; key has the matrix and the type then */
#define HEPTA_RECORDED "HeptaPCGetRecorded_C"
/* That of a type whose application is launches of ours whatever its choices */
PETSC_INTERN PetscErrorCode HeptaPCRecordsAlways(PC, HeptaRecorded *);

/* recorded.cxx: for a preconditioner that has been applied once; collective. Of PETSc's types ICC and ILU solved by bbs can be recorded. */
PETSC_INTERN PetscErrorCode HeptaPCGetRecorded(PC, HeptaRecorded *);
/* Can exchanges among these processes be recorded? And products with A? Collective */
PETSC_INTERN PetscErrorCode HeptaCommCanRecord(MPI_Comm, bool *can);
PETSC_INTERN PetscErrorCode HeptaMatCanRecord(Mat A, bool *can);
/* A key of all that products with A depend on */
PETSC_INTERN std::string HeptaMatKey(Mat A);

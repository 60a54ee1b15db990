/* Products of MATIS whose local matrices are of Hepta's types, with the exchange of the interface through the transports */
#pragma once

#include "../shared/space.h"

/* Makes MATIS with these products the type MATIS of PETSc's list */
PETSC_INTERN PetscErrorCode HeptaMatISRegister(void);
/* *can <- are products with A launches of Hepta alone, on all processes? Collective; false for other types than MATIS */
PETSC_INTERN PetscErrorCode HeptaMatISCanRecord(Mat A, bool *can);
/* Brings all that products read and write to the space, so that a recording may hold products that can be recorded; collective */
PETSC_INTERN PetscErrorCode HeptaMatISPrepare(Mat A, const HeptaSpace &);
/* *local <- the local matrix, null for other types than MATIS; *copied <- the bytes of copies in a product */
PETSC_INTERN PetscErrorCode HeptaMatISGetLocal(Mat A, Mat *local, double *copied = nullptr);
/* *vecs <- n vectors like `like` of which products copy no own rows, for VecDestroyVecs(); null for other types than
   MATIS, on one process, for own rows in another order than local rows, and for vectors bound to the host; collective */
PETSC_INTERN PetscErrorCode HeptaMatISMakeVecs(Mat A, Vec like, PetscInt n, Vec **vecs);

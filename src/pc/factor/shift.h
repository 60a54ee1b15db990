/* The search for a shift that makes the pivots of an incomplete factorization good */
#pragma once

#include "../../shared/heptaimpl.h"

/* The search for a shift, as PETSc's factorizations make it */
struct HeptaShift {
  MatFactorShiftType type   = MAT_SHIFT_NONE;
  PetscReal          amount = 0; /* in use: added to the diagonal, or (inblocks) to each failing pivot */
  PetscReal          low = 0, high = 1, fraction = 0, top = 0;
  PetscInt           tries  = 0;
  PetscInt64         pivots = 0; /* inblocks: replaced pivots, of all ranks */

  /* After a factorization: is another needed? *again false and good false: there is no way on */
  void           Next(bool good, bool refine, PetscReal start, bool *again);
  PetscErrorCode View(PetscViewer) const;
};

/* The search for a shift that makes the pivots of an incomplete factorization good */
#pragma once

#include "../../shared/heptaimpl.h"

/* The search for a shift, in the manner of PETSc's factorizations */
struct HeptaShift {
  MatFactorShiftType type   = MAT_SHIFT_NONE;
  PetscReal          amount = 0; /* the shift in use, added to the diagonal, or (inblocks) to each failing pivot */
  PetscReal          low = 0, high = 1, fraction = 0, top = 0;
  PetscInt           tries  = 0;
  PetscInt64         pivots = 0; /* inblocks: the number of replaced pivots of all ranks */

  /*
     Called after a factorization: *again <- is another factorization needed? With good and *again false all shifts have failed.
  */
  void           Next(bool good, bool refine, PetscReal start, bool *again);
  PetscErrorCode View(PetscViewer) const;
};

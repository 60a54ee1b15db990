/* Rows of matrices of any type */
#pragma once

#include <functional>

#include "heptaimpl.h"

/* The compressed rows of a matrix of type MATSEQAIJ, or of one derived from it; the destructor restores them */
struct HeptaAIJRows {
  PetscInt           n  = 0;
  const PetscInt    *ia = nullptr, *ja = nullptr;
  const PetscScalar *v = nullptr;

  HeptaAIJRows()                                = default;
  HeptaAIJRows(const HeptaAIJRows &)            = delete;
  HeptaAIJRows &operator=(const HeptaAIJRows &) = delete;
  ~HeptaAIJRows() { (void)Restore(); }
  /* without `values` these are not moved from the device, and v is null */
  PetscErrorCode Get(Mat, bool values = true);
  PetscErrorCode Restore();

private:
  Mat A = nullptr; /* null while there is nothing to restore */
};

/*
   HeptaForRows - calls f(row, number of entries, columns, values) for rows first, ..., last - 1 of A, columns ascending. Without `values` those of an aij are null, and are not moved

   For a MATMPIAIJ this is not MatGetRow(): PETSc sizes its buffers for the longest row once, keeps them when MatShift(),
   MatDiagonalSet() or MatSetPreallocationCOO() make a row longer, and writes past their end.
*/
PETSC_INTERN PetscErrorCode HeptaForRows(Mat A, PetscInt first, PetscInt last, bool values, const std::function<PetscErrorCode(PetscInt, PetscInt, const PetscInt *, const PetscScalar *)> &f);

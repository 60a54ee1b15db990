/* Rows of matrices of any type */
#pragma once

#include <functional>

#include "heptaimpl.h"

/* The compressed rows of a matrix of type MATSEQAIJ, or of a derived type; the destructor restores the rows */
struct HeptaAIJRows {
  PetscInt           n  = 0;
  const PetscInt    *ia = nullptr, *ja = nullptr;
  const PetscScalar *v = nullptr;

  HeptaAIJRows()                                = default;
  HeptaAIJRows(const HeptaAIJRows &)            = delete;
  HeptaAIJRows &operator=(const HeptaAIJRows &) = delete;
  ~HeptaAIJRows() { (void)Restore(); }
  /* without `values` the values stay on the device, and v is null */
  PetscErrorCode Get(Mat, bool values = true);
  PetscErrorCode Restore();

private:
  Mat A = nullptr; /* null while there is nothing to restore */
};

using HeptaRowFunction =
  std::function<PetscErrorCode(PetscInt row, PetscInt n, const PetscInt *columns, const PetscScalar *values)>;

/*
   HeptaForRows - calls f(row, number of entries, columns, values) for rows first, ..., last - 1 of A, columns ascending. Without
   `values` the values of an aij are null and stay where they are.

   For a MATMPIAIJ this is not MatGetRow(): PETSc sizes its buffers for the longest row once, keeps the buffers when MatShift(),
   MatDiagonalSet() or MatSetPreallocationCOO() make a row longer, and writes past their end.
*/
PETSC_INTERN PetscErrorCode HeptaForRows(Mat A, PetscInt first, PetscInt last, bool values, const HeptaRowFunction &f);

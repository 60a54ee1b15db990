/* Reading the entries of a level's matrix, for the choice of aggregates */
#pragma once

#include "../subdeflation.h"

/* The column number that stands for columns of other MPI processes */
constexpr PetscInt HEPTA_ELSEWHERE = -1;

/* Calls f(block row, block column, value) for the entries of this process's rows of A, numbered from 0, with their values on the host */
template <class F> static inline PetscErrorCode HeptaForEntries(Mat A, F f)
{
  const PetscInt         bs = A->rmap->bs, start = A->rmap->rstart;
  HeptaStorage          &local  = *MatBlocked(A)->local;
  hepta::blocked::Ghost &ghosts = MatBlocked(A)->ghost;
  void                  *v;

  PetscFunctionBegin;
  PetscCall(local.values.Access(HeptaSpace(), HeptaAccess::read, &v));
  PetscCall(ghosts.Look());
  for (PetscInt row = 0; row < A->rmap->n; row++) {
    PetscCall(HeptaForSetInRow(A, row, [&](bool ghost, PetscInt column, size_t at) {
      if (ghost) f(row / bs, HEPTA_ELSEWHERE, ghosts.Value(at));
      else f(row / bs, (column - start) / bs, local.single ? (PetscReal)((const float *)v)[at] : PetscRealPart(((const PetscScalar *)v)[at]));
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

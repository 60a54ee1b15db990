/* The arrays of vectors and dense matrices that a solve works on */
#pragma once

#include "factors.h"

/* Calls solve(space, Vectors) for b and x; x may not be b */
template <class F> PetscErrorCode HeptaForVec(Vec b, Vec x, F solve)
{
  HeptaArrays         p;
  hepta::bbs::Vectors v = {};

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(b, nullptr, x, &p));
  v.b     = p.x;
  v.x     = p.y;
  v.count = 1;
  PetscCall(solve(p.space, v));
  PetscCall(HeptaArraysRestore(b, nullptr, x, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for the columns of two dense matrices, at a time as many as 1 GB holds, in whole packs where that is not all, of which a grid has 65535 at most; engine `together` works in 2 GB then */
template <class F> PetscErrorCode HeptaForDense(Mat B, Mat X, F solve)
{
  constexpr size_t    most = (size_t)1 << 30;
  hepta::bbs::Vectors v    = {};
  const PetscScalar  *b;
  PetscScalar        *x;
  PetscMemType        type[2];
  PetscInt            ldb, ldx;
  HeptaSpace          space;

  PetscFunctionBegin;
  PetscCall(MatDenseGetLDA(B, &ldb));
  PetscCall(MatDenseGetLDA(X, &ldx));
  PetscCall(MatDenseGetArrayReadAndMemType(B, &b, &type[0]));
  PetscCall(MatDenseGetArrayWriteAndMemType(X, &x, &type[1]));
  PetscCheck(PetscMemTypeDevice(type[0]) == PetscMemTypeDevice(type[1]), PetscObjectComm((PetscObject)B), PETSC_ERR_SUP, "bbs: the right-hand sides (%s) and the solutions (%s) must be of one type", ((PetscObject)B)->type_name,
             ((PetscObject)X)->type_name);
  PetscCall(HeptaSpaceOf(type[0], &space));
  PetscInt step = (PetscInt)PetscClipInterval(most / (sizeof(PetscScalar) * (size_t)PetscMax(1, B->rmap->n)), (size_t)1, (size_t)65535 * hepta::bbs::vectors_together);
  if (step > hepta::bbs::vectors_together) step -= step % hepta::bbs::vectors_together;
  for (PetscInt k = 0; k < B->cmap->n; k += (PetscInt)v.count) {
    v.b     = b + (size_t)k * ldb;
    v.x     = x + (size_t)k * ldx;
    v.ldb   = (size_t)ldb;
    v.ldx   = (size_t)ldx;
    v.count = (int)PetscMin(step, B->cmap->n - k);
    PetscCall(solve(space, v));
  }
  PetscCall(MatDenseRestoreArrayWriteAndMemType(X, &x));
  PetscCall(MatDenseRestoreArrayReadAndMemType(B, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

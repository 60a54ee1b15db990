#include "arrays.h"

/* The arrays of the vectors where they are, without copies; *same <- are all in one memory? *type <- which memory */
static PetscErrorCode GetInPlace(Vec x, Vec z, Vec y, HeptaArrays *p, PetscMemType *type, bool *same)
{
  PetscMemType types[3] = {PETSC_MEMTYPE_HOST, PETSC_MEMTYPE_HOST, PETSC_MEMTYPE_HOST};
  const Vec    vecs[3]  = {x, y, z};
  bool         first    = true;

  PetscFunctionBegin;
  if (x) PetscCall(VecGetArrayReadAndMemType(x, &p->x, &types[0]));
  if (y && z == y) PetscCall(VecGetArrayAndMemType(y, &p->y, &types[1]));
  else if (y) PetscCall(VecGetArrayWriteAndMemType(y, &p->y, &types[1]));
  if (z && z == y) types[2] = types[1];
  else if (z) PetscCall(VecGetArrayReadAndMemType(z, &p->z, &types[2]));
  if (z && z == y) p->z = p->y;
  *type = PETSC_MEMTYPE_HOST;
  *same = true;
  for (int k = 0; k < 3; k++) {
    if (!vecs[k]) continue;
    if (first) *type = types[k];
    else *same = *same && PetscMemTypeHost(*type) == PetscMemTypeHost(types[k]);
    first = false;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaArraysGet(Vec x, Vec z, Vec y, HeptaArrays *p)
{
  PetscMemType type = PETSC_MEMTYPE_HOST;
  bool         same = true;

  PetscFunctionBegin;
  *p = HeptaArrays();
  PetscCall(GetInPlace(x, z, y, p, &type, &same));
  if (same) {
    PetscCall(HeptaSpaceOf(type, &p->space));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(HeptaArraysRestore(x, z, y, p));
  p->fetched = true;
  if (x) PetscCall(VecGetArrayRead(x, &p->x));
  if (y && z == y) PetscCall(VecGetArray(y, &p->y));
  else if (y) PetscCall(VecGetArrayWrite(y, &p->y));
  if (z && z != y) PetscCall(VecGetArrayRead(z, &p->z));
  if (z && z == y) p->z = p->y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaArraysRestore(Vec x, Vec z, Vec y, HeptaArrays *p)
{
  PetscFunctionBegin;
  if (z && z != y) PetscCall(p->fetched ? VecRestoreArrayRead(z, &p->z) : VecRestoreArrayReadAndMemType(z, &p->z));
  if (y && z == y) PetscCall(p->fetched ? VecRestoreArray(y, &p->y) : VecRestoreArrayAndMemType(y, &p->y));
  else if (y) PetscCall(p->fetched ? VecRestoreArrayWrite(y, &p->y) : VecRestoreArrayWriteAndMemType(y, &p->y));
  if (x) PetscCall(p->fetched ? VecRestoreArrayRead(x, &p->x) : VecRestoreArrayReadAndMemType(x, &p->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaVecSpace(Vec v, HeptaSpace *space)
{
  HeptaArrays p;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(v, nullptr, nullptr, &p));
  PetscCall(HeptaArraysRestore(v, nullptr, nullptr, &p));
  *space = p.space;
  PetscFunctionReturn(PETSC_SUCCESS);
}

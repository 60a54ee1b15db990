#include "arrays.h"

/*
   The arrays of the vectors, on the host if p->fetched, otherwise in place without copies. types[] <- the memories of x, y, z,
   unless p->fetched.
*/
static PetscErrorCode Get(Vec x, Vec z, Vec y, HeptaArrays *p, PetscMemType types[3])
{
  PetscFunctionBegin;
  if (x) PetscCall(p->fetched ? VecGetArrayRead(x, &p->x) : VecGetArrayReadAndMemType(x, &p->x, &types[0]));
  if (y && z == y) PetscCall(p->fetched ? VecGetArray(y, &p->y) : VecGetArrayAndMemType(y, &p->y, &types[1]));
  else if (y) PetscCall(p->fetched ? VecGetArrayWrite(y, &p->y) : VecGetArrayWriteAndMemType(y, &p->y, &types[1]));
  if (z && z == y) p->z = p->y;
  else if (z) PetscCall(p->fetched ? VecGetArrayRead(z, &p->z) : VecGetArrayReadAndMemType(z, &p->z, &types[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaArraysGet(Vec x, Vec z, Vec y, HeptaArrays *p)
{
  const Vec    vecs[3]  = {x, y, z == y ? nullptr : z};
  PetscMemType types[3] = {PETSC_MEMTYPE_HOST, PETSC_MEMTYPE_HOST, PETSC_MEMTYPE_HOST}, type = PETSC_MEMTYPE_HOST;
  bool         on_host = false;

  PetscFunctionBegin;
  *p = HeptaArrays();
  PetscCall(Get(x, z, y, p, types));
  for (int k = 0; k < 3; k++) {
    if (!PetscMemTypeHost(types[k])) type = types[k];
    else on_host = on_host || vecs[k];
  }
  if (on_host && !PetscMemTypeHost(type)) {
    PetscCall(HeptaArraysRestore(x, z, y, p));
    p->fetched = true;
    PetscCall(Get(x, z, y, p, types));
  } else PetscCall(HeptaSpaceOf(type, &p->space));
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

static PetscErrorCode OnDevice(Vec v, PetscBool *device)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, device, VECSEQCUDA, VECCUDA, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaVecFree(Vec *v)
{
  PetscBool device;

  PetscFunctionBegin;
  if (!*v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OnDevice(*v, &device));
  PetscCall(VecDestroy(v));
#if defined(HEPTA_HAVE_CUDA)
  if (device) hepta::count_device_free(); /* a recording may have the address */
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeptaVecMake(PetscInt n, bool device, Vec *v)
{
  PetscBool on_device;
  PetscInt  size;

  PetscFunctionBegin;
  if (*v) {
    PetscCall(OnDevice(*v, &on_device));
    PetscCall(VecGetLocalSize(*v, &size));
    if (size == n && device == (bool)on_device) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(HeptaVecFree(v));
  }
  PetscCall(VecCreate(PETSC_COMM_SELF, v));
  PetscCall(VecSetSizes(*v, n, n));
  PetscCall(VecSetType(*v, device ? VECCUDA : VECSTANDARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

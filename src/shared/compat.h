/* What Hepta uses of PETSc 3.26 in the words of earlier versions, from 3.23 on: see scripts/check_versions.sh */
#pragma once

#include <petscksp.h>

/* The block size of a layout: where none is set 1, for which layouts have -1 before PETSc 3.23 */
static inline PetscInt HeptaBlockSize(PetscLayout map)
{
  return PetscAbs(map->bs);
}

#if PETSC_VERSION_LT(3, 26, 0)
  #include <petscblaslapack.h>

  #define PetscCallLAPACKInfo(name, routine) \
    do { \
      PetscBLASInt info = 0; \
      PetscCallBLAS(name, routine); \
      PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "LAPACK routine %s failed with INFO = %d", name, (int)info); \
    } while (0)
#endif

#if PETSC_VERSION_LT(3, 25, 0)
typedef void **PetscCtxRt;

/* Mat_Product::destroy, which gets the data itself before 3.25, and their address since */
template <PetscErrorCode (*destroy)(PetscCtxRt)> PetscErrorCode HeptaDestroyProduct(void *data)
{
  return destroy(&data);
}
#else
template <PetscErrorCode (*destroy)(PetscCtxRt)> PetscErrorCode HeptaDestroyProduct(PetscCtxRt data)
{
  return destroy(data);
}
#endif

#if PETSC_VERSION_LT(3, 24, 0)
typedef PetscErrorCode KSPMonitorFn(KSP, PetscInt, PetscReal, void *);

static inline PetscErrorCode HeptaOptionsBool3(PetscOptionItems PetscOptionsObject, const char key[], const char text[],
                                               const char man[], PetscBool3 current, PetscBool3 *value, PetscBool *set)
{
  PetscBool now = (PetscBool)(current == PETSC_BOOL3_TRUE), found;

  PetscFunctionBegin;
  PetscCall(PetscOptionsBool_Private(PetscOptionsObject, key, text, man, now, &now, &found));
  if (found) *value = now ? PETSC_BOOL3_TRUE : PETSC_BOOL3_FALSE;
  if (set) *set = found;
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #define PetscOptionsBool3(...) HeptaOptionsBool3(PetscOptionsObject, __VA_ARGS__)
#endif

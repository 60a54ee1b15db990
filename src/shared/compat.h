/* What Hepta uses of PETSc 3.26 in the words of earlier versions, from 3.22 on: see scripts/check_versions.sh */
#pragma once

#include <petscksp.h>

/* The block size of a layout: where none is set 1, for which layouts have -1 before PETSc 3.23 */
static inline PetscInt HeptaBlockSize(PetscLayout map)
{
  return PetscAbs(map->bs);
}

/* MatRetrieveValues() raises the state of the matrix since 3.26 */
#define HEPTA_RETRIEVE_RAISES_STATE PETSC_VERSION_GE(3, 26, 0)

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
typedef void  *PetscCtx;
typedef void **PetscCtxRt;
#endif

#ifdef __cplusplus
/* Mat_Product::destroy gets the data before 3.25, and the address of the data since */
  #if PETSC_VERSION_LT(3, 25, 0)
template <PetscErrorCode (*destroy)(PetscCtxRt)> PetscErrorCode HeptaDestroyData(void *data)
{
  return destroy(&data);
}
  #else
template <PetscErrorCode (*destroy)(PetscCtxRt)> PetscErrorCode HeptaDestroyData(PetscCtxRt data)
{
  return destroy(data);
}
  #endif
#endif

#if PETSC_VERSION_LT(3, 23, 0)
  /* the headers that name the struct PetscOptionItems, before the macro */
  #include <petsc/private/dmdaimpl.h>
  #include <petsc/private/kspimpl.h>
  #include <petsc/private/pcimpl.h>
  #include <petsctao.h>
  #include <petscts.h>

/* PetscOptionItems is a pointer since 3.23, and the struct before */
typedef PetscOptionItems HeptaOptionItems;
  #define PetscOptionItems HeptaOptionItems *

  #define HEPTA_OPTIONS_BEGIN(options_, begin) \
    do { \
      HeptaOptionItems PetscOptionsItems_; \
      PetscOptionItems PetscOptionsObject = &PetscOptionsItems_; \
      PetscCall(PetscMemzero(PetscOptionsObject, sizeof(*PetscOptionsObject))); \
      PetscOptionsObject->options = options_; \
      for (PetscOptionsObject->count = PetscOptionsPublish ? -1 : 1; PetscOptionsObject->count < 2; \
           PetscOptionsObject->count++) { \
        PetscCall(begin)
  #undef PetscOptionsBegin
  #define PetscOptionsBegin(comm, prefix, title, pages) \
    HEPTA_OPTIONS_BEGIN(NULL, PetscOptionsBegin_Private(PetscOptionsObject, comm, prefix, title, pages))
  #undef PetscObjectOptionsBegin
  #define PetscObjectOptionsBegin(object) \
    HEPTA_OPTIONS_BEGIN((object)->options, PetscObjectOptionsBegin_Private(object, PetscOptionsObject))

static inline PetscErrorCode PetscObjectHasFunction(PetscObject object, const char name[], PetscBool *has)
{
  PetscErrorCode (*f)(void);

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(PetscObjectQueryFunction(object, name, &f));
  if (f) *has = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode HeptaFreeData(PetscCtxRt data)
{
  return PetscFree(*data);
}
  #define PetscCtxDestroyDefault HeptaFreeData

  /* the address of a pointer of any type, which converts to void * since 3.23, and not to void ** before */
  #define PetscContainerGetPointer(container, data)     PetscContainerGetPointer(container, (void **)(data))
  #define PetscObjectContainerQuery(object, name, data) PetscObjectContainerQuery(object, name, (void **)(data))
  #ifdef __cplusplus
    /* the destroy function of a container gets the data before 3.23, and the address of the data since */
    #define PetscObjectContainerCompose(object, name, data, destroy) \
      PetscObjectContainerCompose(object, name, data, HeptaDestroyData<destroy>)
  #endif
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

/* Values and views of a storage or a ghost part, by the type of the stored values */
#pragma once

#include "../../shared/space.h"

/*
   Calls f with a view of a storage or a ghost part, in the given space and of the type of its values:
   f(View<PetscScalar>) or f(View<float>); f returns a PetscErrorCode
*/
template <class D, class F> PetscErrorCode HeptaVisit(D &d, const HeptaSpace &space, HeptaAccess access, F f)
{
  PetscFunctionBegin;
  if (d.single) {
    typename D::template ViewOf<float> view{};
    PetscCall(d.Typed(space, access, &view));
    PetscCall(f(view));
  } else {
    typename D::template ViewOf<PetscScalar> view{};
    PetscCall(d.Typed(space, access, &view));
    PetscCall(f(view));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   HeptaVisit() with a launcher called by HeptaLaunch() or HeptaLaunchEach(): HeptaVisitLaunch(storage, space, HeptaAccess::read,
   spmv, x, z, y)
*/
#define HeptaVisitBy(launch, part, space, access, name, ...) \
  HeptaVisit(part, space, access, [&](auto view) { \
    launch(space, name, view, __VA_ARGS__); \
    return PETSC_SUCCESS; \
  })
#define HeptaVisitLaunch(...)     HeptaVisitBy(HeptaLaunch, __VA_ARGS__)
#define HeptaVisitLaunchEach(...) HeptaVisitBy(HeptaLaunchEach, __VA_ARGS__)

/* HeptaVisit() with a function for the host: HeptaVisitHost(storage, HeptaAccess::read_write, zero_rows, row, col) */
#define HeptaVisitHost(part, access, name, ...) \
  HeptaVisit(part, HeptaSpace(), access, [&](auto view) { \
    name(view, __VA_ARGS__); \
    return PETSC_SUCCESS; \
  })

/* Calls f with the values alone: f(PetscScalar *) or f(float *) */
template <class D, class F> PetscErrorCode HeptaVisitValues(D &d, const HeptaSpace &space, HeptaAccess access, F f)
{
  void *v;

  PetscFunctionBegin;
  PetscCall(d.values.Access(space, access, &v));
  PetscCall(d.single ? f((float *)v) : f((PetscScalar *)v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

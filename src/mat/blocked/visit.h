/* From a local part to its storage, and from there to the views that launchers take */
#pragma once

#include <type_traits>

#include "../bdia/diagonals.h"
#include "../brow/block_rows.h"
#include "ghost.h"

/* Calls f with the local part as what it is, and gives what f gives: the one place that knows which storages there are */
template <class L, class F> auto HeptaWith(L &local, F f)
{
  using Diagonals = std::conditional_t<std::is_const_v<L>, const hepta::bdia::Diagonals, hepta::bdia::Diagonals>;
  using BlockRows = std::conditional_t<std::is_const_v<L>, const hepta::brow::BlockRows, hepta::brow::BlockRows>;

  if (local.storage == HeptaStorage::rows) return f(static_cast<BlockRows &>(local));
  return f(static_cast<Diagonals &>(local));
}

/* Calls f(storage, stored type), the second as a zero: f(storage, PetscScalar()) or f(storage, float()) */
template <class F> PetscErrorCode HeptaWithStored(HeptaLocal &local, F f)
{
  return HeptaWith(local, [&](auto &d) { return d.single ? f(d, float()) : f(d, PetscScalar()); });
}

/*
   Calls f with a view, in the given space, of the right stored type, of a local part, a storage or a ghost part:
   f(View<PetscScalar>) or f(View<float>); f returns a PetscErrorCode
*/
template <class D, class F> PetscErrorCode HeptaVisit(D &d, const HeptaSpace &space, HeptaAccess access, F f)
{
  PetscFunctionBegin;
  if constexpr (std::is_same_v<D, HeptaLocal>) {
    PetscCall(HeptaWith(d, [&](auto &part) { return HeptaVisit(part, space, access, f); }));
  } else if (d.single) {
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

/* The same on the host, to read */
template <class D, class F> PetscErrorCode HeptaRead(D &d, F f)
{
  return HeptaVisit(d, HeptaSpace(), HeptaAccess::read, f);
}

/* The same on the host, to change */
template <class D, class F> PetscErrorCode HeptaEdit(D &d, F f)
{
  return HeptaVisit(d, HeptaSpace(), HeptaAccess::read_write, f);
}

/* Calls f with what transposed products of a local part take in the given space, to read */
template <class F> PetscErrorCode HeptaVisitBoth(HeptaLocal &local, const HeptaSpace &space, F f)
{
  return HeptaWithStored(local, [&](auto &part, auto stored) {
    typename std::remove_reference_t<decltype(part)>::template BothOf<decltype(stored)> both{};

    PetscFunctionBegin;
    PetscCall(part.TypedBoth(space, &both));
    PetscCall(f(both));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

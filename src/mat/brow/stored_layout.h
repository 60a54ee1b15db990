/* A layout of blocked rows in the memory of the host, of the device, or both */
#pragma once

#include "../../shared/space.h"
#include "brow_layout_device.hxx"
#include "brow_layout.hxx"

namespace hepta::brow
{

struct StoredLayout : Layout {
  bool only_on_device = false; /* the tables were made on the device: the host's tables are empty until ToHost() */

  /* sets a layout, with its tables on the host only: copies on the device become invalid; allocates the work space of products */
  PetscErrorCode Set(Layout &&);
  PetscErrorCode ToHost();
#if defined(HEPTA_HAVE_CUDA)
  /* allocates the tables on the device, for the caller to fill, and the work space; all sizes must be known */
  PetscErrorCode Make(const HeptaSpace &, Tables *);
#endif
  /* *A <- the view in the given space, with values v */
  template <class V> PetscErrorCode GetView(const HeptaSpace &space, V *v, View<V> *A)
  {
    PetscFunctionBegin;
    *A = view(v);
    if (space.device) PetscCall(FillOnDevice(space, *A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  struct Device {
    HeptaTable<Index>  perm, position, length, col, part;
    HeptaTable<size_t> first;
    HeptaValues        work, arrived;
  } device;

  PetscErrorCode FillOnDevice(const HeptaSpace &, Structure &);
  PetscErrorCode MakeWork();
  /* calls f(table on the device, table on the host, the pointer in `to`, number of elements) for each table */
  template <class P, class F> PetscErrorCode ForTables(P &to, F f)
  {
    PetscFunctionBegin;
    PetscCall(f(device.perm, perm, to.perm, positions()));
    PetscCall(f(device.position, position, to.position, (size_t)nbr));
    PetscCall(f(device.length, length, to.length, positions()));
    PetscCall(f(device.first, first, to.first, groups()));
    PetscCall(f(device.col, col, to.col, total));
    PetscCall(f(device.part, part, to.part, (size_t)nlong + 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace hepta::brow

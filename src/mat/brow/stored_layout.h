/* A layout of blocked rows in the memory of the host, of the device, or both */
#pragma once

#include "../../shared/space.h"
#include "brow_layout_device.hxx"
#include "brow_layout.hxx"

namespace hepta::brow
{

struct StoredLayout : Layout {
  bool only_on_device = false; /* the tables were made on the device: those of the host are empty until ToHost() */

  /* another layout, with its tables on the host; none on the device yet */
  PetscErrorCode Set(Layout &&);
  /* the tables, and what products need besides, are no longer on the device; there is room for the latter */
  PetscErrorCode Changed();
  PetscErrorCode ToHost();
#if defined(HEPTA_HAVE_CUDA)
  /* room on the device for tables that are made there: those of rows, of a layout with nslices and nlong; then, with all sizes known, the columns */
  PetscErrorCode MakeRows(const HeptaSpace &, RowTables *);
  PetscErrorCode MakeColumns(const HeptaSpace &, Index **col);
#endif
  /* in the given space, with values v */
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
};

} // namespace hepta::brow

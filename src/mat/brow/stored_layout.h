/* A layout of blocked rows in the memory of the host, of the device, or both */
#pragma once

#include "../../shared/space.h"
#include "brow_layout_device.hxx"
#include "brow_layout.hxx"

namespace hepta::brow
{

struct StoredLayout : Layout {
  bool only_on_device = false; /* the tables were made on the device: those of the host are empty until ToHost() */

  /* sets a layout, with its tables on the host only */
  PetscErrorCode Set(Layout &&);
  /* to be called when the tables have changed: copies on the device become invalid; allocates the work space of products */
  PetscErrorCode Changed();
  PetscErrorCode ToHost();
#if defined(HEPTA_HAVE_CUDA)
  /* allocate tables on the device that are filled there: first those of rows, when nslices and nlong are known; then, when all sizes are known, the columns */
  PetscErrorCode MakeRows(const HeptaSpace &, RowTables *);
  PetscErrorCode MakeColumns(const HeptaSpace &, Index **col);
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
};

} // namespace hepta::brow

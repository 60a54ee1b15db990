#include "stored_layout.h"

namespace hepta::brow
{

PetscErrorCode StoredLayout::Set(Layout &&with)
{
  PetscFunctionBegin;
  static_cast<Layout &>(*this) = std::move(with);
  only_on_device               = false;
  PetscCall(Changed());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoredLayout::Changed()
{
  PetscFunctionBegin;
  for (auto *table : {&device.perm, &device.position, &device.length, &device.col, &device.part}) table->Invalidate();
  device.first.Invalidate();
  PetscCall(MakeWork());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoredLayout::MakeWork()
{
  PetscFunctionBegin;
  PetscCall(device.work.Resize((size_t)parts * bs * sizeof(Scalar)));
  PetscCall(device.arrived.Resize((size_t)nlong * sizeof(unsigned)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoredLayout::FillOnDevice(const HeptaSpace &space, Structure &A)
{
  PetscFunctionBegin;
  PetscCall(device.perm.Get(space, perm, &A.perm));
  PetscCall(device.position.Get(space, position, &A.position));
  PetscCall(device.length.Get(space, length, &A.length));
  PetscCall(device.first.Get(space, first, &A.first));
  PetscCall(device.col.Get(space, col, &A.col));
  PetscCall(device.part.Get(space, part, &A.part));
  PetscCall(device.work.Access(space, HeptaAccess::write, &A.work));
  PetscCall(device.arrived.Access(space, HeptaAccess::write, &A.arrived));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoredLayout::ToHost()
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  HeptaSpace space;

  if (!only_on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &space));
  PetscCall(device.perm.Bring(space, positions(), perm));
  PetscCall(device.position.Bring(space, (size_t)nbr, position));
  PetscCall(device.length.Bring(space, positions(), length));
  PetscCall(device.first.Bring(space, groups(), first));
  PetscCall(device.col.Bring(space, total, col));
  PetscCall(device.part.Bring(space, (size_t)nlong + 1, part));
  only_on_device = false;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
PetscErrorCode StoredLayout::MakeRows(const HeptaSpace &space, RowTables *T)
{
  PetscFunctionBegin;
  PetscCall(device.perm.Make(space, positions(), &T->perm));
  PetscCall(device.position.Make(space, (size_t)nbr, &T->position));
  PetscCall(device.length.Make(space, positions(), &T->length));
  PetscCall(device.part.Make(space, (size_t)nlong + 1, &T->part));
  PetscCall(device.first.Make(space, groups() + 1, &T->first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoredLayout::MakeColumns(const HeptaSpace &space, Index **columns)
{
  PetscFunctionBegin;
  PetscCall(MakeWork());
  PetscCall(device.col.Make(space, total, columns));
  only_on_device = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace hepta::brow

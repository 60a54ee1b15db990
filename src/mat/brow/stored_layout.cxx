#include "stored_layout.h"

namespace hepta::brow
{

PetscErrorCode StoredLayout::Set(Layout &&with)
{
  PetscFunctionBegin;
  static_cast<Layout &>(*this) = std::move(with);
  only_on_device               = false;
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
  PetscCall(ForTables(A, [&](auto &table, const auto &host, auto &p, size_t) { return table.Get(space, host, &p); }));
  PetscCall(device.work.Access(space, HeptaAccess::write, &A.work));
  PetscCall(device.arrived.Access(space, HeptaAccess::write, &A.arrived));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoredLayout::ToHost()
{
  PetscFunctionBegin;
#if defined(HEPTA_HAVE_CUDA)
  HeptaSpace space;
  Structure  none;

  if (!only_on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(HeptaSpaceOf(PETSC_MEMTYPE_CUDA, &space));
  PetscCall(ForTables(none, [&](auto &table, auto &host, auto &, size_t n) { return table.Bring(space, n, host); }));
  only_on_device = false;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(HEPTA_HAVE_CUDA)
PetscErrorCode StoredLayout::Make(const HeptaSpace &space, Tables *T)
{
  PetscFunctionBegin;
  PetscCall(ForTables(*T, [&](auto &table, auto &, auto &p, size_t n) { return table.Make(space, n, &p); }));
  PetscCall(MakeWork());
  only_on_device = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace hepta::brow

/* COO assembly of blocked rows with the locations analyzed on the device */
#if defined(HEPTA_HAVE_CUDA)

  #include "../blocked/coo_device.h"
  #include "block_rows.h"
  #include "brow_coo.hxx"

namespace hepta::brow
{

PetscErrorCode BlockRows::PlanCOO(const blocked::Settings &, const HeptaSpace &space, size_t n, const PetscInt i[], const PetscInt j[], blocked::COOPlan &plan, bool *done)
{
  const blocked::CooEntries entries{n, i, j};
  View<PetscScalar>         A;

  PetscFunctionBegin;
  *done = false;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  {
    CooRows rows;
    PetscCallHepta(rows.Take((Index)this->rows, (Index)cols, entries, space.stream));
    *done = !rows.outside && !rows.entries; /* all entries may be in other ranks' columns */
    if (*done) PetscCall(plan.source.Resize(Size() * sizeof(uint32_t)));
    if (rows.outside || !rows.csr.i) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PresetOnDevice(space, rows.csr, done));
  }
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(layout.GetView(space, (PetscScalar *)nullptr, &A));
  PetscCall(blocked::COOPlanOnDevice(A, space, Size(), entries, nullptr, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::brow

#endif

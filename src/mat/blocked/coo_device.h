/* What storages share when they plan COO assembly on the device */
#pragma once

#include "coo.hxx"
#include "plans.h"

#if defined(HEPTA_HAVE_CUDA)

namespace hepta::blocked
{

/* n duplicates of COO entries, sorted on the device, as runs on the host */
template <class View> PetscErrorCode COODuplicates(const View &A, const HeptaSpace &space, const CooEntries &entries, const uint32_t *first, size_t n, COORuns &runs)
{
  HeptaValues memory[2];
  uint64_t   *p[2];

  PetscFunctionBegin;
  runs.first.push_back(0);
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; k++) PetscCall(memory[k].Make(space, n, &p[k]));
  PetscCallHepta(coo_duplicates_cuda(A, entries, first, n, p[0], p[1], space.stream));
  for (int k = 0; k < 2; k++) PetscCall(memory[k].Access(HeptaSpace(), HeptaAccess::read, &p[k]));
  runs.slot.assign(p[0], p[0] + n);
  runs.perm.assign(p[1], p[1] + n);
  for (size_t k = 1; k < n; k++) {
    if (runs.slot[k] != runs.slot[k - 1]) runs.first.push_back(k);
  }
  runs.first.push_back(n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan's source and runs for entries that all have a slot in A; set, unless it is null, as coo_sources_cuda() has it */
template <class View> PetscErrorCode COOPlanOnDevice(const View &A, const HeptaSpace &space, size_t slots, const CooEntries &entries, uint32_t *set, COOPlan &plan)
{
  HeptaValues         duplicates;
  uint32_t           *first;
  unsigned long long *d;

  PetscFunctionBegin;
  PetscCall(duplicates.Resize(sizeof(unsigned long long)));
  PetscCall(duplicates.Zero(space));
  PetscCall(duplicates.Access(space, HeptaAccess::read_write, &d));
  PetscCall(plan.source_table.Make(space, slots, &first));
  PetscCallHepta(coo_first_cuda(A, entries, slots, first, d, space.stream));
  PetscCall(duplicates.Access(HeptaSpace(), HeptaAccess::read, &d));
  PetscCall(COODuplicates(A, space, entries, first, (size_t)*d, plan.runs));
  PetscCallHepta(coo_sources_cuda(slots, first, set, space.stream));
  plan.on_device = slots;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::blocked

#endif

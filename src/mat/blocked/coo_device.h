/* Planning COO assembly on the device, for all storages */
#pragma once

#include "coo.hxx"
#include "plans.h"

#if defined(HEPTA_HAVE_CUDA)

namespace hepta::blocked
{

/* runs <- the n duplicates among the COO entries, sorted by slot */
template <class View>
PetscErrorCode COODuplicates(const View &A, const HeptaSpace &space, const CooEntries &entries, size_t given,
                             const uint32_t *first, size_t n, COORuns &runs)
{
  HeptaValues begins;
  size_t     *slot, *perm, *begin, *kept;

  PetscFunctionBegin;
  runs.n = n;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(runs.slot.Make(space, n, &slot));
  PetscCall(runs.perm.Make(space, n, &perm));
  PetscCall(begins.Make(space, n, &begin));
  PetscCallHepta(coo_duplicates_cuda(A, entries, given, first, n, (uint64_t *)slot, (uint64_t *)perm, space.stream));
  PetscCallHepta(coo_begins_cuda(n, slot, begin, &runs.count, space.stream));
  PetscCall(runs.first.Make(space, runs.count + 1, &kept));
  PetscCallHepta(hepta::copy_on_device(kept, begin, runs.count * sizeof(size_t), space.stream));
  PetscCallHepta(hepta::copy_to_device(kept + runs.count, &n, sizeof(n), space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Makes the plan's source and runs for entries that all have a slot in A, first the given entries, then the arriving entries;
   set: see coo_sources_cuda()
*/
template <class View>
PetscErrorCode COOPlanOnDevice(const View &A, const HeptaSpace &space, size_t slots, const CooEntries &entries, uint32_t *set,
                               COOPlan &plan)
{
  HeptaValues         duplicates;
  uint32_t           *first;
  unsigned long long *d;

  PetscFunctionBegin;
  PetscCall(duplicates.Resize(sizeof(unsigned long long)));
  PetscCall(duplicates.Zero(space));
  PetscCall(duplicates.Access(space, HeptaAccess::read_write, &d));
  PetscCall(plan.source.Make(space, slots, &first));
  PetscCallHepta(coo_first_cuda(A, entries, (size_t)plan.n, slots, first, d, space.stream));
  PetscCall(duplicates.Access(HeptaSpace(), HeptaAccess::read, &d));
  PetscCall(COODuplicates(A, space, entries, (size_t)plan.n, first, (size_t)*d, plan.runs));
  PetscCallHepta(coo_sources_cuda((size_t)plan.n, slots, first, set, space.stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace hepta::blocked

#endif

/* The steps of planning COO assembly that host and device share */
#pragma once

#include "blocked.h"

namespace hepta::blocked
{

/* Entries of this rank's rows: given here, then those that arrive; perm: the number of their values, as in COOPlan */
struct RankEntries {
  std::vector<PetscInt> i, j;
  std::vector<size_t>   perm;
};

} // namespace hepta::blocked

static inline bool MatBlockedOwnsColumn(Mat A, PetscInt j)
{
  return j >= A->cmap->rstart && j < A->cmap->rend;
}

/* Collects the entries of this rank's rows, of n given ones and of those that arrive, and plans the exchange. number[k]: which value entry k has, k itself where `number` is null. Collective. */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOExchange(Mat, PetscCount n, const PetscInt i[], const PetscInt j[], const size_t number[], hepta::blocked::COOPlan &, hepta::blocked::RankEntries &);
/* The structure of the ghost part has the entries in other ranks' columns, once MatBlockedFinish() has built it; and where their values go then */
PETSC_INTERN PetscErrorCode MatBlockedPendingCOOGhost(Mat, const hepta::blocked::RankEntries &);
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOGhost(Mat, const hepta::blocked::RankEntries &, hepta::blocked::COOPlan &);
/* blocked_coo_device.cxx: what the entries in device memory need, and where their values go; not done, on all ranks: it is left to the host. Collective */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOOnDevice(Mat, const HeptaSpace &, const PetscInt i[], const PetscInt j[], hepta::blocked::COOPlan &, bool *done);

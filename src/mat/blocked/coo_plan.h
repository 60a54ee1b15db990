/* The steps of planning COO assembly that host and device share */
#pragma once

#include "blocked.h"

namespace hepta::blocked
{

/* Entries in this rank's rows: first those given here, then those that arrive; perm: the numbers of their values, as in COOPlan */
struct RankEntries {
  std::vector<PetscInt> i, j;
  std::vector<size_t>   perm;
};

} // namespace hepta::blocked

static inline bool MatBlockedOwnsColumn(Mat A, PetscInt j)
{
  return j >= A->cmap->rstart && j < A->cmap->rend;
}

/* Collects the entries in this rank's rows from n given ones and from those that arrive, and plans the exchange. number[k]: the number of the value of entry k; null: k. Collective. */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOExchange(Mat, PetscCount n, const PetscInt i[], const PetscInt j[], const size_t number[], hepta::blocked::COOPlan &, hepta::blocked::RankEntries &);
/* Two steps for entries in other ranks' columns: adds them to those from which MatBlockedFinish() makes the ghost part; and, after that, finds their slots */
PETSC_INTERN PetscErrorCode MatBlockedPendingCOOGhost(Mat, const hepta::blocked::RankEntries &);
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOGhost(Mat, const hepta::blocked::RankEntries &, hepta::blocked::COOPlan &);
/* blocked_coo_device.cxx: makes the structure and the plan from entries in device memory; if *done is false, on all ranks, the host has to do it. Collective */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOOnDevice(Mat, const HeptaSpace &, const PetscInt i[], const PetscInt j[], hepta::blocked::COOPlan &, bool *done);

/* The steps of planning COO assembly that host and device share */
#pragma once

#include "blocked.h"

static inline bool MatBlockedOwnsColumn(Mat A, PetscInt j)
{
  return j >= A->cmap->rstart && j < A->cmap->rend;
}

/* Collects the entries in this rank's rows from n given ones and from those that arrive, and plans the exchange. number[k]: the number of the value of entry k; null: k. Collective. */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOExchange(Mat, PetscCount n, const PetscInt i[], const PetscInt j[], const size_t number[], hepta::blocked::COOPlan &, hepta::blocked::RankEntries &);
/* MatBlockedFinish() after the local part was planned, with the entries in other ranks' columns, for whose values it plans too. Collective */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOGhost(Mat, const hepta::blocked::RankEntries &, hepta::blocked::COOPlan &);
/* blocked_coo_device.cxx: makes the structure and the plan from entries in device memory; if *done is false, on all ranks, the host has to do it. Collective */
PETSC_INTERN PetscErrorCode MatBlockedPlanCOOOnDevice(Mat, const HeptaSpace &, const PetscInt i[], const PetscInt j[], hepta::blocked::COOPlan &, bool *done);

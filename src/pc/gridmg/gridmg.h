/* Multigrid on boxes of a grid on the PETSc side */
#pragma once

#include "gridmg_cycle.h"

struct PC_GridMG : HeptaPCData {
  HeptaGridMG cycle;
  PetscInt   grid_given[3] = {0, 0, 0};
  bool       presolved     = false; /* has a KSP said which method applies it? */

  HeptaCheckedNull checked_null[2]; /* of the preconditioner's matrix and of the operator */
};

static inline PC_GridMG *GridMG(PC pc)
{
  return (PC_GridMG *)pc->data;
}

/* Is this a PC gridmg? */
static inline bool HeptaIsGridMG(PC pc)
{
  PetscBool is;

  (void)PetscObjectTypeCompare((PetscObject)pc, PCGRIDMG, &is);
  return is;
}

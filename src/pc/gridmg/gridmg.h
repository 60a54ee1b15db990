/* Multigrid on boxes of a grid on the PETSc side */
#pragma once

#include "../multigrid.h"
#include "gridmg_cycle.h"

struct PC_GridMG : HeptaMultigridData<HeptaGridMG> {
  PetscInt grid_given[3] = {0, 0, 0};
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

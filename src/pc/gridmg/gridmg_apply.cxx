/* Applications of multigrid on boxes to vectors; the algorithm is in gridmg_cycle.cxx */
#include "../../shared/arrays.h"
#include "gridmg_cycle.h"

using namespace hepta::gridmg;

PetscLogDouble HeptaGridMG::Flops() const
{
  const PetscLogDouble n     = (PetscLogDouble)levels.back().cells;
  PetscLogDouble       cells = 0;

  for (size_t l = 0; l + 1 < levels.size(); l++) cells += (PetscLogDouble)levels[l].cells;
  return cells * (2. * (PetscLogDouble)choice.sweeps * (4 * axes + 2) + 4 * axes + 4) + 2 * n * n;
}

PetscErrorCode HeptaGridMG::Apply(Vec x, Vec y)
{
  HeptaArrays a;

  PetscFunctionBegin;
  PetscCall(HeptaArraysGet(x, nullptr, y, &a));
  if (choice.bf16) PetscCall((RedBlack<float, Bf16>(a.space, a.x, a.y)));
  else
    PetscCall(choice.storage == HEPTA_MAT_STORAGE_SINGLE ? RedBlack<float, float>(a.space, a.x, a.y)
                                                         : RedBlack<double, double>(a.space, a.x, a.y));
  PetscCall(HeptaArraysRestore(x, nullptr, y, &a));
  PetscCall(HeptaLogFlops(a.space, Flops()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool HeptaGridMG::TakeDouble()
{
  if (choice.storage_given || choice.storage != HEPTA_MAT_STORAGE_SINGLE) return false;
  choice.storage = HEPTA_MAT_STORAGE_DOUBLE;
  choice.bf16    = false;
  return true;
}

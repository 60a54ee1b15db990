/* Fused CG in float on the first level of PC gridmg, with residuals that are replaced in double */
#pragma once

#include <array>

#include "grid_kernels.hxx"

/* What a KSP keeps for fused CG in float */
struct HeptaGridCGData {
  enum Precision {
    AUTO,
    SINGLE,
    DOUBLE
  };
  HeptaValues vectors;       /* d, q and p of hepta::ksp::GridCG */
  HeptaValues parts;         /* `parts` of hepta::ksp::GridCG */
  HeptaValues solve, state;  /* a GridSolve; a State for passes outside of the iterations */
  bool        clean = false; /* are the vectors finite, with zeros around the cells of a grid of this shape, in this memory? */

  std::array<hepta::Index, 5> shape = {};
  std::string                 words; /* for KSPView(): what the last solve did */

  PetscErrorCode Free();
};

/*
   Decides whether the iterations are in float, and does iterations in float, from the residual in ksp->work[0] on. *left <- are
   iterations in double still to be done, after iteration *it, from x with its residual in ksp->work[0]?
*/
PETSC_INTERN PetscErrorCode HeptaFusedCGIterateGrid(KSP, bool null_last, int *it, bool *left);

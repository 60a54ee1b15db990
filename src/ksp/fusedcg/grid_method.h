/* A solve by fused CG in float, see grid_row.hxx */
#pragma once

#include "../../pc/gridmg/gridmg.h"
#include "fusedcg.h"

/* Numbers of vectors: 0 is x, then those of ksp->work */
enum {
  X,
  R
};

struct HeptaGridCG : HeptaFusedCGMethod {
  using HeptaFusedCGMethod::HeptaFusedCGMethod;

  hepta::ksp::GridCG    c        = {};
  hepta::ksp::GridSolve brought  = {};    /* from the passes, by Bring() */
  bool                  spoiled  = false; /* is a number of a vector not finite? */
  bool                  finished = false;
  HeptaGridMG          &cycle    = GridMG(ksp->pc)->mg;
  HeptaGridCGData      &own      = cg->grid;

  PetscErrorCode Fill() override;
  PetscErrorCode Start() override;
  PetscErrorCode Iterate(const HeptaSpace &) override;
  PetscErrorCode Broken(const hepta::ksp::State &) override;

  PetscErrorCode Begin(PetscReal rho); /* grid_setup.cxx; rho: the norm of the first residual */
  PetscErrorCode Bring();
  PetscErrorCode Finish();

  double Vectors() const; /* for HeptaKSPCounts */

private:
  void           Shape();
  PetscErrorCode Precondition(const HeptaSpace &);
  PetscErrorCode Replace(const HeptaSpace &, const hepta::ksp::GridCG &, PetscScalar sign, bool always);
  PetscErrorCode AddToX(PetscScalar sign);
};

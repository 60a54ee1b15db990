/* A solve by fused CG in float, see grid_row.hxx */
#pragma once

#include "../../pc/gridmg/gridmg.h"
#include "fusedcg.h"

struct HeptaGridCG : HeptaFusedCGMethod {
  using HeptaFusedCGMethod::HeptaFusedCGMethod;

  /* The residual is replaced when its norm has fallen by `fall`, and after `patience` iterations */
  static constexpr PetscInt patience = 10;

  hepta::ksp::GridCG     c         = {};
  hepta::ksp::GridScales scales    = {};
  HeptaCycle            &cycle     = GridMG(ksp->pc)->cycle;
  HeptaGridCGData       &own       = cg->grid;
  PetscReal              fall      = 1e-3;
  PetscReal              last      = 0; /* the norm of the residual that was replaced last */
  int                    replaced  = 0; /* the iteration after which that was: x is complete there */
  int                    count     = 0; /* of replacements */
  bool                   stagnates = false;

  PetscErrorCode Fill() override;
  PetscErrorCode Iterate(const HeptaSpace &) override;
  PetscErrorCode Replace(hepta::ksp::State *, hepta::ksp::Entry *) override;
  PetscErrorCode Broken(const hepta::ksp::State &) override;
  PetscReal      Least() const override { return PetscMax(ksp->ttol, fall * last); }
  PetscInt       Last() const override { return PetscMin(ksp->max_it, replaced + patience); }

  PetscErrorCode Begin(PetscReal rho); /* grid_setup.cxx; rho: the norm of the first residual */
  PetscErrorCode AddToX(PetscScalar sign);
  PetscErrorCode Undo(PetscReal *norm);
  PetscErrorCode ClearIncrement();
  PetscErrorCode TakeResidual();
  PetscErrorCode Sum(bool apply, PetscScalar sum[2]);

private:
  void           Shape();
  PetscErrorCode SetScales(PetscReal rho);
};

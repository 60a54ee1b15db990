/* A solve by fused CG in float inside an outer iteration in double, see FloatSolve */
#pragma once

#include "fusedcg.h"

struct HeptaFloatCG : HeptaFusedCGMethod {
  using HeptaFusedCGMethod::HeptaFusedCGMethod;

  hepta::ksp::CGOf<float> c    = {};
  hepta::ksp::State       last = {}; /* at the last outer step */
  Mat                     M    = nullptr;             /* the matrix of PC ip */
  float                  *values[2] = {};             /* of A' and of m M, or m times the inverse diagonal blocks */
  int                     steps     = 0;              /* outer steps */
  bool                    in_double = false;          /* does double have to go on? */
  HeptaFloatCGData       &own       = cg->floats;

  PetscErrorCode Fill() override;
  PetscErrorCode Start() override;
  PetscErrorCode Iterate(const HeptaSpace &) override;
  PetscErrorCode Broken(const hepta::ksp::State &) override;

  PetscErrorCode FindMatrices(std::string *why);
  PetscErrorCode Solve(hepta::ksp::State *);

private:
  double         Vectors() const;
  PetscErrorCode Begin(PetscReal rho);
  PetscErrorCode TakeMatrices(const HeptaSpace &, hepta::ksp::FloatSolve *);
  PetscErrorCode Precondition(const HeptaSpace &);
  PetscErrorCode Step(const hepta::ksp::FloatSolve &);
  /* calls launch(view) with the view of A, whose values are these floats */
  template <class F> PetscErrorCode WithFloats(Mat A, float *v, const HeptaSpace &space, F launch)
  {
    return HeptaVisit(*MatBDIADiagonals(A), space, HeptaAccess::read, [&](const auto &of) {
      return launch(hepta::bdia::View<float>{of.nbr, of.nbc, of.bs, of.nd, of.ld, of.off, v, of.half, of.host_off});
    });
  }
};

/* One solve of fused CG: which passes serve the matrix and the preconditioner at hand */
#pragma once

#include "fusedcg.h"

struct HeptaFusedCGSolve {
  /* of ksp->work */
  enum Work {
    R,
    Z,
    Q,
    P0,
    P1,
    works
  };

  KSP            ksp;
  KSP_FusedCG   *cg;
  Mat            A = nullptr;
  hepta::ksp::CG c = {};
  HeptaKSPArrays arrays;                           /* x, the work vectors, the inverse diagonal blocks */
  Mat            local = nullptr, inner = nullptr; /* A and the matrix of PC ip, where passes or launchers multiply with them on the device */
  bool           fused = false;                    /* the product with A is part of a pass */

  explicit HeptaFusedCGSolve(KSP k) : ksp(k), cg((KSP_FusedCG *)k->data) {}
  /* fusedcg_plan.cxx: everything above; collective */
  PetscErrorCode Plan();
  /* the pointers in c, while the arrays are held */
  void Fill();
  /* what is not a pass, in words; empty if all is */
  std::string Outside() const;
  /* all that a recording depends on: these pointers, and matrices in this state */
  std::string Key() const;
  /* bytes that an iteration moves, about */
  double Bytes() const;
  /* fusedcg_solve.cxx: the passes of one iteration */
  PetscErrorCode Iterate(const HeptaSpace &);

private:
  PetscErrorCode PlanMatrix(bool device);
  PetscErrorCode PlanInner(bool device);
  PetscErrorCode TakeInverse(PetscInt bs);
  PetscErrorCode Multiply(const HeptaSpace &);
  PetscErrorCode Precondition(const HeptaSpace &);
};

/* Iterations of PC aggmg by options, for its tests */
#pragma once

#include <functional>

#include "entries.h"
#include "mesh.h"
#include "program.h"

static const std::string solver = "-ksp_type cg -ksp_norm_type unpreconditioned -ksp_rtol 1e-8 ",
                         aggmg  = "-pc_type aggmg -pc_aggmg_coarse_size 60 -pc_aggmg_gather 100 ";

/* Iterations of the options, which must converge; `before` is called with the preconditioner before the solve */
static inline PetscErrorCode Count(Mat A, const std::string &options, PetscInt *its,
                                   const std::function<PetscErrorCode(PC)> &before = {})
{
  KSPConvergedReason reason;
  KSP                ksp;
  PC                 pc;
  Vec                x, b;

  PetscFunctionBeginUser;
  PetscCall(NewVecs(A, &x, &b));
  PetscCall(NewKSP(A, solver + options, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  if (before) PetscCall(before(pc));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: reason %d", options.c_str(), (int)reason);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

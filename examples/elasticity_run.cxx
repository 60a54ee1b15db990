/*
   The solvers of the elasticity example: defaults, set-up, solve, check of the answer
*/
#include "elasticity.h"
#include <hepta.h>
#include <petscdevice.h>
#include <petsctime.h>

PetscErrorCode HasAggMG(PetscBool *has)
{
  void (*create)(void) = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscFunctionListFind(PCList, "aggmg", &create));
  *has = create ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds, until what the vector's device computes has come to its end on all processes */
static PetscErrorCode Now(Vec b, PetscLogDouble *t)
{
  PetscMemType       type;
  const PetscScalar *values;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayReadAndMemType(b, &values, &type));
  PetscCall(VecRestoreArrayReadAndMemType(b, &values));
  if (PetscMemTypeDevice(type)) PetscCall(PetscDeviceContextSynchronize(NULL));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conjugate gradients that look at the true residual, ||b - A x|| <= 1e-8 ||b||; Hepta's with aggmg unless gamg is wanted */
static PetscErrorCode SolverCreate(Mat A, PetscBool gamg, KSP *ksp)
{
  PetscBool aggmg = PETSC_FALSE;
  PC        pc;

  PetscFunctionBeginUser;
  if (!gamg) PetscCall(HasAggMG(&aggmg));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  if (gamg) PetscCall(KSPSetOptionsPrefix(*ksp, "compare_gamg_"));
  PetscCall(KSPSetType(*ksp, aggmg ? KSPFUSEDCG : KSPCG));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, aggmg ? "aggmg" : PCGAMG));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   ||b - A x|| / ||b||, by a product of its own. Rounding errors of the solver add to it what is a small multiple of
   eps ||A|| ||x|| / ||b||, which is above the tolerance where the inclusion is very stiff.
*/
static PetscErrorCode Check(KSP ksp, Mat A, Vec b, Run *run)
{
  Vec       r;
  PetscReal norm, rtol, largest, length;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, run->x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &run->residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecNorm(run->x, NORM_2, &length));
  PetscCall(MatNorm(A, NORM_INFINITY, &largest));
  run->residual /= norm;
  PetscCall(VecDestroy(&r));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(KSPGetConvergedReason(ksp, &run->reason));
  PetscCall(KSPGetIterationNumber(ksp, &run->its));
  run->converged = (PetscBool)(run->reason > 0 && run->residual <= 10 * (rtol + PETSC_MACHINE_EPSILON * largest * length / norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(KSP ksp, Mat A, const Run *run)
{
  KSPType type;
  MatType mat;

  PetscFunctionBeginUser;
  PetscCall(KSPGetType(ksp, &type));
  PetscCall(MatGetType(A, &mat));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solver   %s: %s with this preconditioner, matrix %s\n", run->name, type, mat));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "answer   %s: %s after %" PetscInt_FMT " iterations, true relative residual %.2e%s\n",
                        run->name, KSPConvergedReasons[run->reason], run->its, (double)run->residual,
                        run->converged    ? ""
                        : run->reason > 0 ? ": the true residual does not confirm convergence"
                                          : ": not converged"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time     %s: set up %.4f s, solve %.4f s\n", run->name, run->setup, run->solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunSolve(Mat A, Vec b, PetscBool gamg, Run *run)
{
  PetscLogDouble t[3];
  KSP            ksp;
  PC             pc;
  PCType         type;

  PetscFunctionBeginUser;
  PetscCall(SolverCreate(A, gamg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(PetscStrncpy(run->name, type, sizeof(run->name)));
  PetscCall(VecDuplicate(b, &run->x));
  PetscCall(Now(b, &t[0]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(Now(b, &t[1]));
  PetscCall(KSPSolve(ksp, b, run->x));
  PetscCall(Now(b, &t[2]));
  run->setup = t[1] - t[0];
  run->solve = t[2] - t[1];
  PetscCall(Check(ksp, A, b, run));
  PetscCall(Report(ksp, A, run));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

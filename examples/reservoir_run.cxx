/*
   One solve of the reservoir example: conversion, solver, times
*/
#include "reservoir_run.h"
#include <hepta.h>
#include <petscdevice.h>
#include <petsctime.h>
#include <algorithm>
#include <vector>

/* The same moment on all processes */
static PetscErrorCode Now(PetscLogDouble *t)
{
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Since(PetscLogDouble start, PetscLogDouble *seconds)
{
  PetscLogDouble now;

  PetscFunctionBeginUser;
  PetscCall(Now(&now));
  *seconds = now - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscLogDouble Median(std::vector<PetscLogDouble> t)
{
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

/* BiCGStab: Hepta's where the library has it for its own matrix types, PETSc's for all others, so that the times compare one
   library with the other */
static PetscErrorCode DefaultType(Mat A, KSPType *ksp_type)
{
  MatType type;
  char   *bdia, *brow;
  void (*has)(void);

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscStrstr(type, "bdia", &bdia));
  PetscCall(PetscStrstr(type, "brow", &brow));
  PetscCall(PetscFunctionListFind(KSPList, KSPFUSEDBCGS, &has));
  *ksp_type = (bdia || brow) && has ? KSPFUSEDBCGS : KSPBCGS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Defaults for reservoir matrices, all open to the options: BiCGStab on A M^-1 (right preconditioning, so that the solver sees
   the true residual), M = the diagonal blocks for generated matrices, whose diagonal dominates, and for others ILU(0) of each
   process's part with one layer of overlap, which converges where block Jacobi stalls
*/
static PetscErrorCode SolverCreate(Mat A, PetscBool generated, KSP *ksp)
{
  PC        pc;
  KSPType   type = KSPBCGS;
  PetscBool bcgs, has_side, has_norm, has_sub;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(DefaultType(A, &type));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, 2000));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, generated ? PCPBJACOBI : PCASM));
  /* PETSc's default is ICC(0) for a matrix that is known to be symmetric, which needs a positive definite one */
  PetscCall(PetscOptionsHasName(NULL, NULL, "-sub_pc_type", &has_sub));
  if (!generated && !has_sub) PetscCall(PetscOptionsSetValue(NULL, "-sub_pc_type", PCILU));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)*ksp, &bcgs, KSPBCGS, KSPFUSEDBCGS, ""));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ksp_pc_side", &has_side));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ksp_norm_type", &has_norm));
  if (bcgs && !has_side && !has_norm) PetscCall(KSPSetPCSide(*ksp, PC_RIGHT));
  PetscCall(KSPSetResidualHistory(*ksp, NULL, PETSC_DECIDE, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ||b - A x|| / ||b|| and max |x - e|, computed anew with PETSc's own matrix: neither the solver nor the type is believed */
static PetscErrorCode Check(const System *system, Run *run)
{
  Vec       r, x;
  PetscReal norm, rtol;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(system->b, &r));
  PetscCall(VecDuplicate(system->b, &x)); /* the answer may live on a device, PETSc's own matrix does not */
  PetscCall(VecCopy(run->x, x));
  PetscCall(MatMult(system->A, x, r));
  PetscCall(VecAYPX(r, -1.0, system->b));
  PetscCall(VecNorm(system->b, NORM_2, &norm));
  PetscCall(VecNorm(r, NORM_2, &run->residual));
  if (norm > 0.0) run->residual /= norm;
  if (system->e) {
    PetscCall(VecWAXPY(r, -1.0, system->e, x));
    PetscCall(VecNorm(r, NORM_INFINITY, &run->error));
  }
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&x));
  PetscCall(KSPGetTolerances(run->ksp, &rtol, NULL, NULL, NULL));
  run->converged = (PetscBool)(run->reason > 0 && run->residual <= 100.0 * rtol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Until what computes v has come to its end */
static PetscErrorCode Wait(Vec v)
{
  const PetscScalar *a;
  PetscMemType       type;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayReadAndMemType(v, &a, &type));
  PetscCall(VecRestoreArrayReadAndMemType(v, &a));
  if (!PetscMemTypeHost(type)) PetscCall(PetscDeviceContextSynchronize(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(Run *run)
{
  PetscFunctionBeginUser;
  PetscCall(VecZeroEntries(run->x));
  PetscCall(KSPSolve(run->ksp, run->b, run->x));
  PetscCall(Wait(run->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunCreate(const System *system, Mat A, MatType type, Run *run)
{
  PetscLogDouble   start;
  const PetscReal *history;

  PetscFunctionBeginUser;
  *run = {};
  PetscCall(Now(&start));
  PetscCall(MatConvert(A, type, MAT_INITIAL_MATRIX, &run->A));
  PetscCall(Since(start, &run->convert));
  PetscCall(MatCreateVecs(run->A, &run->x, &run->b));
  PetscCall(VecCopy(system->b, run->b));
  PetscCall(SolverCreate(run->A, system->generated, &run->ksp));
  PetscCall(Now(&start));
  PetscCall(KSPSetUp(run->ksp));
  PetscCall(KSPSetUpOnBlocks(run->ksp));
  PetscCall(Since(start, &run->setup));
  PetscCall(Now(&start));
  PetscCall(Solve(run));
  PetscCall(Since(start, &run->solve));
  PetscCall(KSPGetConvergedReason(run->ksp, &run->reason));
  PetscCall(KSPGetIterationNumber(run->ksp, &run->its));
  PetscCall(KSPGetResidualHistory(run->ksp, &history, &run->nhistory));
  PetscCall(PetscMalloc1(run->nhistory, &run->history));
  PetscCall(PetscArraycpy(run->history, history, run->nhistory));
  PetscCall(Check(system, run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunDestroy(Run *run)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(run->history));
  PetscCall(KSPDestroy(&run->ksp));
  PetscCall(VecDestroy(&run->x));
  PetscCall(VecDestroy(&run->b));
  PetscCall(MatDestroy(&run->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of one product, from a batch long enough for the clock */
static PetscErrorCode TimeProduct(Run *run, PetscInt batch, PetscLogDouble *seconds)
{
  PetscLogDouble start;
  Vec            y;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(run->b, &y));
  PetscCall(VecSet(y, 0.0)); /* its memory is there before the clock starts */
  PetscCall(Wait(y));
  PetscCall(Now(&start));
  for (PetscInt k = 0; k < batch; k++) PetscCall(MatMult(run->A, run->x, y));
  PetscCall(Wait(y));
  PetscCall(Since(start, seconds));
  *seconds /= (PetscLogDouble)batch;
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunsTime(PetscInt n, Run run[], PetscInt repeats)
{
  std::vector<std::vector<PetscLogDouble>> solve((size_t)n), product((size_t)n);
  PetscLogDouble                           start, t;
  PetscInt                                 batch;

  PetscFunctionBeginUser;
  if (repeats == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TimeProduct(&run[0], 1, &t));
  batch = (PetscInt)PetscMax(1.0, PetscMin(1000.0, 0.02 / PetscMax(t, 1e-7)));
  PetscCallMPI(MPI_Bcast(&batch, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  for (PetscInt r = 0; r < repeats; r++) {
    for (PetscInt k = 0; k < n; k++) {
      PetscCall(Now(&start));
      PetscCall(Solve(&run[k]));
      PetscCall(Since(start, &t));
      solve[(size_t)k].push_back(t);
    }
  }
  for (PetscInt r = 0; r < 2 * repeats + 1; r++) {
    for (PetscInt k = 0; k < n; k++) {
      PetscCall(TimeProduct(&run[k], batch, &t));
      product[(size_t)k].push_back(t);
    }
  }
  for (PetscInt k = 0; k < n; k++) {
    run[k].solve   = Median(solve[(size_t)k]);
    run[k].product = Median(product[(size_t)k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

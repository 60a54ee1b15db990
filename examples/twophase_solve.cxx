/*
   A time step of the two-phase example by Newton's method: residual, Jacobian by COO values, limit of the changes
*/
#include <hepta.h>
#include "twophase.h"

using namespace hepta::twophase;

static PetscErrorCode Residual(SNES, Vec x, Vec f, void *context)
{
  Reservoir r = (Reservoir)context;

  PetscFunctionBegin;
  PetscCall(DMGlobalToLocal(r->da, x, INSERT_VALUES, r->local));
  PetscCall(ReservoirLaunch(r, {r->rock, r->local, r->old}, {f}, [&](const auto &each, auto in, auto out) {
    return residuals(each, r->model, in[0], in[1], in[2], out[0]);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Jacobian(SNES, Vec x, Mat, Mat J, void *context)
{
  Reservoir          r = (Reservoir)context;
  const PetscScalar *v;
  PetscMemType       type;

  PetscFunctionBegin;
  PetscCall(DMGlobalToLocal(r->da, x, INSERT_VALUES, r->local));
  PetscCall(ReservoirLaunch(r, {r->rock, r->local}, {r->values}, [&](const auto &each, auto in, auto out) {
    return jacobians(each, r->model, in[0], in[1], out[0]);
  }));
  PetscCall(VecGetArrayReadAndMemType(r->values, &v, &type));
  PetscCall(MatSetValuesCOO(J, v, INSERT_VALUES));
  PetscCall(VecRestoreArrayReadAndMemType(r->values, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x - y is the next iterate */
static PetscErrorCode Chop(SNESLineSearch, Vec x, Vec y, PetscBool *changed, void *context)
{
  Reservoir r = (Reservoir)context;

  PetscFunctionBegin;
  PetscCall(
    ReservoirLaunch(r, {x}, {y}, [&](const auto &each, auto in, auto out) { return chops(each, r->model, in[0], out[0]); }));
  *changed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateJacobian(Reservoir r, Mat *J)
{
  const int N = r->model.unknowns;
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(DMCreateMatrix(r->da, J));
  PetscCall(ReservoirSetLocations(r, *J));
  PetscCall(PetscIntCast((PetscInt64)cells(r->model.size) * PLACES * N * N, &n));
  PetscCall(VecCreate(PETSC_COMM_SELF, &r->values));
  PetscCall(VecSetSizes(r->values, n, n));
  PetscCall(VecSetType(r->values, r->device ? VECCUDA : VECSTANDARD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factorization is of one process's rows */
static PetscErrorCode SetSolverDefaults(Reservoir r)
{
  PetscMPIInt size;
  KSP         ksp;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(SNESGetKSP(r->snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPFUSEDBCGS));
  PetscCall(KSPSetTolerances(ksp, 1e-4, PETSC_CURRENT, PETSC_CURRENT, 1000));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, size > 1 ? PCBJACOBI : PCILU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The residuals are pore volumes of a cell, so that 1e-9 of each is asked in the root mean square; nothing relative to the first
   residual, which is small where a step changes little.
*/
PetscErrorCode ReservoirCreateSolver(Reservoir r)
{
  const PetscReal atol = 1e-9 * PetscSqrtReal((PetscReal)cells(r->model.n));
  SNESLineSearch  search;
  Mat             J;

  PetscFunctionBegin;
  PetscCall(CreateJacobian(r, &J));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &r->snes));
  PetscCall(SNESSetFunction(r->snes, NULL, Residual, r));
  PetscCall(SNESSetJacobian(r->snes, J, J, Jacobian, r));
  PetscCall(MatDestroy(&J));
  PetscCall(SNESSetType(r->snes, SNESNEWTONLS));
  PetscCall(SNESSetTolerances(r->snes, atol, 0, 0, 25, 10000));
  PetscCall(SNESGetLineSearch(r->snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHNONE));
  PetscCall(SNESLineSearchSetPreCheck(search, Chop, r));
  PetscCall(SetSolverDefaults(r));
  PetscCall(SNESSetFromOptions(r->snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReservoirStep(Reservoir r, PetscReal dt, SNESConvergedReason *reason)
{
  PetscFunctionBegin;
  r->model.step = dt / r->model.volume;
  PetscCall(VecCopy(r->old, r->x));
  PetscCall(SNESSolve(r->snes, NULL, r->x));
  PetscCall(SNESGetConvergedReason(r->snes, reason));
  if (*reason > 0) PetscCall(VecCopy(r->x, r->old));
  PetscFunctionReturn(PETSC_SUCCESS);
}

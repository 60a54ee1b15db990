/*
   One solver of the bubbly example: defaults, set-up, solve, check of the answer
*/
#include "bubbly_run.h"
#include <hepta.h>
#include <petscdevice.h>
#include <petsctime.h>

PetscErrorCode FlowNow(Flow flow, PetscLogDouble *t)
{
  PetscBool device;

  PetscFunctionBeginUser;
  PetscCall(FlowIsOnDevice(flow, &device));
  if (device) PetscCall(PetscDeviceContextSynchronize(NULL));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Says every ten seconds how far a long solve is */
static PetscErrorCode Progress(KSP, PetscInt it, PetscReal norm, PetscCtx context)
{
  PetscLogDouble *last = (PetscLogDouble *)context, now;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&now));
  if (it == 0) *last = now;
  if (now - *last > 10.0) {
    *last = now;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "progress iteration %" PetscInt_FMT ", residual norm %.2e\n", it, (double)norm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 2-norm and energy norm, which takes the flows over the faces in place of the matrix; e loses its part in the null space */
static PetscErrorCode ErrorNorms(Flow flow, Vec e, PetscReal norms[2])
{
  Vec         Ae;
  PetscScalar dot;

  PetscFunctionBeginUser;
  PetscCall(FlowRemoveNullSpace(flow, e));
  PetscCall(VecDuplicate(e, &Ae));
  PetscCall(FlowApply(flow, e, Ae));
  PetscCall(VecDot(Ae, e, &dot));
  PetscCall(VecDestroy(&Ae));
  PetscCall(VecNorm(e, NORM_2, &norms[0]));
  norms[1] = PetscSqrtReal(PetscMax(PetscRealPart(dot), 0.0)); /* rounding may leave less than 0 */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SystemExactNorms(System *system)
{
  Vec e;

  PetscFunctionBeginUser;
  PetscCheck(system->has_exact, PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP,
             "-monitor_error needs a known solution: -rhs random or constant");
  PetscCall(VecDuplicate(system->exact, &e));
  PetscCall(VecCopy(system->exact, e));
  PetscCall(ErrorNorms(system->flow, e, system->exact_norms));
  PetscCall(VecDestroy(&e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error exact - x in each iteration, relative to the exact solution */
static PetscErrorCode MonitorError(KSP ksp, PetscInt it, PetscReal, void *context)
{
  const System    *system = (const System *)context;
  const PetscReal *whole  = system->exact_norms;
  PetscReal        norms[2];
  Vec              x, e;

  PetscFunctionBeginUser;
  PetscCall(KSPBuildSolution(ksp, NULL, &x));
  PetscCall(VecDuplicate(system->exact, &e));
  PetscCall(VecWAXPY(e, -1.0, x, system->exact));
  PetscCall(ErrorNorms(system->flow, e, norms));
  PetscCall(VecDestroy(&e));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "error    iteration %" PetscInt_FMT ", relative: %.6e in the 2-norm, %.6e in the energy norm\n", it,
                        (double)(norms[0] / whole[0]), (double)(norms[1] / whole[1])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Monitors a long solve, but not one by a Krylov method of Hepta's: on a device these launch iterations before the host has seen
   the last one. Under a monitor that may look at vectors, as any other than KSPMonitorResidual() may, they wait for the host
   after each iteration.
*/
static PetscErrorCode MonitorProgress(Run *run)
{
  PetscBool ahead;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)run->ksp, &ahead, KSPFUSEDCG, KSPDPCG, KSPFUSEDBCGS, KSPBICGCR, ""));
  if (ahead) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&run->progress));
  PetscCall(KSPMonitorSet(run->ksp, Progress, run->progress, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Defaults, all open to the options: conjugate gradients that look at the true residual, ||b - A x|| <= 1e-8 ||b||. They are
   fusedcg, preconditioned by multigrid on boxes of the grid, where the library has them; solvers to compare with keep PETSc's cg.
*/
static PetscErrorCode SolverDefaults(KSP ksp, const char pc[])
{
  PC        p;
  PetscBool given;
  void (*has)(void);

  PetscFunctionBeginUser;
  PetscCall(PetscFunctionListFind(KSPList, KSPFUSEDCG, &has));
  PetscCall(KSPSetType(ksp, !pc && has ? KSPFUSEDCG : KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, 20000));
  PetscCall(KSPGetPC(ksp, &p));
  PetscCall(PetscFunctionListFind(PCList, "gridmg", &has));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &given));
  if (pc || !given) PetscCall(PCSetType(p, pc ? pc : has ? "gridmg" : PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc has icc on one process only; on several it is the solver of each process's block */
static PetscErrorCode BlocksWithICC(KSP ksp, const char prefix[])
{
  char        option[80];
  PetscMPIInt size;
  PetscBool   set;
  PC          pc;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCBJACOBI));
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%ssub_pc_type", prefix));
  PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
  if (!set) PetscCall(PetscOptionsSetValue(NULL, option, PCICC));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunCreate(const System *system, Mat A, const char pc[], Run *run)
{
  char      prefix[64];
  PetscBool icc;
  DM        da;
  PC        p;
  PCType    type;

  PetscFunctionBeginUser;
  *run   = {};
  run->A = A;
  PetscCall(FlowGetDM(system->flow, &da));
  PetscCall(DMCreateGlobalVector(da, &run->x));
  PetscCall(PetscObjectSetName((PetscObject)run->x, "pressure"));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &run->ksp));
  PetscCall(KSPSetDM(run->ksp, da)); /* preconditioners may ask for the grid */
  PetscCall(KSPSetDMActive(run->ksp, KSP_DMACTIVE_ALL, PETSC_FALSE));
  PetscCall(KSPSetOperators(run->ksp, A, A));
  if (pc) {
    PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "compare_%s_", pc));
    PetscCall(KSPSetOptionsPrefix(run->ksp, prefix));
  }
  PetscCall(SolverDefaults(run->ksp, pc));
  PetscCall(PetscStrcmp(pc, PCICC, &icc));
  if (icc) PetscCall(BlocksWithICC(run->ksp, prefix));
  PetscCall(KSPSetFromOptions(run->ksp));
  PetscCall(KSPSetResidualHistory(run->ksp, NULL, PETSC_DECIDE, PETSC_TRUE));
  PetscCall(MonitorProgress(run));
  if (!pc && system->monitor_error) PetscCall(KSPMonitorSet(run->ksp, MonitorError, (void *)system, NULL));
  PetscCall(KSPGetPC(run->ksp, &p));
  PetscCall(PCGetType(p, &type));
  PetscCall(PetscStrncpy(run->name, pc ? pc : type, sizeof(run->name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The true residual, by the flows over the faces: neither the solver nor the matrix type is believed; and the error */
static PetscErrorCode Check(const System *system, Run *run)
{
  Vec       r;
  PetscReal norm, rtol;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(run->x, &r));
  PetscCall(FlowApply(system->flow, run->x, r));
  PetscCall(VecAYPX(r, -1.0, system->b));
  PetscCall(VecNorm(system->b, NORM_2, &norm));
  PetscCall(VecNorm(r, NORM_2, &run->residual));
  if (norm > 0.0) run->residual /= norm;
  if (system->has_exact) {
    PetscCall(VecWAXPY(r, -1.0, system->exact, run->x));
    PetscCall(FlowRemoveNullSpace(system->flow, r));
    PetscCall(VecNorm(r, NORM_INFINITY, &run->error));
  }
  PetscCall(VecDestroy(&r));
  PetscCall(KSPGetTolerances(run->ksp, &rtol, NULL, NULL, NULL));
  run->converged = (PetscBool)(run->reason > 0 && run->residual <= 10.0 * rtol);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KeepHistory(Run *run)
{
  const PetscReal *history;

  PetscFunctionBeginUser;
  PetscCall(KSPGetResidualHistory(run->ksp, &history, &run->nhistory));
  PetscCall(PetscFree(run->history));
  PetscCall(PetscMalloc1(run->nhistory, &run->history));
  PetscCall(PetscArraycpy(run->history, history, run->nhistory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunSolve(const System *system, PetscBool guess, Run *run)
{
  PetscLogDouble t[3];

  PetscFunctionBeginUser;
  PetscCall(KSPSetOperators(run->ksp, run->A, run->A));
  if (guess) PetscCall(KSPSetInitialGuessNonzero(run->ksp, PETSC_TRUE));
  PetscCall(FlowNow(system->flow, &t[0]));
  PetscCall(KSPSetUp(run->ksp));
  PetscCall(KSPSetUpOnBlocks(run->ksp));
  PetscCall(FlowNow(system->flow, &t[1]));
  PetscCall(KSPSolve(run->ksp, system->b, run->x));
  PetscCall(FlowNow(system->flow, &t[2]));
  run->setup = t[1] - t[0];
  run->solve = t[2] - t[1];
  run->total_setup += run->setup;
  run->total_solve += run->solve;
  PetscCall(KSPGetConvergedReason(run->ksp, &run->reason));
  PetscCall(KSPGetIterationNumber(run->ksp, &run->its));
  PetscCall(KeepHistory(run));
  PetscCall(Check(system, run));
  run->failed = (PetscBool)(run->failed || !run->converged);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RunDestroy(Run *run)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(run->history));
  PetscCall(PetscFree(run->progress));
  PetscCall(KSPDestroy(&run->ksp));
  PetscCall(VecDestroy(&run->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
